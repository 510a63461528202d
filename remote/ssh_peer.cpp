// SPDX-License-Identifier: MIT
#include "remote/ssh_peer.hpp"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/secret.hpp"
#include "base/unique_fd.hpp"
#include "remote/known_hosts.hpp"
#include "remote/tcp_connect.hpp"

namespace troupe::remote {
namespace {

template <auto free_function>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using Session = std::unique_ptr<ssh_session_struct, Freed<&ssh_free>>;
using Channel = std::unique_ptr<ssh_channel_struct, Freed<&ssh_channel_free>>;
using Key = std::unique_ptr<ssh_key_struct, Freed<&ssh_key_free>>;

struct SignalName {
  int number;
  const char* name;
};
constexpr std::array<SignalName, 12> signal_names = {{{SIGHUP, "HUP"},
                                                      {SIGINT, "INT"},
                                                      {SIGQUIT, "QUIT"},
                                                      {SIGILL, "ILL"},
                                                      {SIGABRT, "ABRT"},
                                                      {SIGFPE, "FPE"},
                                                      {SIGKILL, "KILL"},
                                                      {SIGSEGV, "SEGV"},
                                                      {SIGPIPE, "PIPE"},
                                                      {SIGTERM, "TERM"},
                                                      {SIGUSR1, "USR1"},
                                                      {SIGUSR2, "USR2"}}};

constexpr int max_password_tries = 3;

std::string fingerprint(ssh_session session) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK) {
    return "unknown";
  }
  const Key key(raw);
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
  const Key key(raw);
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(raw, &text) != SSH_OK) {
    return {};
  }
  std::string out = text;
  ssh_string_free_char(text);
  return out;
}

class SshPeer final : public Peer {
 public:
  explicit SshPeer(SshOptions options) : options_(std::move(options)) {}

  ~SshPeer() override {
    wipe(options_.password);
    wipe(options_.passphrase);
  }

  Result<> open(Link& link) override {
    link_ = &link;
    for (const auto step : {&SshPeer::prepare, &SshPeer::connect, &SshPeer::check_host,
                            &SshPeer::authenticate, &SshPeer::open_shell}) {
      if (auto done = (this->*step)(); !done) {
        if (link.cancelled()) {
          return Error{Code::cancelled, "the connection was given up"};
        }
        return done;
      }
    }
    wipe(options_.password);
    wipe(options_.passphrase);
    ssh_set_blocking(session_.get(), 0);
    link_ = nullptr;
    return success();
  }

  [[nodiscard]] int socket() const override { return ssh_get_fd(session_.get()); }

  [[nodiscard]] bool wants_write() const override {
    return (ssh_get_poll_flags(session_.get()) & SSH_WRITE_PENDING) != 0;
  }

  Result<ReadOutcome> read() override {
    std::array<char, pty::max_chunk_bytes> buffer;
    do {
      // Any call below may take packets off the socket, so what it leaves in a buffer that was read
      // before is asked for again: no poll would tell of it.
      arrived_ = false;
      for (const int stream : {0, 1}) {
        const int got =
            ssh_channel_read_nonblocking(channel_.get(), buffer.data(), buffer.size(), stream);
        if (got > 0) {
          const std::string_view bytes{buffer.data(), static_cast<std::size_t>(got)};
          return ReadOutcome{decode_output(options_.charset, bytes), false};
        }
        if (got == SSH_ERROR && !ended()) {
          return broken();
        }
      }
      service();
    } while (arrived_);
    if (!ended() && lost()) {
      return broken();
    }
    return ReadOutcome{{}, ended()};
  }

  Result<std::size_t> write(std::string_view text) override {
    if (ended()) {
      return text.size();  // as a PTY whose program has gone: the end is told by `read`
    }
    // What a charset turns the text into differs in length, so what the window does not take is
    // kept here and nothing more is accepted until it is gone.
    if (unsent_.empty()) {
      unsent_ = encoder_.encode(text);
      accepted_ = text.size();
    }
    const int sent = ssh_channel_write(channel_.get(), unsent_.data(),
                                       static_cast<std::uint32_t>(unsent_.size()));
    if (sent < 0 && sent != SSH_AGAIN) {
      return broken();
    }
    unsent_.erase(0, static_cast<std::size_t>(std::max(sent, 0)));
    return unsent_.empty() ? std::exchange(accepted_, 0) : std::size_t{0};
  }

