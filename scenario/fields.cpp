// SPDX-License-Identifier: MIT
#include "scenario/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii_case.hpp"
#include "base/duration.hpp"

namespace troupe::scenario {
namespace {

constexpr std::array<std::string_view, 4> password_keys{"password", "passwd", "passphrase",
                                                        "secret"};
constexpr std::size_t max_shown_bytes = 100;
constexpr std::string_view password_reason =
    " is refused: a file is read by more people and programs than a password is meant for; name "
    "an environment variable with password_env, or use a key";

/// A variable whose name says that its value is a password.
bool is_password_variable(std::string_view name) {
  const std::string low = ascii_lower(name);
  return std::any_of(password_keys.begin(), password_keys.end(), [&](std::string_view ending) {
    return ending != "secret" && low.ends_with(ending);
  });
}

bool is_variable(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

}  // namespace

bool is_password_key(std::string_view key) {
  return std::find(password_keys.begin(), password_keys.end(), ascii_lower(key)) !=
         password_keys.end();
}

void refuse_passwords(const Node& root, Problems& problems) {
  for (const Node& item : root.items) {
    refuse_passwords(item, problems);
  }
  for (const Entry& entry : root.entries) {
    if (is_password_key(entry.key)) {
      problems.add(entry.line, "the key " + entry.key + std::string(password_reason));
    }
    refuse_passwords(entry.value, problems);
  }
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= max_name_bytes &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

Fields::Fields(const Node& node, std::string where, Problems& problems)
    : node_(&node), where_(std::move(where)), problems_(&problems) {
  if (node.kind != Node::Kind::map) {
    problems.add(node.line, (where_.empty() ? "this" : where_) + " must be a mapping of keys");
  }
}

std::string Fields::full_name(const std::string& key) const {
  return where_.empty() ? key : where_ + "." + key;
}

const Node* Fields::find(const std::string& key) {
  known_.insert(key);
  for (const Entry& entry : node_->entries) {
    if (entry.key == key) {
      return entry.value.kind == Node::Kind::null ? nullptr : &entry.value;
    }
  }
  return nullptr;
}

int Fields::line_of(const std::string& key) const {
  for (const Entry& entry : node_->entries) {
    if (entry.key == key) {
      return entry.line;
    }
  }
  return node_->line;
}

bool Fields::has(const std::string& key) const {
  return std::any_of(node_->entries.begin(), node_->entries.end(), [&](const Entry& entry) {
    return entry.key == key && entry.value.kind != Node::Kind::null;
  });
}

void Fields::refuse(const std::string& key, const std::string& why) {
  problems_->add(line_of(key), full_name(key) + " " + why);
}

std::optional<std::string> Fields::as_text(const std::string& key, const Node& node) {
  if (node.kind != Node::Kind::scalar || node.looks_like_boolean()) {
    problems_->add(node.line, full_name(key) + " must be a text" +
                                  (node.kind == Node::Kind::scalar ? " (put it in quotes)" : ""));
    return std::nullopt;
  }
  if (node.text.find('\0') != std::string::npos) {
    problems_->add(node.line, full_name(key) + " holds a NUL");
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::string> Fields::text(const std::string& key) {
  const Node* const node = find(key);
  return node == nullptr ? std::nullopt : as_text(key, *node);
}

std::optional<std::string> Fields::name(const std::string& key) {
  std::optional<std::string> given = text(key);
  if (given && !is_name(*given)) {
    refuse(key,
           "must be 1 to " + std::to_string(max_name_bytes) + " bytes without control characters");
    return std::nullopt;
  }
  return given;
}

std::optional<std::string> Fields::variable(const std::string& key) {
  std::optional<std::string> given = text(key);
  if (given && !is_variable(*given)) {
    refuse(key, "must be the name of an environment variable");
    return std::nullopt;
  }
  return given;
}

std::optional<std::int64_t> Fields::integer(const std::string& key, std::int64_t least,
                                            std::int64_t most) {
  const Node* const node = find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->looks_like_integer()) {
    refuse(key, "must be an integer");
    return std::nullopt;
  }
  const std::string_view digits = std::string_view(node->text).substr(node->text[0] == '+' ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < least ||
      value > most) {
    refuse(key, "must be from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> Fields::boolean(const std::string& key) {
  const Node* const node = find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->looks_like_boolean()) {
    refuse(key, "must be a boolean: true or false, without quotes");
    return std::nullopt;
  }
  return node->text == "true";
}

std::optional<Milliseconds> Fields::time(const std::string& key) {
  const Node* const node = find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto value =
      node->kind == Node::Kind::scalar ? duration_from_text(node->text) : std::nullopt;
  if (!value || *value <= Milliseconds{0}) {
    refuse(key, "must be a time: seconds, or like 500ms, 90s, 2m, 1h (up to 24h)");
    return std::nullopt;
  }
  return *value;
}

std::optional<std::vector<std::string>> Fields::texts(const std::string& key) {
  const Node* const node = find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (node->kind != Node::Kind::sequence) {
    refuse(key, "must be a list of texts");
    return std::nullopt;
  }
  std::vector<std::string> values;
  for (const Node& item : node->items) {
    values.push_back(as_text(key, item).value_or(""));
  }
  return values;
}

std::map<std::string, std::string> Fields::text_map(const std::string& key) {
  std::map<std::string, std::string> values;
  const Node* const node = find(key);
  if (node == nullptr) {
    return values;
  }
  if (node->kind != Node::Kind::map) {
    refuse(key, "must be a mapping of names to texts");
    return values;
  }
  for (const Entry& entry : node->entries) {
    const std::string shown = key + "." + entry.key.substr(0, max_shown_bytes);
    if (entry.key.empty() ||
        entry.key.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      problems_->add(entry.line, full_name(shown) + " is no name of a variable");
    } else if (is_password_variable(entry.key)) {
      if (!is_password_key(entry.key)) {  // reported for the tree as a whole
        problems_->add(entry.line,
                       full_name(shown) +
                           " is refused: no password in a file. Participants have the environment "
                           "of `troupe up`: set it there");
      }
    } else {
      values[entry.key] = as_text(shown, entry.value).value_or("");
    }
  }
  return values;
}

void Fields::finish() {
  for (const Entry& entry : node_->entries) {
    if (known_.count(entry.key) == 0 && !is_password_key(entry.key)) {
      problems_->add(entry.line, "unknown key " + full_name(entry.key.substr(0, max_shown_bytes)));
    }
  }
}

}  // namespace troupe::scenario
