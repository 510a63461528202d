// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Plays a recording into the person's terminal, in its own time.

#include "recording/asciicast.hpp"
#include "recording/reader.hpp"

namespace troupe::client::cli {

/// Returns the exit status: 0 at the recording's end or after `q`, 128+n for signal n (Ctrl-C too).
///
/// To a terminal only what asks nothing of it is written (C-2), and all modes are undone at the end
/// (C-1); keys are taken meanwhile: space pauses, `q` and Ctrl-C end. Elsewhere the bytes go out as
/// they were recorded.
///
/// Threads: for programs of one thread; blocks until the end.
/// Bounds: holds one row; a slow terminal holds the playing up.
int play(recording::RecordingReader& reader, const recording::PlayOptions& options);

}  // namespace troupe::client::cli
