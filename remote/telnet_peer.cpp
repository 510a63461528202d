// SPDX-License-Identifier: MIT
#include "remote/telnet_peer.hpp"

#include <libtelnet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "remote/tcp_connect.hpp"

namespace troupe::remote {
namespace {

constexpr std::size_t max_subnegotiation_bytes = 256 * 1024;
/// Of one, what libtelnet sees: less than the 16 KiB that it holds. None that is understood is
/// longer.
constexpr std::size_t kept_subnegotiation_bytes = 8 * 1024;

/// Answers to a peer that does not read them.
constexpr std::size_t max_unsent_bytes = 1024 * 1024;

/// The first name serves ANSI art systems, the second modern hosts; the last is repeated to say
/// that there are no more (RFC 1091), then the list starts again.
constexpr std::array<const char*, 3> terminal_types = {"ANSI", "xterm-256color", "xterm-256color"};

constexpr std::array<telnet_telopt_t, 6> options_table = {{
    {TELNET_TELOPT_BINARY, TELNET_WILL, TELNET_DO},
    {TELNET_TELOPT_SGA, TELNET_WILL, TELNET_DO},
    {TELNET_TELOPT_ECHO, TELNET_WONT, TELNET_DO},
    {TELNET_TELOPT_NAWS, TELNET_WILL, TELNET_DONT},
    {TELNET_TELOPT_TTYPE, TELNET_WILL, TELNET_DONT},
    {-1, 0, 0},
}};

/// Keeps the surplus of a long subnegotiation from libtelnet, which would take what does not fit
/// its own bound for text, and tells when one has no end.
class SubnegotiationFilter {
 public:
  /// Appends what libtelnet may see; false once an unfinished one is over the bound.
  bool feed(std::string_view bytes, std::string& out) {
    for (const char c : bytes) {
      step(c, out);
      if (inside_ && length_ > max_subnegotiation_bytes) {
        return false;
      }
    }
    return true;
  }

 private:
  void step(char c, std::string& out) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_command = std::exchange(iac_, byte == TELNET_IAC && !iac_) && byte != TELNET_IAC;
    length_ += inside_ ? 1 : 0;
    if (!dropping_) {
      out.push_back(c);
    } else if (is_command && byte == TELNET_SE) {
      out += {static_cast<char>(TELNET_IAC), c};
    }
    if (is_command && byte == TELNET_SB && !inside_) {
      inside_ = true;
      length_ = 0;
    } else if (is_command && byte == TELNET_SE) {
      inside_ = dropping_ = false;
    }
    // Not between the two bytes of a command or of a doubled IAC.
    dropping_ = dropping_ || (inside_ && !iac_ && length_ >= kept_subnegotiation_bytes);
  }

  bool iac_ = false;
  bool inside_ = false;
  bool dropping_ = false;
  std::size_t length_ = 0;
};

}  // namespace

struct TelnetSession::State {
  State(Charset set, pty::WindowSize window)
      : charset(set),
        encoder(set),
        size(window),
        telnet(telnet_init(options_table.data(), &State::on_event, 0, this)) {}
  ~State() { telnet_free(telnet); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static void on_event(telnet_t*, telnet_event_t* event, void* self) {
    static_cast<State*>(self)->handle(*event);
  }

  void handle(const telnet_event_t& event) {
    switch (event.type) {
      case TELNET_EV_DATA:
        accept(std::string_view(event.data.buffer, event.data.size));
        break;
      case TELNET_EV_SEND:
        outgoing.append(event.data.buffer, event.data.size);
        break;
      case TELNET_EV_DO:
        agreed(event.neg.telopt, true);
        break;
      case TELNET_EV_DONT:
        agreed(event.neg.telopt, false);
        break;
      case TELNET_EV_TTYPE:
        if (event.ttype.cmd == TELNET_TTYPE_SEND) {
          send_type();
        }
        break;
      case TELNET_EV_ERROR:
        failure = event.error.msg == nullptr ? "protocol error" : event.error.msg;
        break;
      default:
        break;
    }
  }

  void agreed(unsigned char option, bool on) {
    if (option == TELNET_TELOPT_NAWS) {
      naws = on;
      send_size();
    } else if (option == TELNET_TELOPT_BINARY) {
      binary = on;
    }
  }

  void send_type() {
    telnet_ttype_is(telnet, terminal_types.at(next_type));
    next_type = (next_type + 1) % terminal_types.size();
  }

  void send_size() {
    if (!naws) {
      return;
    }
    const std::array<char, 4> body = {
        static_cast<char>(size.cols >> 8U), static_cast<char>(size.cols & 0xFFU),
        static_cast<char>(size.rows >> 8U), static_cast<char>(size.rows & 0xFFU)};
    telnet_begin_sb(telnet, TELNET_TELOPT_NAWS);
    telnet_send(telnet, body.data(), body.size());
    telnet_finish_sb(telnet);
  }

  /// NVT rule: CR NUL is a bare CR, in either direction, unless the peer sends BINARY. A host that
  /// does sends a NUL only by intent, which a terminal ignores too: so NUL after CR always goes.
  void accept(std::string_view bytes) {
    for (const char c : bytes) {
      if (!(c == '\0' && after_cr)) {
        incoming.push_back(c);
      }
      after_cr = c == '\r';
    }
  }

  Charset charset;
  InputEncoder encoder;
  pty::WindowSize size;
  std::string incoming;
  std::string outgoing;
  std::string failure;
  SubnegotiationFilter filter;
  std::size_t next_type = 0;
  bool naws = false;
  bool binary = false;
  bool after_cr = false;
  telnet_t* telnet;
};

TelnetSession::TelnetSession(Charset charset, pty::WindowSize size)
    : state_(std::make_unique<State>(charset, size)) {}
TelnetSession::~TelnetSession() = default;

void TelnetSession::start() {
  telnet_negotiate(state_->telnet, TELNET_WILL, TELNET_TELOPT_BINARY);
  telnet_negotiate(state_->telnet, TELNET_WILL, TELNET_TELOPT_SGA);
}

Result<std::string> TelnetSession::receive(std::string_view bytes) {
  std::string passed;
  passed.reserve(bytes.size());
  if (!state_->filter.feed(bytes, passed)) {
    return Error{Code::too_large, "telnet subnegotiation of over 262144 bytes without an end"};
  }
  telnet_recv(state_->telnet, passed.data(), passed.size());
  if (!state_->failure.empty()) {
    return Error{Code::io, "telnet: " + state_->failure};
  }
  return decode_output(state_->charset, std::exchange(state_->incoming, {}));
}

void TelnetSession::type(std::string_view text) {
  std::string bytes = state_->encoder.encode(text);
  std::replace(bytes.begin(), bytes.end(), '\x7F', '\b');
  if (state_->binary) {
    telnet_send(state_->telnet, bytes.data(), bytes.size());
    return;
  }
  std::string nvt;
  nvt.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    nvt.push_back(bytes[i]);
    if (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')) {
      nvt.push_back('\0');
    }
  }
  telnet_send(state_->telnet, nvt.data(), nvt.size());
}

