// SPDX-License-Identifier: MIT
#include "actors/session_sink.hpp"

#include <caf/send.hpp>
#include <utility>
#include <variant>

#include "actors/light_turns.hpp"
#include "actors/messages.hpp"

namespace troupe::actors {
namespace {

class ActorSink final : public SessionSink {
 public:
  explicit ActorSink(caf::actor session) : session_(std::move(session)) {}

  void reply(RequestKey key, protocol::Response response) override {
    const bool small = std::holds_alternative<protocol::reply::Ok>(response) ||
                       std::holds_alternative<protocol::reply::Error>(response);
    tell(session_, small ? Weight::light : Weight::heavy, Answer{key, std::move(response)});
  }
  void output(SubscriberId subscriber, const OutputBatch& batch) override {
    tell(session_, weight_of_bytes(batch.bytes.size()),
         SubscriptionOutput{subscriber, batch.start, batch.bytes});
  }
  void event(SubscriberId subscriber, std::size_t cost, const SharedResponse& event) override {
    caf::anon_send(session_, SubscriptionEvent{subscriber, cost, event});
  }
  void ended(SubscriberId subscriber, protocol::EndReason reason, StreamOffset offset) override {
    caf::anon_send(session_, SubscriptionEnded{subscriber, reason, offset});
  }

 private:
  caf::actor session_;
};

}  // namespace

std::shared_ptr<SessionSink> make_session_sink(caf::actor session) {
  return std::make_shared<ActorSink>(std::move(session));
}

}  // namespace troupe::actors
