// SPDX-License-Identifier: MIT
#include "bench/load/connection.hpp"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstring>

#include "bench/load/failure.hpp"
#include "bench/load/rendezvous.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t header_bytes = 4;
constexpr std::size_t output_header_bytes = 1 + 8 + 8;
constexpr std::size_t mux_output_header_bytes = 1 + 8 + 8 + 8;
constexpr std::size_t receive_bytes = 256 * 1024;
constexpr timeval read_deadline{60, 0};

std::string framed(std::string_view payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>((size >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return frame.append(payload);
}

}  // namespace

std::string_view Frame::output() const {
  const std::size_t header = payload_[0] == 0 ? output_header_bytes : mux_output_header_bytes;
  return std::string_view(payload_).substr(std::min(header, payload_.size()));
}

Connection::Connection(const Endpoint& endpoint)
    : token_(endpoint.token),
      fd_(connect_unix(endpoint.socket)),
      buffer_(new char[receive_bytes]) {  // not make_unique: it clears
  if (::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &read_deadline, sizeof(read_deadline)) !=
      0) {
    throw_errno("setsockopt");
  }
}

void Connection::send(std::string_view request, std::string_view request_id) {
  std::string envelope = "{\"token\":\"" + token_ + "\",";
  if (!request_id.empty()) {
    envelope.append("\"request_id\":\"").append(request_id).append("\",");
  }
  envelope.append("\"request\":{").append(request).append("}}");
  const std::string frame = framed(envelope);
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t count = ::send(fd_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (count < 0) {
      throw_errno("send");
    }
    sent += static_cast<std::size_t>(count);
  }
}

void Connection::read_exactly(char* into, std::size_t bytes) {
  while (bytes > 0) {
    if (consumed_ == received_) {
      const ssize_t got = ::recv(fd_.get(), buffer_.get(), receive_bytes, 0);
      consumed_ = 0;
      received_ = got > 0 ? static_cast<std::size_t>(got) : 0;
      if (got < 0) {
        throw_errno("recv");
      }
      if (got == 0) {
        throw Failure("the daemon closed the connection");
      }
    }
    const std::size_t part = std::min(bytes, received_ - consumed_);
    std::memcpy(into, buffer_.get() + consumed_, part);
    consumed_ += part;
    into += part;
    bytes -= part;
  }
}

Frame Connection::read() {
  unsigned char header[header_bytes];
  read_exactly(reinterpret_cast<char*>(header), header_bytes);
  std::size_t size = 0;
  for (const unsigned char byte : header) {
    size = size << 8 | byte;
  }
  std::string payload(size, '\0');
  read_exactly(payload.data(), size);
  return Frame(std::move(payload));
}

}  // namespace troupe::bench
