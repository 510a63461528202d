// SPDX-License-Identifier: MIT
#include "daemon/agent_link.hpp"

#include <unistd.h>

#include <cstdio>

#include "registration/files.hpp"

namespace troupe::daemon {

AgentLink::AgentLink(const std::string& runtime_directory)
    : path_(runtime_directory + "/" + registration::agent_link_name) {
  point_to({});
}

AgentLink::~AgentLink() {
  point_to({});
}

void AgentLink::point_to(const std::string& target) {
  if (target.empty()) {
    (void)::unlink(path_.c_str());
    return;
  }
  // By rename, so that a program never finds the path missing between two agents.
  std::string const fresh = path_ + ".new";
  (void)::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) != 0 ||
      std::rename(fresh.c_str(), path_.c_str()) != 0) {
    (void)::unlink(fresh.c_str());
  }
}

}  // namespace troupe::daemon
