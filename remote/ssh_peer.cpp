// SPDX-License-Identifier: MIT
#include "remote/ssh_peer.hpp"

#include <libssh/callbacks.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/secret.hpp"
#include "base/unique_fd.hpp"
#include "remote/ssh_host_key.hpp"
#include "remote/ssh_library.hpp"
#include "remote/ssh_login.hpp"
#include "remote/tcp_connect.hpp"

namespace troupe::remote {
namespace {

struct SignalName {
  int number;
  const char* name;
};
// RFC 4254 6.10 names these and no others.
constexpr std::array<SignalName, 13> signal_names = {{{SIGHUP, "HUP"},
                                                      {SIGINT, "INT"},
                                                      {SIGQUIT, "QUIT"},
                                                      {SIGILL, "ILL"},
                                                      {SIGABRT, "ABRT"},
                                                      {SIGFPE, "FPE"},
                                                      {SIGKILL, "KILL"},
                                                      {SIGSEGV, "SEGV"},
                                                      {SIGPIPE, "PIPE"},
                                                      {SIGALRM, "ALRM"},
                                                      {SIGTERM, "TERM"},
                                                      {SIGUSR1, "USR1"},
                                                      {SIGUSR2, "USR2"}}};

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
  [[nodiscard]] Error failure(const std::string& what) const {
    return ssh_failure(session_.get(), what);
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

  Result<> check_host() { return check_host_key(session_.get(), options_); }

  Result<> authenticate() {
    login_ = std::make_unique<SshLogin>(session_.get(), options_);
    return login_->run(*link_);
  }

  // -- the shell ----------------------------------------------------------------------------------

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
  std::unique_ptr<SshLogin> login_;
  SshSession session_;
  ssh_channel_callbacks_struct channel_callbacks_{};
  SshChannel channel_;
  std::string unsent_;
  std::size_t accepted_ = 0;
  bool arrived_ = false;  // output came since `read` began its last round
  bool closed_by_host_ = false;
  std::optional<int> exit_code_;
  std::optional<int> exit_signal_;
};

}  // namespace

std::unique_ptr<Peer> make_ssh_peer(SshOptions options) {
  return std::make_unique<SshPeer>(std::move(options));
}

}  // namespace troupe::remote
