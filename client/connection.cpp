// SPDX-License-Identifier: MIT
#include "client/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "base/unique_fd.hpp"
#include "protocol/codec.hpp"
#include "protocol/features.hpp"
#include "protocol/frame_decoder.hpp"
#include "protocol/frame_encoder.hpp"

namespace troupe::client {
namespace {

constexpr std::size_t read_chunk_bytes = std::size_t{64} * 1024;
/// One `pump` takes at most this much, so that an event loop gets its turn during a flood.
constexpr std::size_t pump_budget_bytes = std::size_t{1024} * 1024;

constexpr std::chrono::milliseconds slow_after{1000};

Error connect_error(const std::string& path) {
  if (errno == ECONNREFUSED || errno == ENOENT) {
    return Error{Code::io, "the daemon is registered but nothing answers at " + path +
                               " (it was killed; start another one)"};
  }
  return Error{Code::io, "cannot connect to " + path + ": " + std::strerror(errno)};
}

std::size_t size_of(const Message& message) {
  const auto* const output = std::get_if<Output>(&message);
  return output != nullptr ? output->bytes.size() : std::get<Reply>(message).payload.size();
}

RequestNumber number_of(const std::optional<protocol::RequestId>& id) {
  const auto* const number = id ? std::get_if<std::uint64_t>(&*id) : nullptr;
  return number != nullptr ? *number : 0;
}

Error to_error(const protocol::reply::Error& error) {
  return Error{error.code.value_or(Code::internal), error.message};
}

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  constexpr long long most = 60'000;
  return static_cast<int>(std::clamp<long long>(left, 0, most));
}

}  // namespace

struct Connection::State {
  UniqueFd fd;
  registration::Registration registration;
  Mode mode = Mode::single;
  RequestNumber last = 0;
  std::string unsent;
  std::size_t sent = 0;
  protocol::FrameDecoder decoder;
  std::deque<Message> queue;
  std::size_t queued_bytes = 0;
  std::map<std::uint64_t, RequestNumber> subscriptions;  ///< by terminal id
  std::optional<Error> over;
  int interrupt_fd = -1;
  bool ignoring_output = false;
  std::function<void()> on_slow;

  /// Waits until the socket can do something.
  Result<> wait_ready(Deadline deadline);
  Result<> write_some();
  Result<> read_some();
  Result<> take_frames(std::string_view bytes);
  Result<> take_payload(std::string payload);
  void push(Message message) {
    queued_bytes += size_of(message);
    queue.push_back(std::move(message));
  }
  Result<> fail(Error error) {
    over = error;
    return error;
  }
};

Result<Connection> Connection::open(const registration::Registration& registration) {
  auto state = std::make_unique<State>();
  state->registration = registration;
  const auto& features = registration.features;
  const bool many = std::find(features.begin(), features.end(),
                              std::string(protocol::feature::request_id)) != features.end();
  state->mode = many ? Mode::multiplexed : Mode::single;

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (registration.socket.size() >= sizeof address.sun_path) {
    return Error{Code::bad_request, "the socket path is too long: " + registration.socket};
  }
  std::memcpy(address.sun_path, registration.socket.data(), registration.socket.size());
  state->fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!state->fd || ::connect(state->fd.get(), reinterpret_cast<const sockaddr*>(&address),
                              sizeof address) != 0) {
    return connect_error(registration.socket);
  }
  ::fcntl(state->fd.get(), F_SETFL, O_NONBLOCK);
  return Connection{std::move(state)};
}

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connection::Connection(Connection&& other) noexcept = default;
Connection& Connection::operator=(Connection&& other) noexcept = default;
Connection::~Connection() = default;

Mode Connection::mode() const {
  return state_->mode;
}

bool Connection::has(std::string_view feature) const {
  const auto& features = state_->registration.features;
  return std::find(features.begin(), features.end(), feature) != features.end();
}

int Connection::fd() const {
  return state_->fd.get();
}

