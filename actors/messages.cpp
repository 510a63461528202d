// SPDX-License-Identifier: MIT
#include "actors/messages.hpp"

namespace troupe::actors {

std::string request_text(const protocol::Request& request) {
  return protocol::encode_request(std::string{}, {}, request);
}

protocol::Request request_from(const std::string& text) {
  protocol::Incoming incoming = protocol::decode_request(text);
  auto* const request = std::get_if<protocol::Request>(&incoming.outcome);
  return request != nullptr ? std::move(*request) : protocol::Request{};
}

std::string response_text(const protocol::Response& response) {
  return protocol::encode_response(response);
}

protocol::Response response_from(const std::string& text) {
  Result<protocol::ServerMessage> message = protocol::decode_response(text);
  return message ? std::move(message->response)
                 : protocol::Response{protocol::reply::Error{message.error()}};
}

}  // namespace troupe::actors
