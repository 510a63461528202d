// SPDX-License-Identifier: MIT
#include "protocol/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "protocol/json_writer.hpp"

namespace troupe::protocol {
namespace {

using Json = nlohmann::json;

/// Below this many members, comparing all pairs is cheaper than sorting.
constexpr std::size_t few_members = 24;

const std::string* duplicate_of(const JsonObject& object) {
  if (object.size() <= few_members) {
    for (auto member = object.begin(); member != object.end(); ++member) {
      const auto same = [&](const JsonMember& other) { return other.key == member->key; };
      if (std::any_of(object.begin(), member, same)) {
        return &member->key;
      }
    }
    return nullptr;
  }
  std::vector<const std::string*> keys;
  keys.reserve(object.size());
  for (const JsonMember& member : object) {
    keys.push_back(&member.key);
  }
  std::sort(keys.begin(), keys.end(), [](auto* left, auto* right) { return *left < *right; });
  const auto same = std::adjacent_find(keys.begin(), keys.end(),
                                       [](auto* left, auto* right) { return *left == *right; });
  return same == keys.end() ? nullptr : *same;
}

/// A long string of plain ASCII without escapes, such as base64, and its place among all strings.
struct LongString {
  std::size_t ordinal = 0;
  std::string_view content;
};

/// A payload whose long strings are taken out: what is left costs nlohmann's lexer a fixed small
/// time, where a megabyte of base64 would cost it 20 ms, character by character.
struct Excerpt {
  std::string rest;  ///< empty strings stand in the places of `taken`
  std::vector<LongString> taken;
};

constexpr std::size_t long_string_bytes = 4096;

bool is_plain(std::string_view content) {
  unsigned char unusual = 0;
  for (const char character : content) {
    const auto byte = static_cast<unsigned char>(character);
    unusual |= static_cast<unsigned char>(byte < 0x20 || byte > 0x7E || byte == '\\');
  }
  return unusual == 0;
}

/// The place of the quote that closes the string whose content begins at `at`; the text's size
/// where none does.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t quote = std::min(text.find('"', at), text.size());
    const std::string_view content = text.substr(at, quote - at);
    const std::size_t escape = content.find('\\');
    if (escape == std::string_view::npos) {
      return quote;
    }
    at += escape + 2;
  }
  return text.size();
}

/// Outside of strings a quote opens one, inside of them one without a backslash closes it: this
/// alone divides valid JSON into strings and the rest. Invalid JSON stays invalid, because only
/// the plain content of strings is left out.
Excerpt take_long_strings(std::string_view text) {
  Excerpt excerpt;
  std::size_t copied = 0;
  std::size_t ordinal = 0;
  for (std::size_t open = text.find('"'); open < text.size(); ++ordinal) {
    const std::size_t begin = open + 1;
    const std::size_t end = closing_quote(text, begin);
    const std::string_view content = text.substr(begin, end - begin);
    if (end < text.size() && content.size() >= long_string_bytes && is_plain(content)) {
      excerpt.rest.append(text.substr(copied, begin - copied));
      excerpt.taken.push_back({ordinal, content});
      copied = end;
    }
    open = text.find('"', std::min(end + 1, text.size()));
  }
  excerpt.rest.append(text.substr(copied));
  return excerpt;
}

/// Receives nlohmann's parse events and builds the tree. `open_` holds the containers from the
/// root to the present one: a parent does not grow while its child is open, so the pointers stay.
class TreeBuilder {
 public:
  TreeBuilder(const JsonLimits& limits, const std::vector<LongString>& taken)
      : limits_(limits), taken_(taken) {}

  // The names of nlohmann's SAX interface.
  bool null() {
    return scalar([] { return JsonValue{}; });
  }
  bool boolean(bool value) {
    return scalar([&] { return JsonValue{value}; });
  }
  bool number_integer(std::int64_t value) {
    return scalar([&] { return JsonValue{value}; });
  }
  bool number_unsigned(std::uint64_t value) {
    return scalar([&] { return JsonValue{value}; });
  }
  bool number_float(double value, const std::string& /*text*/) {
    return scalar([&] { return JsonValue{value}; });
  }
  bool string(std::string& value) {
    put_back(value);
    return scalar([&] { return JsonValue{std::move(value)}; });
  }
  bool binary(Json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return start(JsonValue{JsonObject{}}); }
  bool start_array(std::size_t /*size*/) { return start(JsonValue{JsonArray{}}); }
  bool end_object() {
    if (skipped_ == 0) {
      note_duplicate(*open_.back()->as<JsonObject>());
    }
    return end();
  }
  bool end_array() { return end(); }

  bool key(std::string& name) {
    put_back(name);
    if (skipped_ > 0) {
      return true;
    }
    if (limits_.keep != nullptr && !limits_.keep(open_.size(), name)) {
      skip_next_ = true;
      return true;
    }
    open_.back()->as<JsonObject>()->push_back({std::move(name), {}});
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) {
    return false;
  }

  JsonDocument take() { return std::move(document_); }

 private:
  /// Strings and keys come in the order of the text.
  void put_back(std::string& value) {
    if (next_taken_ < taken_.size() && taken_[next_taken_].ordinal == strings_) {
      value = taken_[next_taken_++].content;
    }
    ++strings_;
  }

  template <class Make>
  bool scalar(Make make) {
    if (skipped_ > 0) {
      return true;
    }
    if (std::exchange(skip_next_, false)) {
      return true;
    }
    return place(make()) != nullptr;
  }

