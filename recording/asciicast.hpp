// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A recording as an asciicast (asciinema's format, versions 2 and 3), and the time line that
/// playing one follows.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "recording/reader.hpp"

namespace troupe::recording {

enum class AsciicastVersion : std::uint8_t { v2 = 2, v3 = 3 };

/// Makes the lines of an asciicast from a recording's rows.
///
/// Output is made valid UTF-8: a character that two rows share comes whole with the second, and
/// what is no UTF-8 becomes U+FFFD. Times are whole microseconds, so version 3's intervals add up.
/// What was typed is left out, unless asked for; what is masked is left out always.
class AsciicastWriter {
 public:
  enum class Input : std::uint8_t { leave_out, include };

  explicit AsciicastWriter(AsciicastVersion version, Input input = Input::leave_out)
      : version_(version), input_(input) {}

  /// Appends the lines for one row. The header comes with the start row; one of 80x24 where the
  /// recording has none.
  void add(const Entry& entry, std::string& out);
  /// Appends what is held back.
  void finish(std::string& out);

 private:
  void header(const Entry& entry, std::string& out);
  void event(char code, std::string_view data, std::int64_t t_us, std::string& out);

  AsciicastVersion version_;
  Input input_;
  bool has_header_ = false;
  std::string label_;
  std::string held_;
  std::int64_t base_us_ = 0;  ///< version 2: of the header; version 3: of the last event
  std::int64_t last_us_ = 0;
};

/// Reads all rows and hands the text out piece by piece; ends early where `write` fails.
Result<> export_asciicast(RecordingReader& reader, AsciicastWriter& writer,
                          const std::function<Result<>(std::string_view)>& write);

struct PlayOptions {
  double speed = 1.0;                       ///< 2 is twice as fast; not positive counts as 1
  std::optional<std::int64_t> max_idle_us;  ///< a longer pause is cut to this, before `speed`
};

/// How long to wait between the rows at `previous_us` and `t_us`, in microseconds.
std::int64_t play_delay_us(std::int64_t previous_us, std::int64_t t_us, const PlayOptions& options);

}  // namespace troupe::recording
