// SPDX-License-Identifier: MIT
#include "actors/recording_plan.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "protocol/version.hpp"

namespace troupe::actors {
namespace {

recording::RedactMode mode_of(protocol::Redaction redact) {
  switch (redact) {
    case protocol::Redaction::off:
      return recording::RedactMode::off;
    case protocol::Redaction::all:
      return recording::RedactMode::all;
    case protocol::Redaction::passwords:
      break;
  }
  return recording::RedactMode::passwords;
}

std::string hex_of(TerminalId id) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%012" PRIx64, id.value);
  return text.data();
}

}  // namespace

std::string RecordingPlan::path() const {
  return spec.place.path.empty() ? spec.place.directory + "/" + spec.place.name : spec.place.path;
}

Result<RecordingPlan> plan_recording(const RecordingWish& wish, const RecordingSettings& settings,
                                     const protocol::TerminalInfo& info, std::int64_t wall_ms) {
  RecordingPlan plan;
  plan.redact = wish.redact ? mode_of(*wish.redact) : settings.redact;
  recording::RecordingInfo& about = plan.spec.info;
  about.instance_id = hex_of(info.id);
  about.kind = protocol::to_text(info.kind);
  about.label = info.label.value_or("");
  about.command = info.command.empty() ? "" : info.command.front();
  about.program = "troupe " + std::string{protocol::program_version};
  about.cols = info.cols;
  about.rows = info.rows;
  recording::RecordingPlace& place = plan.spec.place;
  place.access = settings.access;
  plan.spec.max_bytes = settings.max_bytes;
  if (wish.target.path) {
    if (!wish.target.path->starts_with('/') || wish.target.path->find('\0') != std::string::npos) {
      return Error{Code::bad_request, "the recording's path must be absolute"};
    }
    place.path = *wish.target.path;
    return plan;
  }
  if (settings.directory.empty()) {
    return Error{Code::io, "no place for recordings: set TROUPE_RECORDINGS_DIR or give a path"};
  }
  place.directory = settings.directory;
  std::string label = about.label;
  if (wish.earlier > 0) {
    label += (label.empty() ? "" : "-") + std::to_string(wish.earlier + 1);
  }
  place.name = recording::recording_file_name(wall_ms * 1000, about.kind, about.instance_id, label);
  return plan;
}

}  // namespace troupe::actors
