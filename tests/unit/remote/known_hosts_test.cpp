// SPDX-License-Identifier: MIT
#include "remote/known_hosts.hpp"

#include <doctest/doctest.h>

using troupe::remote::line_revokes;

TEST_CASE("known_hosts: a key is revoked by its line whatever host that names") {
  const std::string key = "AAAAC3Nza";
  for (const char* line : {"@revoked * ssh-ed25519 AAAAC3Nza", "@revoked * ssh-ed25519 AAAAC3Nza\r",
                           "@revoked\t|1|c2FsdA==|aGFzaA==\tssh-ed25519\tAAAAC3Nza stolen",
                           "  @revoked a,[b]:2222 ssh-ed25519  AAAAC3Nza"}) {
    CAPTURE(line);
    CHECK(line_revokes(line, key));
    CHECK_FALSE(line_revokes(line, "AAAAC3Nz"));
  }
}

TEST_CASE("known_hosts: no other line revokes a key") {
  for (const char* line :
       {"", "a ssh-ed25519 AAAA", "#@revoked a ssh-ed25519 AAAA", "@revokeda a ssh-ed25519 AAAA",
        "@cert-authority a ssh-ed25519 AAAA", "@revoked a ssh-ed25519 BBBB AAAA",
        "@revoked a ssh-ed25519", "@revoked"}) {
    CAPTURE(line);
    CHECK_FALSE(line_revokes(line, "AAAA"));
  }
}
