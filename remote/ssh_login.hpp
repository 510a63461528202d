// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How an SSH session gets into the host: a named key file, the agent and the user's own keys, the
/// password that was given, and questions in the terminal for what was not.

#include <libssh/callbacks.h>

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "remote/options.hpp"
#include "remote/peer.hpp"
#include "remote/ssh_library.hpp"

namespace troupe::remote {

/// Tries the methods that the host offers, in the order above, until one is let in.
///
/// Threads: the worker thread only.
/// Ownership: borrows the session and the options, which holds the secrets: the caller wipes them.
///   Outlives the session: libssh keeps a pointer to the callbacks.
/// Bounds: three tries for what is typed, sixteen rounds of a host's questions.
class SshLogin {
 public:
  SshLogin(ssh_session session, const SshOptions& options) : session_(session), options_(options) {}
  SshLogin(const SshLogin&) = delete;
  SshLogin& operator=(const SshLogin&) = delete;

  /// The host's key was checked. The error (`io`) names the user and the host, never a secret.
  Result<> run(Link& link);

 private:
  // Each method answers with libssh's state: whether the host let us in.
  int try_key_file();
  int try_agent_and_default_keys();
  int try_given_password();
  int try_questions();
  int try_typed_password();

  /// Keyboard-interactive: each question is answered with `secret`, or in the terminal.
  int answer_questions(const std::string* secret);
  [[nodiscard]] std::string user() const;
  [[nodiscard]] bool offers(int method) const;

  /// Called by libssh for a key's passphrase.
  static int on_passphrase(const char* prompt, char* buffer, std::size_t size, int echo, int verify,
                           void* self);
  /// The same, where the file that was named is to be in the question.
  static int on_named_passphrase(const char* prompt, char* buffer, std::size_t size, int echo,
                                 int verify, void* self);

  ssh_session session_;
  const SshOptions& options_;
  Link* link_ = nullptr;
  ssh_callbacks_struct callbacks_{};
  std::string key_problem_;  // for the error, where a named key file was of no use
  bool passphrase_typed_ = false;
};

}  // namespace troupe::remote
