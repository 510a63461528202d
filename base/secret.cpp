// SPDX-License-Identifier: MIT
#include "base/secret.hpp"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

namespace troupe {

void wipe(std::string& secret) {
  secret.resize(secret.capacity());
  ::explicit_bzero(secret.data(), secret.size());
  secret.clear();
}

Secret::Secret(std::string_view text)
    : bytes_(new std::string(text), [](std::string* bytes) {
        wipe(*bytes);
        delete bytes;
      }) {}

}  // namespace troupe
