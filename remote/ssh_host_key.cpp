// SPDX-License-Identifier: MIT
#include "remote/ssh_host_key.hpp"

#include <string>

#include "remote/known_hosts.hpp"

namespace troupe::remote {
namespace {

std::string fingerprint(ssh_session session) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK) {
    return "unknown";
  }
  const SshKey key(raw);
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  if (ssh_get_publickey_hash(raw, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != 0) {
    return "unknown";
  }
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  std::string out = text == nullptr ? "unknown" : text;
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return std::string(ssh_key_type_to_char(ssh_key_type(raw))) + " " + out;
}

/// The host's key as known_hosts files write it; empty where there is none.
std::string host_key_base64(ssh_session session) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK) {
    return {};
  }
  const SshKey key(raw);
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(raw, &text) != SSH_OK) {
    return {};
  }
  std::string out = text;
  ssh_string_free_char(text);
  return out;
}

/// In each file that the library reads, and before it says that the key is known.
Result<> check_revoked(ssh_session session, const SshOptions& options, const std::string& print) {
  const std::string key = host_key_base64(session);
  if (key.empty()) {
    return ssh_failure(session, "cannot check the host key of " + options.host);
  }
  for (const ssh_options_e which : {SSH_OPTIONS_KNOWNHOSTS, SSH_OPTIONS_GLOBAL_KNOWNHOSTS}) {
    const std::string file = ssh_option(session, which);
    if (!file.empty() && file_revokes(file, key)) {
      return Error{Code::io, "host key of " + options.host + " is revoked in " + file + ": it is " +
                                 print + "; nothing was sent to it"};
    }
  }
  return success();
}

}  // namespace

Result<> check_host_key(ssh_session session, const SshOptions& options) {
  if (options.insecure_no_host_check) {
    return success();
  }
  const std::string print = fingerprint(session);
  const std::string file =
      options.known_hosts.empty() ? "the known hosts files" : options.known_hosts;
  if (auto trusted = check_revoked(session, options, print); !trusted) {
    return trusted;
  }
  switch (ssh_session_is_known_server(session)) {
    case SSH_KNOWN_HOSTS_OK:
      return success();
    case SSH_KNOWN_HOSTS_CHANGED:
    case SSH_KNOWN_HOSTS_OTHER:
      return Error{Code::io, "host key of " + options.host + " does not match " + file +
                                 ": it is " + print + "; nothing was sent to it"};
    case SSH_KNOWN_HOSTS_NOT_FOUND:
    case SSH_KNOWN_HOSTS_UNKNOWN:
      return Error{Code::io, "host key of " + options.host + " is not in " + file + ": it is " +
                                 print + "; add it, or set insecure_no_host_check"};
    case SSH_KNOWN_HOSTS_ERROR:
      break;
  }
  return ssh_failure(session, "cannot check the host key of " + options.host);
}

}  // namespace troupe::remote
