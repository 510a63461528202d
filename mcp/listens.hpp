// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// `subscriptions/listen` of MCP 2026-07-28: requests that stay open, each with a filter of its
/// own, and whose notifications carry the request's id.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mcp/daemon_link.hpp"
#include "mcp/rpc.hpp"
#include "mcp/watches.hpp"

namespace troupe::mcp {

/// What a client asked to hear of. Lists of tools and prompts never change here.
struct ListenFilter {
  static constexpr std::size_t max_uris = 256;

  bool resources_list = false;
  std::optional<std::vector<std::string>> uris;  ///< as asked for, none twice

  /// `bad_request` for values of another type or too many resources.
  static Result<ListenFilter> read(const Json& params);
};

/// Threads: one.
/// Invariants: the acknowledgement comes before any notification; a listen ends with its result, an
///   error, or without an answer where the client cancelled it.
/// Bounds: `max_listens` at once, `ListenFilter::max_uris` resources each, `Watches`' for all.
class Listens {
 public:
  static constexpr std::size_t max_listens = 64;
  struct Out {
    std::function<void(std::string)> send;
    std::function<void(const Json& id, Json result)> finish;
  };

  Listens(DaemonLink& daemon, Watches& watches, Out out)
      : daemon_(daemon), watches_(watches), out_(std::move(out)) {}

  void open(const Json& id, const Json& params);
  [[nodiscard]] bool has(const std::string& key) const { return listens_.count(key) != 0; }
  /// The client wants no more of it; false where there is none.
  bool cancel(const std::string& key);
  void updated(const std::string& key, const ResourceName& name);
  void list_changed();
  /// Ends each with its result.
  void close_all();

 private:
  struct Listen {
    std::string key;  ///< the id as JSON text
    ListenFilter filter;
    bool acknowledged = false;
  };

  void opened(const std::shared_ptr<Listen>& listen, const protocol::reply::Terminals& terminals);
  void acknowledge(Listen& listen, const Json& honoured);
  void refuse(const Json& id, const Error& error);

  DaemonLink& daemon_;
  Watches& watches_;
  Out out_;
  std::map<std::string, std::shared_ptr<Listen>> listens_;  ///< by the id as JSON text
};

}  // namespace troupe::mcp
