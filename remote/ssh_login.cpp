// SPDX-License-Identifier: MIT
#include "remote/ssh_login.hpp"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/secret.hpp"

namespace troupe::remote {
namespace {

constexpr int max_password_tries = 3;
constexpr int max_question_rounds = 16;

}  // namespace

Result<> SshLogin::run(Link& link) {
  link_ = &link;
  int state = ssh_userauth_none(session_, nullptr);
  for (const auto method :
       {&SshLogin::try_key_file, &SshLogin::try_agent_and_default_keys,
        &SshLogin::try_given_password, &SshLogin::try_questions, &SshLogin::try_typed_password}) {
    if (state == SSH_AUTH_SUCCESS || link_->cancelled() || ssh_is_connected(session_) == 0) {
      break;
    }
    state = (this->*method)();
  }
  if (state == SSH_AUTH_SUCCESS) {
    return success();
  }
  return Error{Code::io,
               "ssh: permission denied for " + user() + "@" + options_.host + key_problem_};
}

std::string SshLogin::user() const {
  const std::string name = ssh_option(session_, SSH_OPTIONS_USER);
  return name.empty() ? options_.user : name;
}

bool SshLogin::offers(int method) const {
  const int methods = ssh_userauth_list(session_, nullptr);
  return methods == 0 || (methods & method) != 0;
}

int SshLogin::on_passphrase(const char* prompt, char* buffer, std::size_t size, int, int,
                            void* self) {
  auto& login = *static_cast<SshLogin*>(self);
  std::string secret = login.options_.passphrase;
  if (secret.empty()) {
    const std::string question = prompt == nullptr ? "Passphrase:" : prompt;
    auto typed = login.link_->ask(question + " ", Echo::off);
    if (!typed) {
      return -1;
    }
    login.passphrase_typed_ = true;
    secret = std::move(*typed);
  }
  if (secret.size() + 1 > size) {
    wipe(secret);
    return -1;
  }
  std::memcpy(buffer, secret.c_str(), secret.size() + 1);
  wipe(secret);
  return 0;
}

int SshLogin::try_key_file() {
  if (options_.key_path.empty() || !offers(SSH_AUTH_METHOD_PUBLICKEY)) {
    return SSH_AUTH_DENIED;
  }
  if (::access(options_.key_path.c_str(), R_OK) != 0) {
    key_problem_ = " (cannot read the key file " + options_.key_path + ")";
    return SSH_AUTH_DENIED;
  }
  ssh_key raw = nullptr;
  bool opened = false;
  // A mistyped passphrase is asked for again; one that was given, or a broken file, is final.
  for (int tries = 0; tries < max_password_tries && !opened; ++tries) {
    passphrase_typed_ = false;
    opened = ssh_pki_import_privkey_file(options_.key_path.c_str(), nullptr,
                                         &SshLogin::on_named_passphrase, this, &raw) == SSH_OK;
    if (!passphrase_typed_) {
      break;
    }
  }
  if (!opened) {
    key_problem_ = " (the key file " + options_.key_path + " could not be opened)";
    return SSH_AUTH_DENIED;
  }
  const SshKey key(raw);
  return ssh_userauth_publickey(session_, nullptr, raw);
}

int SshLogin::on_named_passphrase(const char*, char* buffer, std::size_t size, int echo, int verify,
                                  void* self) {
  const auto& login = *static_cast<SshLogin*>(self);
  const std::string prompt = "Enter passphrase for key '" + login.options_.key_path + "':";
  return on_passphrase(prompt.c_str(), buffer, size, echo, verify, self);
}

int SshLogin::try_agent_and_default_keys() {
  if (!options_.use_agent || !offers(SSH_AUTH_METHOD_PUBLICKEY)) {
    return SSH_AUTH_DENIED;
  }
  if (!options_.use_ssh_config) {
    return ssh_userauth_agent(session_, nullptr);
  }
  ssh_callbacks_init(&callbacks_);
  callbacks_.userdata = this;
  callbacks_.auth_function = &SshLogin::on_passphrase;
  ssh_set_callbacks(session_, &callbacks_);
  return ssh_userauth_publickey_auto(session_, nullptr, nullptr);
}

int SshLogin::try_given_password() {
  if (options_.password.empty()) {
    return SSH_AUTH_DENIED;
  }
  const int state = offers(SSH_AUTH_METHOD_PASSWORD)
                        ? ssh_userauth_password(session_, nullptr, options_.password.c_str())
                        : static_cast<int>(SSH_AUTH_DENIED);
  if (state == SSH_AUTH_SUCCESS || !offers(SSH_AUTH_METHOD_INTERACTIVE)) {
    return state;
  }
  return answer_questions(&options_.password);
}

// Questions of the host itself are shown only where no password was given: with one, a refusal
// is the launch's error and nobody waits for a person.
int SshLogin::try_questions() {
  if (!options_.password.empty() || !offers(SSH_AUTH_METHOD_INTERACTIVE)) {
    return SSH_AUTH_DENIED;
  }
  int state = SSH_AUTH_DENIED;
  for (int tries = 0; tries < max_password_tries && state == SSH_AUTH_DENIED; ++tries) {
    state = answer_questions(nullptr);
  }
  return state;
}

int SshLogin::answer_questions(const std::string* secret) {
  int state = ssh_userauth_kbdint(session_, nullptr, nullptr);
  for (int round = 0; state == SSH_AUTH_INFO && round < max_question_rounds; ++round) {
    const int count = ssh_userauth_kbdint_getnprompts(session_);
    for (int i = 0; i < count; ++i) {
      char echo = 0;
      const char* prompt = ssh_userauth_kbdint_getprompt(session_, static_cast<unsigned>(i), &echo);
      std::string answer;
      if (secret != nullptr) {
        answer = *secret;
      } else if (auto typed = link_->ask(prompt == nullptr ? "? " : prompt,
                                         echo != 0 ? Echo::on : Echo::off)) {
        answer = std::move(*typed);
      } else {
        return SSH_AUTH_ERROR;
      }
      ssh_userauth_kbdint_setanswer(session_, static_cast<unsigned>(i), answer.c_str());
      wipe(answer);
    }
    state = ssh_userauth_kbdint(session_, nullptr, nullptr);
  }
  return state;
}

int SshLogin::try_typed_password() {
  if (!options_.password.empty() || !offers(SSH_AUTH_METHOD_PASSWORD)) {
    return SSH_AUTH_DENIED;
  }
  int state = SSH_AUTH_DENIED;
  for (int tries = 0; tries < max_password_tries && state == SSH_AUTH_DENIED; ++tries) {
    auto typed = link_->ask(user() + "@" + options_.host + "'s password: ", Echo::off);
    if (!typed) {
      return SSH_AUTH_ERROR;
    }
    state = ssh_userauth_password(session_, nullptr, typed->c_str());
    wipe(*typed);
  }
  return state;
}

}  // namespace troupe::remote
