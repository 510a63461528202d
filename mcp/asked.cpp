// SPDX-License-Identifier: MIT
#include "mcp/asked.hpp"

#include <nlohmann/json.hpp>

#include "protocol/version.hpp"

namespace troupe::mcp {
namespace {

/// Adds what every modern result carries.
void modernise(Json& result, bool cacheable) {
  result["resultType"] = "complete";
  if (cacheable) {
    result["ttlMs"] = 0;
    result["cacheScope"] = "private";
  }
  result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
}

}  // namespace

Json server_info() {
  return {
      {"name", "troupe"}, {"title", "troupe terminals"}, {"version", protocol::program_version}};
}

void Asked::answer(Json result) const {
  if (era_ == Era::modern) {
    modernise(result, false);
  }
  answer_plain(result);
}

void Asked::answer_cacheable(Json result) const {
  if (era_ == Era::modern) {
    modernise(result, true);
  }
  answer_plain(result);
}

void Asked::answer_plain(const Json& result) const {
  send(encode_result(Json::parse(id_), result));
}

void Asked::refuse(int code, std::string_view message) const {
  send(encode_error(Json::parse(id_), code, message));
}

void Asked::refuse(int code, std::string_view message, const Json& data) const {
  send(encode_error(Json::parse(id_), code, message, data));
}

void Asked::withdraw() const {
  if (batch_) {
    batch_->withdraw();
  }
}

void Asked::send(std::string message) const {
  if (batch_) {
    batch_->answer(message);
  } else {
    send_(std::move(message));
  }
}

}  // namespace troupe::mcp