  [[nodiscard]] bool writes_need_input() const override { return true; }

  /// After the end of output a read of the library looks at no packet any more, but the status and
  /// the close are still to come: asking for the status handles what has arrived.
  void service() override {
    if (ssh_channel_is_eof(channel_.get()) != 0) {
      ssh_channel_get_exit_status(channel_.get());
    } else {
      ssh_channel_poll(channel_.get(), 0);
    }
  }

  void resize(pty::WindowSize size) override {
    ssh_channel_change_pty_size(channel_.get(), size.cols, size.rows);
  }

  Result<> signal(int number) override {
    for (const SignalName& known : signal_names) {
      if (known.number == number) {
        return ssh_channel_request_send_signal(channel_.get(), known.name) == SSH_OK
                   ? success()
                   : Result<>(failure("ssh"));
      }
    }
    return Error{Code::unsupported, "ssh has no name for signal " + std::to_string(number)};
  }

  [[nodiscard]] std::chrono::milliseconds keepalive() const override {
    return std::chrono::seconds(options_.keepalive_s);
  }

  Result<> keep_alive() override {
    return ssh_send_ignore(session_.get(), "troupe") == SSH_ERROR ? Result<>(broken()) : success();
  }

  [[nodiscard]] pty::ExitStatus exit_status() const override {
    return pty::ExitStatus{exit_signal_ ? std::nullopt : exit_code_, exit_signal_};
  }

  void close() override {
    if (channel_ && ssh_is_connected(session_.get()) != 0) {
      ssh_channel_send_eof(channel_.get());
      ssh_channel_close(channel_.get());
    }
    channel_.reset();
    if (session_) {
      ssh_disconnect(session_.get());
    }
    session_.reset();
    socket_.reset();
  }

 private:
  Error failure(const std::string& what) const {
    return Error{Code::io, what + ": " + ssh_get_error(session_.get())};
  }

  /// Of a connection that was up.
  [[nodiscard]] Error broken() const {
    return failure(lost() ? "ssh: the connection was lost" : "ssh");
  }

  /// The end of output and the status come in either order; both are waited for, or the close. With
  /// the status the program has ended, however the host leaves after that.
  [[nodiscard]] bool ended() const {
    const bool has_status = exit_code_ || exit_signal_;
    return (ssh_channel_is_eof(channel_.get()) != 0 && has_status) ||
           (ssh_channel_is_closed(channel_.get()) != 0 && (closed_by_host_ || has_status));
  }

  /// The library calls a channel closed also where only the connection under it has gone.
  [[nodiscard]] bool lost() const {
    return ssh_channel_is_closed(channel_.get()) != 0 || ssh_is_connected(session_.get()) == 0;
  }

  template <class T>
  bool set(ssh_options_e option, const T& value) {
    return ssh_options_set(session_.get(), option, &value) == SSH_OK;
  }
  bool set(ssh_options_e option, const std::string& value) {
    return ssh_options_set(session_.get(), option, value.c_str()) == SSH_OK;
  }