  bool start(JsonValue container) {
    if (skipped_ > 0 || std::exchange(skip_next_, false)) {
      ++skipped_;
    } else {
      JsonValue* placed = place(std::move(container));
      if (placed == nullptr) {
        return false;
      }
      open_.push_back(placed);
    }
    return open_.size() + skipped_ <= limits_.depth;
  }

  bool end() {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  /// Puts a value where the parser stands; null when there are too many.
  JsonValue* place(JsonValue value) {
    if (++values_ > limits_.values) {
      return nullptr;
    }
    if (open_.empty()) {
      document_.root = std::move(value);
      return &document_.root;
    }
    if (auto* array = open_.back()->as<JsonArray>()) {
      return &array->emplace_back(std::move(value));
    }
    JsonValue& slot = open_.back()->as<JsonObject>()->back().value;
    slot = std::move(value);
    return &slot;
  }

  void note_duplicate(const JsonObject& object) {
    if (document_.duplicate_key && document_.duplicate_depth <= open_.size()) {
      return;
    }
    if (const std::string* key = duplicate_of(object)) {
      document_.duplicate_key = *key;
      document_.duplicate_depth = open_.size();
    }
  }

  const JsonLimits& limits_;
  const std::vector<LongString>& taken_;
  std::size_t next_taken_ = 0;
  std::size_t strings_ = 0;
  JsonDocument document_;
  std::vector<JsonValue*> open_;
  std::size_t skipped_ = 0;  ///< open containers that are not kept
  bool skip_next_ = false;
  std::size_t values_ = 0;
};

/// What nlohmann lets pass and JSON does not: a byte order mark, and NUL as an end of input.
bool has_lax_syntax(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
}

/// A backslash, the letter and four digits.
constexpr std::size_t escape_bytes = 6;

std::optional<unsigned> escaped_unit(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), escape_bytes);
  unsigned unit = 0;
  const char* const end = escape.data() + escape.size();
  if (escape.size() < escape_bytes || !escape.starts_with("\\u") ||
      std::from_chars(escape.data() + 2, end, unit, 16).ptr != end) {
    return std::nullopt;
  }
  return unit;
}

bool is_high_surrogate(unsigned unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}

bool is_low_surrogate(unsigned unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

void write(JsonWriter& writer, const JsonValue& value);

void write_array(JsonWriter& writer, const JsonArray& array) {
  writer.begin_array();
  for (const JsonValue& element : array) {
    write(writer, element);
  }
  writer.end_array();
}

void write_object(JsonWriter& writer, const JsonObject& object) {
  writer.begin_object();
  for (const JsonMember& member : object) {
    writer.any_key(member.key);
    write(writer, member.value);
  }
  writer.end_object();
}

/// Recursive; the depth is that of a parsed document, so at most JsonLimits::depth.
void write(JsonWriter& writer, const JsonValue& value) {
  std::visit(
      [&](const auto& data) {
        using T = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          writer.null();
        } else if constexpr (std::is_same_v<T, bool>) {
          writer.boolean(data);
        } else if constexpr (std::is_integral_v<T>) {
          writer.number(data);
        } else if constexpr (std::is_same_v<T, double>) {
          writer.raw(Json(data).dump());
        } else if constexpr (std::is_same_v<T, std::string>) {
          writer.string(data);
        } else if constexpr (std::is_same_v<T, JsonArray>) {
          write_array(writer, data);
        } else {
          write_object(writer, data);
        }
      },
      value.data);
}

}  // namespace

const JsonValue* find(const JsonObject& object, std::string_view key) {
  const auto found = std::find_if(object.begin(), object.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == object.end() ? nullptr : &found->value;
}

JsonValue* find(JsonObject& object, std::string_view key) {
  const auto found = std::find_if(object.begin(), object.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == object.end() ? nullptr : &found->value;
}

std::optional<JsonDocument> parse_json(std::string_view text, const JsonLimits& limits) {
  if (has_lax_syntax(text)) {
    return std::nullopt;
  }
  Excerpt excerpt;
  if (text.size() >= long_string_bytes) {
    excerpt = take_long_strings(text);
    text = excerpt.rest;
  }
  TreeBuilder builder(limits, excerpt.taken);
  if (!Json::sax_parse(text.data(), text.data() + text.size(), &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

std::optional<std::string> replace_lone_surrogates(std::string_view text) {
  std::string mended;
  std::size_t copied = 0;
  for (std::size_t at = text.find('\\'); at < text.size();) {
    std::size_t length = 2;
    if (const auto unit = escaped_unit(text, at); unit && is_high_surrogate(*unit)) {
      const auto next = escaped_unit(text, at + escape_bytes);
      length = next && is_low_surrogate(*next) ? 2 * escape_bytes : escape_bytes;
    } else if (unit && is_low_surrogate(*unit)) {
      length = escape_bytes;
    }
    if (length == escape_bytes) {
      mended.append(text.substr(copied, at - copied)).append("\\ufffd");
      copied = at + length;
    }
    at = text.find('\\', at + length);
  }
  if (copied == 0) {
    return std::nullopt;
  }
  return mended.append(text.substr(copied));
}

std::string to_json(const JsonValue& value) {
  JsonWriter writer;
  write(writer, value);
  return writer.take();
}

}  // namespace troupe::protocol
