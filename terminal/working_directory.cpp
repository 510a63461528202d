// SPDX-License-Identifier: MIT
#include "terminal/working_directory.hpp"

#include <strings.h>

#include <utility>

#include "base/utf8.hpp"
#include "terminal/marks.hpp"

namespace troupe::terminal {
namespace {

bool is_path(std::string_view path) {
  return !path.empty() && path.front() == '/' && path.size() <= max_cwd_bytes &&
         path.find('\0') == std::string_view::npos && is_valid_utf8(path);
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::optional<std::string> parse_osc7(std::string_view url, std::string_view host_name) {
  constexpr std::string_view scheme = "file://";
  if (url.substr(0, scheme.size()) != scheme) {
    return std::nullopt;
  }
  url.remove_prefix(scheme.size());
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view host = url.substr(0, slash);
  if (!host.empty() && !same_name(host, "localhost") && !same_name(host, host_name)) {
    return std::nullopt;
  }
  auto path = percent_decode(url.substr(slash));
  if (!path || !is_path(*path)) {
    return std::nullopt;
  }
  return path;
}

void WorkingDirectory::osc7(std::string_view url) {
  if (auto path = parse_osc7(url, host_name_)) {
    path_ = std::move(path);
    source_ = CwdSource::osc7;
  }
}

void WorkingDirectory::osc633(std::string_view path) {
  if (is_path(path)) {
    path_ = std::string(path);
    source_ = CwdSource::osc633;
  }
}

void WorkingDirectory::reset() {
  path_.reset();
  source_ = CwdSource::none;
}

}  // namespace troupe::terminal
