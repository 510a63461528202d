// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Which typed text is a secret and must not stand in a recording. The terminal's own state is the
/// best witness (a program that reads a password turns ECHO off and leaves ICANON on); a prompt on
/// the cursor's line speaks where there is no tty to ask, as over ssh.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::recording {

/// What stands in place of a secret, whatever its length.
inline constexpr std::string_view mask = "***";

enum class RedactMode : std::uint8_t {
  off,        ///< everything typed is recorded
  passwords,  ///< what is recognised as a secret is masked
  all,        ///< nothing typed is recorded
};

/// `off`, `passwords` or `all`, in any case and with blanks around; anything else is `passwords`,
/// so that a misspelt setting hides more and not less.
RedactMode redact_mode(std::string_view text);

/// Words of prompts, separated by commas: at most 64, and none of more than 128 bytes.
std::vector<std::string> prompt_words(std::string_view text);

/// Recognises the prompt of a program that asks for a secret.
///
/// Bounds: looks at the last 1,024 bytes of a line.
class PromptMatcher {
 public:
  /// Knows the words of the field in several languages, and `more_words` (any case).
  explicit PromptMatcher(std::vector<std::string> more_words = {});

  /// Whether the last line of `screen` (blank ones after it and escape sequences left out) asks
  /// for a secret: it holds one of the words and ends with a colon or question mark.
  [[nodiscard]] bool matches(std::string_view screen) const;

 private:
  std::vector<std::string> more_words_;
};

/// What is known of one piece of input when it is typed.
struct InputContext {
  bool flagged = false;                    ///< the client said so (`password: true`)
  std::optional<bool> tty_hides_input;     ///< ECHO off and ICANON on; nothing where unknown
  std::optional<std::string> cursor_line;  ///< the text up to the cursor, if it was read
};

[[nodiscard]] bool is_secret(RedactMode mode, const InputContext& context,
                             const PromptMatcher& prompts);

}  // namespace troupe::recording
