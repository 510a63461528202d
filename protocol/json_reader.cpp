// SPDX-License-Identifier: MIT
#include "protocol/json_reader.hpp"

#include <algorithm>
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

/// Receives nlohmann's parse events and builds the tree. `open_` holds the containers from the
/// root to the present one: a parent does not grow while its child is open, so the pointers stay.
class TreeBuilder {
 public:
  explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}

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
  TreeBuilder builder(limits);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

std::string to_json(const JsonValue& value) {
  JsonWriter writer;
  write(writer, value);
  return writer.take();
}

}  // namespace troupe::protocol