bool Connection::wants_write() const {
  return state_->sent < state_->unsent.size();
}

Result<RequestNumber> Connection::send(const protocol::Request& request) {
  State& state = *state_;
  if (state.mode == Mode::single && state.last > 0) {
    return Error{Code::limit, "this daemon takes one request a connection"};
  }
  if (state.over) {
    return *state.over;
  }
  const RequestNumber number = state.last + 1;
  std::optional<std::string> token;
  if (number == 1) {
    token = state.registration.token;
  }
  std::optional<protocol::RequestId> id;
  if (state.mode == Mode::multiplexed) {
    id = protocol::RequestId{number};
  }
  const std::string payload = protocol::encode_request(token, id, request);
  if (payload.size() > protocol::max_frame_bytes) {
    return Error{Code::too_large, "the request is larger than a frame"};
  }
  if (state.unsent.size() - state.sent > max_queued_bytes) {
    return Error{Code::limit, "the daemon does not take its input"};
  }
  state.last = number;
  if (const auto* const subscribe = std::get_if<protocol::request::Subscribe>(&request)) {
    state.subscriptions[subscribe->id.value] = number;
  }
  state.unsent += protocol::control_frame(payload);
  return number;
}

Result<> Connection::State::write_some() {
  while (sent < unsent.size()) {
    const ssize_t count =
        ::send(fd.get(), unsent.data() + sent, unsent.size() - sent, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      if (errno == EAGAIN) {
        return success();
      }
      // The daemon may have answered and closed: what it said is read first.
      unsent.clear();
      sent = 0;
      return success();
    }
    sent += static_cast<std::size_t>(count);
  }
  unsent.clear();
  sent = 0;
  return success();
}

Result<> Connection::State::take_payload(std::string payload) {
  if (protocol::is_output(payload)) {
    const Result<protocol::OutputView> view = protocol::parse_output(payload);
    if (!view) {
      return fail(view.error());
    }
    Output output{mode == Mode::single ? 1U : 0U, view->start, view->end, std::string(view->bytes)};
    if (view->terminal) {
      const auto found = subscriptions.find(view->terminal->value);
      output.request = found == subscriptions.end() ? 0 : found->second;
    }
    if (!ignoring_output) {
      push(std::move(output));
    }
    return success();
  }
  Result<protocol::ServerMessage> message = protocol::decode_response(payload);
  if (!message) {
    return fail(Error{Code::io, "the daemon sent something that is no reply"});
  }
  const RequestNumber number = mode == Mode::single ? 1 : number_of(message->request_id);
  push(Reply{number, std::move(message->response), std::move(payload)});
  return success();
}

Result<> Connection::State::take_frames(std::string_view bytes) {
  while (true) {
    const std::size_t taken = decoder.feed(bytes);
    bytes.remove_prefix(taken);
    if (decoder.fault() != protocol::FrameFault::none) {
      return fail(Error{Code::io, "the daemon does not speak protocol 7"});
    }
    std::optional<std::string> payload = decoder.next();
    if (payload) {
      const Result<> result = take_payload(std::move(*payload));
      if (!result) {
        return result;
      }
    } else if (bytes.empty()) {
      return success();
    }
  }
}

Result<> Connection::State::read_some() {
  std::array<char, read_chunk_bytes> chunk;
  std::size_t budget = pump_budget_bytes;
  while (budget > 0) {
    if (queued_bytes > max_queued_bytes) {
      return Error{Code::limit, "messages are not taken fast enough"};
    }
    const ssize_t count = ::recv(fd.get(), chunk.data(), chunk.size(), 0);
    if (count > 0) {
      const auto size = static_cast<std::size_t>(count);
      budget -= std::min(budget, size);
      const Result<> result = take_frames({chunk.data(), size});
      if (!result) {
        return result;
      }
      continue;
    }
    if (count == 0) {
      return fail(Error{Code::io, "the daemon closed the connection"});
    }
    if (errno == EINTR) {
      continue;
    }
    if (errno == EAGAIN) {
      return success();
    }
    return fail(Error{Code::io, std::string("the connection is lost: ") + std::strerror(errno)});
  }
  return success();
}