  Result<> prepare() {
    session_.reset(ssh_new());
    if (!session_) {
      return Error{Code::internal, "ssh: no session"};
    }
    bool ok = set(SSH_OPTIONS_HOST, options_.host) &&
              set(SSH_OPTIONS_PROCESS_CONFIG, options_.use_ssh_config) &&
              set(SSH_OPTIONS_TIMEOUT, long{options_.connect_timeout_s});
    if (!options_.user.empty() || !options_.use_ssh_config) {
      ok =
          ok && set(SSH_OPTIONS_USER, options_.user.empty() ? std::string("guest") : options_.user);
    }
    if (options_.port != 0) {
      ok = ok && set(SSH_OPTIONS_PORT, unsigned{options_.port});
    }
    if (options_.use_ssh_config) {
      ok = ok && ssh_options_parse_config(session_.get(), nullptr) == 0;
    }
    if (!options_.known_hosts.empty()) {
      ok = ok && set(SSH_OPTIONS_KNOWNHOSTS, options_.known_hosts) &&
           set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, std::string("/dev/null"));
    }
    return ok ? success() : Result<>(failure("ssh: bad option"));
  }

  Result<> connect() {
    // With a configuration the library connects by itself: it may name a proxy command.
    if (!options_.use_ssh_config) {
      unsigned port = 22;
      ssh_options_get_port(session_.get(), &port);
      auto socket = tcp_connect(options_.host, static_cast<std::uint16_t>(port),
                                std::chrono::seconds(options_.connect_timeout_s), *link_);
      if (!socket) {
        return socket.error();
      }
      link_->interruptible(socket->get());
      socket_ = std::move(*socket);  // the library leaves a socket that it was given open
      set(SSH_OPTIONS_FD, socket_.get());
    }
    if (ssh_connect(session_.get()) != SSH_OK) {
      return failure("cannot open ssh to " + options_.host);
    }
    link_->interruptible(ssh_get_fd(session_.get()));
    return success();
  }

  Result<> check_host() {
    if (options_.insecure_no_host_check) {
      return success();
    }
    const std::string print = fingerprint(session_.get());
    const std::string file =
        options_.known_hosts.empty() ? "the known hosts files" : options_.known_hosts;
    if (auto trusted = check_revoked(print); !trusted) {
      return trusted;
    }
    switch (ssh_session_is_known_server(session_.get())) {
      case SSH_KNOWN_HOSTS_OK:
        return success();
      case SSH_KNOWN_HOSTS_CHANGED:
      case SSH_KNOWN_HOSTS_OTHER:
        return Error{Code::io, "host key of " + options_.host + " does not match " + file +
                                   ": it is " + print + "; nothing was sent to it"};
      case SSH_KNOWN_HOSTS_NOT_FOUND:
      case SSH_KNOWN_HOSTS_UNKNOWN:
        return Error{Code::io, "host key of " + options_.host + " is not in " + file + ": it is " +
                                   print + "; add it, or set insecure_no_host_check"};
      case SSH_KNOWN_HOSTS_ERROR:
        break;
    }
    return failure("cannot check the host key of " + options_.host);
  }

  /// In each file that the library reads, and before it says that the key is known.
  Result<> check_revoked(const std::string& print) {
    const std::string key = host_key_base64(session_.get());
    if (key.empty()) {
      return failure("cannot check the host key of " + options_.host);
    }
    for (const ssh_options_e which : {SSH_OPTIONS_KNOWNHOSTS, SSH_OPTIONS_GLOBAL_KNOWNHOSTS}) {
      const std::string file = option(which);
      if (!file.empty() && file_revokes(file, key)) {
        return Error{Code::io, "host key of " + options_.host + " is revoked in " + file +
                                   ": it is " + print + "; nothing was sent to it"};
      }
    }
    return success();
  }

  // -- authentication: each method answers whether the host let us in
  // ------------------------------

  Result<> authenticate() {
    int state = ssh_userauth_none(session_.get(), nullptr);
    for (const auto method :
         {&SshPeer::try_key_file, &SshPeer::try_agent_and_default_keys,
          &SshPeer::try_given_password, &SshPeer::try_questions, &SshPeer::try_typed_password}) {
      if (state == SSH_AUTH_SUCCESS || link_->cancelled()) {
        break;
      }
      if (ssh_is_connected(session_.get()) == 0) {
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

  /// What the library has for it; empty where that is nothing.
  [[nodiscard]] std::string option(ssh_options_e which) const {
    char* value = nullptr;
    if (ssh_options_get(session_.get(), which, &value) != SSH_OK || value == nullptr) {
      return {};
    }
    std::string out = value;
    ssh_string_free_char(value);
    return out;
  }

  [[nodiscard]] std::string user() const {
    const std::string name = option(SSH_OPTIONS_USER);
    return name.empty() ? options_.user : name;
  }

  [[nodiscard]] bool offers(int method) const {
    const int methods = ssh_userauth_list(session_.get(), nullptr);
    return methods == 0 || (methods & method) != 0;
  }

  /// Called by libssh for a key's passphrase.
  static int on_passphrase(const char* prompt, char* buffer, std::size_t size, int, int,
                           void* self) {
    auto& peer = *static_cast<SshPeer*>(self);
    std::string secret = peer.options_.passphrase;
    if (secret.empty()) {
      const std::string question = prompt == nullptr ? "Passphrase:" : prompt;
      auto typed = peer.link_->ask(question + " ", Echo::off);
      if (!typed) {
        return -1;
      }
      peer.passphrase_typed_ = true;
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

  int try_key_file() {
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
                                           &SshPeer::on_named_passphrase, this, &raw) == SSH_OK;
      if (!passphrase_typed_) {
        break;
      }
    }
    if (!opened) {
      key_problem_ = " (the key file " + options_.key_path + " could not be opened)";
      return SSH_AUTH_DENIED;
    }
    const Key key(raw);
    return ssh_userauth_publickey(session_.get(), nullptr, raw);
  }

  static int on_named_passphrase(const char*, char* buffer, std::size_t size, int echo, int verify,
                                 void* self) {
    const auto& peer = *static_cast<SshPeer*>(self);
    const std::string prompt = "Enter passphrase for key '" + peer.options_.key_path + "':";
    return on_passphrase(prompt.c_str(), buffer, size, echo, verify, self);
  }

  int try_agent_and_default_keys() {
    if (!options_.use_agent || !offers(SSH_AUTH_METHOD_PUBLICKEY)) {
      return SSH_AUTH_DENIED;
    }
    if (!options_.use_ssh_config) {
      return ssh_userauth_agent(session_.get(), nullptr);
    }
    ssh_callbacks_init(&callbacks_);
    callbacks_.userdata = this;
    callbacks_.auth_function = &SshPeer::on_passphrase;
    ssh_set_callbacks(session_.get(), &callbacks_);
    return ssh_userauth_publickey_auto(session_.get(), nullptr, nullptr);
  }

  int try_given_password() {
    if (options_.password.empty()) {
      return SSH_AUTH_DENIED;
    }
    const int state =
        offers(SSH_AUTH_METHOD_PASSWORD)
            ? ssh_userauth_password(session_.get(), nullptr, options_.password.c_str())
            : static_cast<int>(SSH_AUTH_DENIED);
    if (state == SSH_AUTH_SUCCESS || !offers(SSH_AUTH_METHOD_INTERACTIVE)) {
      return state;
    }
    return answer_questions(&options_.password);
  }

  /// Questions of the host itself are shown only where no password was given: with one, a refusal
  /// is the launch's error and nobody waits for a person.
  int try_questions() {
    if (!options_.password.empty() || !offers(SSH_AUTH_METHOD_INTERACTIVE)) {
      return SSH_AUTH_DENIED;
    }
    int state = SSH_AUTH_DENIED;
    for (int tries = 0; tries < max_password_tries && state == SSH_AUTH_DENIED; ++tries) {
      state = answer_questions(nullptr);
    }
    return state;
  }

  /// Keyboard-interactive: each question is answered with `secret`, or in the terminal.
  int answer_questions(const std::string* secret) {
    static constexpr int max_rounds = 16;
    int state = ssh_userauth_kbdint(session_.get(), nullptr, nullptr);
    for (int round = 0; state == SSH_AUTH_INFO && round < max_rounds; ++round) {
      const int count = ssh_userauth_kbdint_getnprompts(session_.get());
      for (int i = 0; i < count; ++i) {
        char echo = 0;
        const char* prompt =
            ssh_userauth_kbdint_getprompt(session_.get(), static_cast<unsigned>(i), &echo);
        std::string answer;
        if (secret != nullptr) {
          answer = *secret;
        } else if (auto typed = link_->ask(prompt == nullptr ? "? " : prompt,
                                           echo != 0 ? Echo::on : Echo::off)) {
          answer = std::move(*typed);
        } else {
          return SSH_AUTH_ERROR;
        }
        ssh_userauth_kbdint_setanswer(session_.get(), static_cast<unsigned>(i), answer.c_str());
        wipe(answer);
      }
      state = ssh_userauth_kbdint(session_.get(), nullptr, nullptr);
    }
    return state;
  }

  int try_typed_password() {
    if (!options_.password.empty() || !offers(SSH_AUTH_METHOD_PASSWORD)) {
      return SSH_AUTH_DENIED;
    }
    int state = SSH_AUTH_DENIED;
    for (int tries = 0; tries < max_password_tries && state == SSH_AUTH_DENIED; ++tries) {
      auto typed = link_->ask(user() + "@" + options_.host + "'s password: ", Echo::off);
      if (!typed) {
        return SSH_AUTH_ERROR;
      }
      state = ssh_userauth_password(session_.get(), nullptr, typed->c_str());
      wipe(*typed);
    }
    return state;
  }

  // -- the shell
  // -----------------------------------------------------------------------------------

  Result<> open_shell() {
    channel_.reset(ssh_channel_new(session_.get()));
    if (!channel_ || ssh_channel_open_session(channel_.get()) != SSH_OK) {
      return failure("ssh: no channel");
    }
    ssh_callbacks_init(&channel_callbacks_);
    channel_callbacks_.userdata = this;
    channel_callbacks_.channel_data_function = &SshPeer::on_data;
    channel_callbacks_.channel_close_function = &SshPeer::on_close;
    channel_callbacks_.channel_exit_signal_function = &SshPeer::on_exit_signal;
    channel_callbacks_.channel_exit_status_function = &SshPeer::on_exit_status;
    ssh_set_channel_callbacks(channel_.get(), &channel_callbacks_);
    const pty::WindowSize size = link_->size();
    if (ssh_channel_request_pty_size(channel_.get(), options_.term.c_str(), size.cols, size.rows) !=
        SSH_OK) {
      return failure("ssh: the host gives no terminal");
    }
    const int started = options_.command.empty()
                            ? ssh_channel_request_shell(channel_.get())
                            : ssh_channel_request_exec(channel_.get(), options_.command.c_str());
    return started == SSH_OK ? success() : Result<>(failure("ssh: the host starts no shell"));
  }

  /// Leaves the bytes to `read`.
  static int on_data(ssh_session, ssh_channel, void*, std::uint32_t, int, void* self) {
    static_cast<SshPeer*>(self)->arrived_ = true;
    return 0;
  }

  static void on_close(ssh_session, ssh_channel, void* self) {
    static_cast<SshPeer*>(self)->closed_by_host_ = true;
  }

  static void on_exit_status(ssh_session, ssh_channel, int status, void* self) {
    static_cast<SshPeer*>(self)->exit_code_ = status & 0xFF;
  }

  static void on_exit_signal(ssh_session, ssh_channel, const char* name, int, const char*,
                             const char*, void* self) {
    auto& peer = *static_cast<SshPeer*>(self);
    peer.exit_signal_ = SIGKILL;
    for (const SignalName& known : signal_names) {
      if (name != nullptr && std::strcmp(known.name, name) == 0) {
        peer.exit_signal_ = known.number;
      }
    }
  }

  SshOptions options_;
  InputEncoder encoder_{options_.charset};
  Link* link_ = nullptr;
  UniqueFd socket_;  // where the connection is ours; outlives the session
  Session session_;
  ssh_callbacks_struct callbacks_{};
  ssh_channel_callbacks_struct channel_callbacks_{};
  Channel channel_;
  std::string unsent_;
  std::size_t accepted_ = 0;
  bool arrived_ = false;  // output came since `read` began its last round
  bool closed_by_host_ = false;
  std::string key_problem_;
  bool passphrase_typed_ = false;
  std::optional<int> exit_code_;
  std::optional<int> exit_signal_;
};

}  // namespace

std::unique_ptr<Peer> make_ssh_peer(SshOptions options) {
  return std::make_unique<SshPeer>(std::move(options));
}

}  // namespace troupe::remote