void TelnetSession::resize(pty::WindowSize size) {
  if (!(state_->size == size)) {
    state_->size = size;
    state_->send_size();
  }
}

void TelnetSession::interrupt() {
  telnet_iac(state_->telnet, TELNET_IP);
}

void TelnetSession::keep_alive() {
  telnet_iac(state_->telnet, TELNET_NOP);
}

std::string TelnetSession::take_output() {
  return std::exchange(state_->outgoing, {});
}

namespace {

class TelnetPeer final : public Peer {
 public:
  explicit TelnetPeer(TelnetOptions options) : options_(std::move(options)) {}

  Result<> open(Link& link) override {
    auto socket = tcp_connect(options_.host, options_.port,
                              std::chrono::seconds(options_.connect_timeout_s), link);
    if (!socket) {
      return socket.error();
    }
    socket_ = std::move(*socket);
    link.interruptible(socket_.get());
    session_ = std::make_unique<TelnetSession>(options_.charset, link.size());
    session_->start();
    return flush();
  }

  [[nodiscard]] int socket() const override { return socket_.get(); }
  [[nodiscard]] bool wants_write() const override { return !unsent_.empty(); }

  Result<ReadOutcome> read() override {
    while (true) {
      if (auto sent = flush(); !sent) {
        return sent.error();
      }
      std::array<char, 16 * 1024> buffer;
      const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got == 0) {
        return ReadOutcome{{}, true};
      }
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return ReadOutcome{};
      }
      if (got < 0) {
        return Error{Code::io, "telnet: " + std::generic_category().message(errno)};
      }
      auto text = session_->receive({buffer.data(), static_cast<std::size_t>(got)});
      if (!text) {
        return text.error();
      }
      if (!text->empty()) {
        return ReadOutcome{std::move(*text), false};
      }
      if (unsent_.size() > max_unsent_bytes) {
        return Error{Code::limit, "telnet: the host asks without reading the answers"};
      }
    }
  }

  Result<std::size_t> write(std::string_view text) override {
    if (auto sent = flush(); !sent) {
      return sent.error();
    }
    if (!unsent_.empty()) {
      return std::size_t{0};
    }
    session_->type(text);
    if (auto sent = flush(); !sent) {
      return sent.error();
    }
    return text.size();
  }

  void resize(pty::WindowSize size) override {
    session_->resize(size);
    [[maybe_unused]] const auto sent = flush();  // a failure shows at the next read
  }

  Result<> signal(int number) override {
    static constexpr int interrupt = 2;
    if (number != interrupt) {
      return Error{Code::unsupported, "telnet can only interrupt (signal 2)"};
    }
    session_->interrupt();
    return flush();
  }

  [[nodiscard]] std::chrono::milliseconds keepalive() const override {
    return std::chrono::minutes(1);
  }
  Result<> keep_alive() override {
    session_->keep_alive();
    return flush();
  }
  [[nodiscard]] pty::ExitStatus exit_status() const override { return {}; }
  void close() override { socket_.reset(); }

 private:
  Result<> flush() {
    unsent_ += session_->take_output();
    while (!unsent_.empty()) {
      const ssize_t sent = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (sent < 0) {
        return errno == EAGAIN || errno == EINTR
                   ? success()
                   : Result<>(Error{Code::io, "telnet: " + std::generic_category().message(errno)});
      }
      unsent_.erase(0, static_cast<std::size_t>(sent));
    }
    return success();
  }

  TelnetOptions options_;
  UniqueFd socket_;
  std::unique_ptr<TelnetSession> session_;
  std::string unsent_;
};

}  // namespace

std::unique_ptr<Peer> make_telnet_peer(TelnetOptions options) {
  return std::make_unique<TelnetPeer>(std::move(options));
}

}  // namespace troupe::remote
