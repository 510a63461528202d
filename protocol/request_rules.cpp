// SPDX-License-Identifier: MIT
#include "protocol/request_rules.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/limits.hpp"

namespace troupe::protocol {
namespace {

using MaybeError = std::optional<Error>;

Error bad_field(std::string_view field, std::string_view problem) {
  return {Code::bad_request, "field '" + std::string(field) + "' " + std::string(problem)};
}

MaybeError at_most(std::string_view field, const std::string& text, std::size_t limit) {
  if (text.size() <= limit) {
    return std::nullopt;
  }
  return Error{Code::too_large, "field '" + std::string(field) + "' exceeds " +
                                    std::to_string(limit) + " byte limit"};
}

MaybeError at_most(std::string_view field, const std::optional<std::string>& text,
                   std::size_t limit) {
  return text ? at_most(field, *text, limit) : std::nullopt;
}

MaybeError positive_size(std::uint16_t cols, std::uint16_t rows) {
  if (cols > 0 && rows > 0) {
    return std::nullopt;
  }
  return Error{Code::bad_request, "terminal dimensions must be positive"};
}

MaybeError input_length(std::string_view data) {
  return data.size() <= max_input_bytes ? std::nullopt : MaybeError(input_too_long());
}

/// A text that is searched for: 1 … max_needle_bytes.
MaybeError searchable(std::string_view field, const std::optional<std::string>& text) {
  if (text && text->empty()) {
    return bad_field(field, "must not be empty");
  }
  return at_most(field, text, max_needle_bytes);
}

template <class Id>
MaybeError attachment(const Id& id) {
  return at_most("attachment_id", id, max_name_bytes);
}

/// A path that the system would not cut or look up where the daemon happens to stand.
MaybeError absolute_path(std::string_view field, const std::optional<std::string>& path) {
  if (!path || (path->starts_with('/') && path->find('\0') == std::string::npos)) {
    return std::nullopt;
  }
  return bad_field(field, "must be an absolute path");
}

/// The first error of several checks.
template <class... Checks>
MaybeError first(Checks... checks) {
  MaybeError error;
  ((error ? void() : void(error = std::move(checks))), ...);
  return error;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

MaybeError rule(const request::Create& r) {
  if (r.kind == TerminalKind::pty && blank(r.program)) {
    return Error{Code::bad_request, "terminal program cannot be empty"};
  }
  return first(
      positive_size(r.cols, r.rows), at_most("title", r.title, max_name_bytes),
      at_most("group_id", r.group_id, max_name_bytes), at_most("cwd", r.cwd, max_name_bytes),
      at_most("options", r.options, max_options_bytes),
      at_most("recording", r.recording ? r.recording->path : std::nullopt, max_name_bytes),
      at_most("label", r.label, max_name_bytes), at_most("profile", r.profile, max_name_bytes));
}

MaybeError rule(const request::Write& r) {
  return first(input_length(r.data), attachment(r.attachment_id));
}

MaybeError rule(const request::Resize& r) {
  return first(positive_size(r.cols, r.rows), attachment(r.attachment_id));
}

MaybeError rule(const request::Control& r) {
  return first(positive_size(r.cols, r.rows), attachment(r.attachment_id));
}

MaybeError rule(const request::Input& r) {
  return first(positive_size(r.cols, r.rows), input_length(r.data), attachment(r.attachment_id));
}

MaybeError rule(const request::ReadRows& r) {
  if (r.rows == 0) {
    return Error{Code::bad_request, "row count must be positive"};
  }
  return std::nullopt;
}

MaybeError rule(const request::Subscribe& r) {
  return first(attachment(r.attachment_id),
               at_most("ssh_auth_sock", r.ssh_auth_sock, max_name_bytes),
               absolute_path("ssh_auth_sock", r.ssh_auth_sock));
}

MaybeError rule(const request::Rename& r) {
  return at_most("title", r.title, max_name_bytes);
}

MaybeError rule(const request::Journal& r) {
  if (r.tail && r.from_index) {
    return bad_field("tail", "cannot be combined with 'from_index'");
  }
  return std::nullopt;
}

MaybeError rule(const request::Output& r) {
  if (std::holds_alternative<CommandNext>(r.index)) {
    return bad_field("index", "must be a number or \"latest\"");
  }
  return std::nullopt;
}

MaybeError rule(const request::Run& r) {
  return first(at_most("text", r.text, max_input_bytes), attachment(r.attachment_id));
}

MaybeError rule(const request::Wait& r) {
  return first(searchable("needle", r.needle), searchable("regex", r.regex));
}

/// None at all would leave a client that pages where it was.
MaybeError rule(const request::History& r) {
  return r.rows == 0 ? MaybeError(bad_field("rows", "must be positive")) : std::nullopt;
}

MaybeError rule(const request::Search& r) {
  return searchable("pattern", r.pattern);
}

MaybeError rule(const request::Keys& r) {
  if (r.keys.empty()) {
    return bad_field("keys", "must not be empty");
  }
  if (r.keys.size() > max_keys) {
    return Error{Code::too_large, "field 'keys' exceeds " + std::to_string(max_keys) + " names"};
  }
  return attachment(r.attachment_id);
}

MaybeError rule(const request::Paste& r) {
  return first(at_most("text", r.text, max_input_bytes), attachment(r.attachment_id));
}

MaybeError rule(const request::Record& r) {
  const bool has_path = r.recording && r.recording->target;
  return at_most("recording", has_path ? r.recording->target->path : std::nullopt, max_name_bytes);
}

/// Requests without a rule of their own.
template <class T>
MaybeError rule(const T& /*r*/) {
  return std::nullopt;
}

}  // namespace

std::optional<Error> broken_rule(const Request& request) {
  return std::visit([](const auto& r) { return rule(r); }, request);
}

Error input_too_long() {
  return {Code::too_large, "input exceeds " + std::to_string(max_input_bytes) + " byte limit"};
}

}  // namespace troupe::protocol
