// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Where a recording lies and how its file is made, so that nobody else can read it or slip
/// another file under it, and nothing is left behind by a terminal that never started.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace troupe::recording {

/// `20260901T120000Z-pty-00aabbccddee-label.jsonl`; of the label what is not of `A-Za-z0-9._-`
/// becomes `_`, at most 64 characters.
std::string recording_file_name(std::int64_t wall_us, std::string_view kind,
                                std::string_view instance_id, std::string_view label);

/// Where recordings go by default: `TROUPE_RECORDINGS_DIR`, else `troupe/recordings` in
/// `XDG_DATA_HOME`, else in `~/.local/share`. Empty where none of these is an absolute path.
std::string default_recording_directory(const std::map<std::string, std::string>& env);

/// `TROUPE_RECORDINGS_PRIVATE`: every value but 0, off, false, no, never, none and disabled.
enum class Access : std::uint8_t {
  owner_only,  ///< directories 0700, files 0600
  by_umask,
};
Access recording_access(const std::map<std::string, std::string>& env);

/// `TROUPE_RECORDING_MAX_BYTES`: a positive number; anything else is no ceiling (0).
std::uint64_t recording_max_bytes(const std::map<std::string, std::string>& env);

/// Where the file goes: into `directory` (made where it is missing; owned by this user and no
/// link), or to `path` exactly (its directory exists).
struct RecordingPlace {
  std::string directory;
  std::string name;  ///< of the file in `directory`
  std::string path;  ///< absolute; wins over the two above
  Access access = Access::owner_only;
};

/// A recording's file: first under a temporary name, under its own after `commit`.
///
/// Threads: one caller at a time; everything blocks.
/// Invariants: the final name holds whole rows only and never replaces a file.
class RecordingFile {
 public:
  /// Opens with O_CREAT, O_EXCL and O_NOFOLLOW. `io` with the path that failed.
  static Result<RecordingFile> create(const RecordingPlace& place);

  RecordingFile(RecordingFile&&) noexcept = default;
  RecordingFile& operator=(RecordingFile&&) noexcept = delete;
  /// Removes the file where it was not committed.
  ~RecordingFile();

  /// Appends whole rows. After an error those are in the file that fitted; `size` tells how far.
  Result<> write(std::string_view rows);
  /// Gives the file its name; once.
  Result<> commit();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  RecordingFile(UniqueFd directory, UniqueFd file, std::string path, std::string temporary);

  UniqueFd directory_;
  UniqueFd file_;
  std::string path_;       ///< the final one
  std::string temporary_;  ///< name in the directory; empty once committed
  std::uint64_t size_ = 0;
};

}  // namespace troupe::recording
