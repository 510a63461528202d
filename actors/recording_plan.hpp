// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where a terminal's recording goes and what it hides, decided before anything is written.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "protocol/requests.hpp"
#include "protocol/terminal_info.hpp"
#include "recording/recorder.hpp"
#include "recording/redaction.hpp"

namespace troupe::actors {

/// The daemon's defaults.
struct RecordingSettings {
  std::string directory;  ///< TROUPE_RECORDINGS_DIR; empty: only where a path is given
  recording::Access access = recording::Access::owner_only;
  std::uint64_t max_bytes = 0;
  recording::RedactMode redact = recording::RedactMode::passwords;  ///< TROUPE_REDACT_INPUTS
  /// One for all terminals; knows TROUPE_REDACT_WORDS too.
  std::shared_ptr<const recording::PromptMatcher> prompts =
      std::make_shared<const recording::PromptMatcher>();
};

struct RecordingPlan {
  recording::RecorderSpec spec;
  recording::RedactMode redact = recording::RedactMode::passwords;
  /// The file's path, once it is made.
  [[nodiscard]] std::string path() const;
};

/// What was asked for: by `create`, or by `record`.
struct RecordingWish {
  protocol::RecordingTarget target;
  std::optional<protocol::Redaction> redact;
  /// How often this terminal was recorded before: names must differ within a second.
  unsigned earlier = 0;
};

/// `bad_request` for a relative path; `io` where there is no place for recordings.
Result<RecordingPlan> plan_recording(const RecordingWish& wish, const RecordingSettings& settings,
                                     const protocol::TerminalInfo& info, std::int64_t wall_ms);

}  // namespace troupe::actors
