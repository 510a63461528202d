// SPDX-License-Identifier: MIT
// A file of its own: only what names a socket loads libcrypto, which costs a client, who reads the
// name from the registration, most of its start.
#include <openssl/evp.h>

#include <array>

#include "registration/registration.hpp"

namespace troupe::registration {

std::string socket_path(std::string_view canonical_runtime_directory) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  // Cannot fail: SHA-256 needs nothing from outside.
  ::EVP_Digest(canonical_runtime_directory.data(), canonical_runtime_directory.size(),
               digest.data(), nullptr, ::EVP_sha256(), nullptr);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string path = socket_directory() + '/';
  for (std::size_t i = 0; i < 16; ++i) {
    path += digits[digest[i] >> 4U];
    path += digits[digest[i] & 15U];
  }
  return path + ".sock";
}

}  // namespace troupe::registration