Result<> Connection::State::wait_ready(Deadline deadline) {
  const int wait_ms = milliseconds_until(deadline);
  if (wait_ms == 0) {
    return Error{Code::timeout, "the daemon did not answer in time"};
  }
  const auto events = static_cast<short>(sent < unsent.size() ? POLLIN | POLLOUT : POLLIN);
  std::array<pollfd, 2> fds{pollfd{fd.get(), events, 0}, pollfd{interrupt_fd, POLLIN, 0}};
  ::poll(fds.data(), fds.size(), wait_ms);
  if (fds[1].revents != 0) {
    return Error{Code::cancelled, "interrupted"};
  }
  return success();
}

void Connection::on_slow(std::function<void()> hook) {
  state_->on_slow = std::move(hook);
}

void Connection::ignore_output() {
  state_->ignoring_output = true;
}

void Connection::interrupt_on(int fd) {
  state_->interrupt_fd = fd;
}

Result<> Connection::flush() {
  return state_->over ? Result<>{*state_->over} : state_->write_some();
}

Result<> Connection::pump() {
  if (state_->over) {
    return *state_->over;
  }
  const Result<> written = state_->write_some();
  return written ? state_->read_some() : written;
}

std::optional<Message> Connection::next() {
  State& state = *state_;
  if (state.queue.empty()) {
    return std::nullopt;
  }
  Message message = std::move(state.queue.front());
  state.queue.pop_front();
  state.queued_bytes -= size_of(message);
  return message;
}

Result<Message> Connection::wait_next(Deadline deadline) {
  while (true) {
    if (std::optional<Message> message = next()) {
      return std::move(*message);
    }
    const Result<> pumped = pump();
    if (!state_->queue.empty()) {
      continue;
    }
    if (!pumped) {
      return pumped.error();
    }
    if (const Result<> ready = state_->wait_ready(deadline); !ready) {
      return ready.error();
    }
  }
}

Result<Reply> Connection::await(RequestNumber request, Deadline deadline) {
  State& state = *state_;
  const Deadline slow = after(slow_after);
  bool told = !state.on_slow;
  while (true) {
    const auto found =
        std::find_if(state.queue.begin(), state.queue.end(), [request](const Message& message) {
          const auto* const reply = std::get_if<Reply>(&message);
          return reply != nullptr && (reply->request == request || reply->request == 0);
        });
    if (found != state.queue.end()) {
      Reply reply = std::move(std::get<Reply>(*found));
      state.queued_bytes -= reply.payload.size();
      state.queue.erase(found);
      if (const auto* const error = std::get_if<protocol::reply::Error>(&reply.response)) {
        return to_error(*error);
      }
      return reply;
    }
    const std::size_t before = state.queue.size();
    const Result<> pumped = pump();
    if (state.queue.size() != before) {
      continue;
    }
    if (!pumped) {
      return pumped.error();
    }
    if (!told && Clock::now() >= slow) {
      state.on_slow();
      told = true;
    }
    const Result<> ready = state.wait_ready(told ? deadline : std::min(slow, deadline));
    if (!ready && (told || ready.error().code != Code::timeout || slow >= deadline)) {
      (void)cancel(request);
      return ready.error();
    }
  }
}

Result<Reply> Connection::call(const protocol::Request& request, Deadline deadline) {
  const Result<RequestNumber> number = send(request);
  return number ? await(*number, deadline) : Result<Reply>{number.error()};
}

Result<> Connection::cancel(RequestNumber request) {
  if (state_->mode == Mode::single) {
    return Error{Code::unsupported, "this daemon cannot cancel; close the connection"};
  }
  const Result<RequestNumber> number =
      send(protocol::request::Cancel{protocol::RequestId{request}});
  if (!number) {
    return number.error();
  }
  return pump();
}

}  // namespace troupe::client
