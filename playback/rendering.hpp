// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A recording played through a terminal of our own: the text that was on the screen and in its
/// history in the end. A recording is a stream of escape sequences; its text is only what an
/// emulator makes of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/reader.hpp"

namespace troupe::playback {

enum class RowFormat : std::uint8_t {
  plain,  ///< logical lines: soft-wrapped rows joined
  ansi,   ///< screen rows with SGR sequences, each beginning and ending in the default pen
};

struct RenderLimits {
  std::size_t history_rows = 1'000'000;
  std::size_t history_bytes = 256U * 1024 * 1024;
};

/// Oldest first, trailing blank rows left out. Beyond the limits the oldest rows are missing.
std::vector<std::string> render(recording::RecordingReader& reader, RowFormat format,
                                const RenderLimits& limits = {});

}  // namespace troupe::playback
