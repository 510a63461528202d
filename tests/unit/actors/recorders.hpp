// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Recording implementations of the cores' ports: what a core did to the world, as data.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/decisions/response_cost.hpp"
#include "actors/terminal_core.hpp"

namespace troupe::actors::testing {

/// A session that keeps everything, as text: "output 5 hi", "reply 7 ok", "event resized".
class RecordingSession final : public SessionSink {
 public:
  void reply(RequestKey key, protocol::Response response) override {
    log.push_back("reply " + std::to_string(key) + " " +
                  std::string{protocol::type_name(response)});
    replies.emplace_back(key, std::move(response));
  }
  void output(SubscriberId subscriber, const OutputBatch& batch) override {
    log.push_back("output " + std::to_string(batch.start) + " " +
                  std::string{batch.bytes.view().substr(0, 40)});
    unacknowledged[subscriber] += output_cost(batch.bytes.size());
    bytes[subscriber] += batch.bytes.view();
  }
  void event(SubscriberId subscriber, std::size_t cost, const SharedResponse& event) override {
    log.push_back("event " + std::string{protocol::type_name(*event)});
    unacknowledged[subscriber] += cost;
    events.push_back(event);
  }
  void ended(SubscriberId subscriber, protocol::EndReason reason, StreamOffset offset) override {
    log.push_back("ended " + std::string{protocol::to_text(reason)} + " " + std::to_string(offset));
    over.push_back(subscriber);
  }

  /// The reply to `key`, as its type; fails the test by a null where there is none.
  template <class Reply>
  [[nodiscard]] const Reply* find(RequestKey key) const {
    for (const auto& [k, response] : replies) {
      if (k == key) {
        return std::get_if<Reply>(&response);
      }
    }
    return nullptr;
  }

  std::vector<std::string> log;
  std::vector<std::pair<RequestKey, protocol::Response>> replies;
  std::vector<SharedResponse> events;
  std::map<SubscriberId, std::size_t> unacknowledged;
  std::map<SubscriberId, std::string> bytes;
  std::vector<SubscriberId> over;
};

struct ChannelRecord {
  std::size_t credit = 0;
  std::string written;
  std::vector<pty::WriteId> ids;
  std::vector<std::uint64_t> notes;
  std::vector<pty::WindowSize> sizes;
  std::vector<int> signals;
  int terminations = 0;
  int holder_walks = 0;
  int ended_streams = 0;
  std::vector<int> looks;
  std::vector<Launch> reopened;
};

class RecordingChannel final : public ChannelPort {
 public:
  explicit RecordingChannel(ChannelRecord& record) : record_(record) {}
  void consumed(std::size_t chunks) override { record_.credit += chunks; }
  void write(std::string bytes, pty::WriteId id, std::uint64_t note) override {
    record_.written += bytes;
    record_.notes.push_back(note);
    record_.ids.push_back(id);
  }
  void resize(pty::WindowSize size) override { record_.sizes.push_back(size); }
  void end_stream() override { ++record_.ended_streams; }
  void signal(int number, pty::SignalTarget /*target*/, std::uint64_t /*token*/) override {
    record_.signals.push_back(number);
  }
  void terminate() override { ++record_.terminations; }
  void holders() override { ++record_.holder_walks; }
  void look(int leader_pid) override { record_.looks.push_back(leader_pid); }
  void reopen(Launch launch) override { record_.reopened.push_back(std::move(launch)); }

 private:
  ChannelRecord& record_;
};

/// A recording that keeps its rows as text: "output 0 hi", "input ls", "masked".
class RecordingRows final : public RecordingPort {
 public:
  explicit RecordingRows(std::vector<std::string>& rows) : rows_(rows) {}
  void begin() override { rows_.emplace_back("begin"); }
  void output(StreamOffset offset, const SharedBytes& bytes) override {
    rows_.push_back("output " + std::to_string(offset) + " " + std::string{bytes.view()});
  }
  void input(std::string keys) override { rows_.push_back("input " + keys); }
  void masked_input() override { rows_.emplace_back("masked"); }
  void resize(pty::WindowSize size) override {
    rows_.push_back("resize " + std::to_string(size.cols) + "x" + std::to_string(size.rows));
  }
  void error(const std::string& message) override { rows_.push_back("error " + message); }
  void stop(recording::StopInfo info) override {
    rows_.push_back("stop " + info.reason + " " +
                    (info.exit_code ? std::to_string(*info.exit_code) : "-"));
  }
  [[nodiscard]] std::uint64_t event_count() const override { return rows_.size(); }

 private:
  std::vector<std::string>& rows_;
};

struct BoardRecord {
  protocol::TerminalInfo info;
  std::size_t retained_bytes = 0;
  std::size_t waits = 0;
  std::size_t lag_bytes = 0;
  std::size_t worst_lag_bytes = 0;
  int exits = 0;
  int restarts = 0;
  int changes = 0;
  int gone = 0;
  std::map<SubscriberId, std::string> agents;
};

class RecordingBoard final : public TerminalBoard {
 public:
  explicit RecordingBoard(BoardRecord& record) : record_(record) {}
  void publish(const protocol::TerminalInfo& info) override { record_.info = info; }
  void moved(StreamOffset head, StreamOffset tail) override {
    record_.info.output_head = head;
    record_.info.output_tail = tail;
  }
  void measured(std::size_t retained_bytes, std::size_t waits) override {
    record_.retained_bytes = retained_bytes;
    record_.waits = waits;
  }
  void lagging(std::size_t total_bytes, std::size_t worst_bytes) override {
    record_.lag_bytes = total_bytes;
    record_.worst_lag_bytes = worst_bytes;
  }
  void exited(std::size_t /*retained_bytes*/) override { ++record_.exits; }
  void restarted() override { ++record_.restarts; }
  void changed() override { ++record_.changes; }
  void gone(const std::vector<std::int32_t>& /*survivors*/) override { ++record_.gone; }
  void agent(SubscriberId subscriber, std::string path) override {
    if (path.empty()) {
      record_.agents.erase(subscriber);
    } else {
      record_.agents[subscriber] = std::move(path);
    }
  }

 private:
  BoardRecord& record_;
};

/// What a service reported; bytes are summed up, the rest is text: "closed 0 2".
class RecordingTelemetry final : public telemetry::Port {
 public:
  void launched(telemetry::Connector c) override { note("launched", c); }
  void launch_failed(telemetry::Connector c) override { note("launch_failed", c); }
  void closed(telemetry::Connector c, telemetry::CloseCause cause) override {
    note("closed", c, cause);
  }
  void program_ended(telemetry::Connector c, telemetry::ProgramEnd end) override {
    note("program_ended", c, end);
  }
  void output(telemetry::Connector, std::size_t bytes) override { output_bytes += bytes; }
  void input(telemetry::Connector, std::size_t bytes) override { input_bytes += bytes; }
  void subscription_ended(telemetry::SubscriptionEnd end) override {
    note("subscription_ended", end);
  }
  void output_lost(std::uint64_t bytes) override { lost_bytes += bytes; }
  void wait_ended(telemetry::WaitKind kind, telemetry::WaitEnd end) override {
    note("wait_ended", kind, end);
  }
  void command_started() override { log.emplace_back("command_started"); }
  void command_finished() override { log.emplace_back("command_finished"); }
  void recording_ended(const telemetry::RecordingEnd& end) override {
    log.push_back((end.failed ? "recording_failed " : "recording_ended ") +
                  std::to_string(end.dropped_rows));
  }
  void span(const telemetry::Span& span) override { spans.push_back(span); }
  [[nodiscard]] bool wants_spans() const override { return spans_wanted; }

  std::vector<std::string> log;
  std::vector<telemetry::Span> spans;
  std::size_t output_bytes = 0;
  std::size_t input_bytes = 0;
  std::uint64_t lost_bytes = 0;
  bool spans_wanted = true;

 private:
  template <class... Words>
  void note(std::string what, Words... words) {
    ((what += " " + std::to_string(static_cast<int>(words))), ...);
    log.push_back(std::move(what));
  }
};

inline protocol::request::Write write_of(std::string data,
                                         std::optional<std::string> attachment = {}) {
  protocol::request::Write r;
  r.data = std::move(data);
  r.attachment_id = std::move(attachment);
  return r;
}

/// A terminal core on recorders, with a clock that only the test moves.
class CoreFixture {
 public:
  explicit CoreFixture(std::optional<std::int64_t> drain_ms = {}, Launch launch = {},
                       std::shared_ptr<const recording::PromptMatcher> prompts =
                           std::make_shared<const recording::PromptMatcher>()) {
    TerminalConfig config;
    config.info.id = {77};
    config.info.title = config.options.title = "initial";
    config.info.cols = 80;
    config.info.rows = 24;
    config.info.pid = 1234;
    config.drain_ms = drain_ms;
    config.recording_settings.directory = "/recordings";
    config.recording_settings.prompts = std::move(prompts);
    config.launch = std::move(launch);
    config.secrets = take_secrets(config.launch);
    config.had_secrets = !config.secrets.empty();
    core = std::make_unique<TerminalCore>(
        std::move(config),
        TerminalPorts{std::make_unique<RecordingChannel>(channel),
                      std::make_unique<RecordingBoard>(board), [] { return std::string{"n2"}; },
                      [this](recording::RecorderSpec spec) {
                        specs.push_back(std::move(spec));
                        return std::make_unique<RecordingRows>(rows);
                      },
                      &telemetry});
  }

  void output(std::string bytes) {
    core->on_channel(pty::Data{std::move(bytes)}, now);
    while (core->wants_resume()) {
      core->resume(now);
    }
  }
  void news(pty::ChannelEvent event) { core->on_channel(std::move(event), now); }
  RequestKey ask(protocol::Request request, SubscriptionKeys keys = {}) {
    core->request({session, ++last_key}, std::move(request), keys, now);
    return last_key;
  }
  RequestKey subscribe(SubscriberId id, const std::string& attachment,
                       protocol::Role role = protocol::Role::observer) {
    protocol::request::Subscribe request;
    request.id = {77};
    request.attachment_id = attachment;
    request.role = role;
    return ask(request, {id, 0});
  }
  void advance_us(std::int64_t us) {
    now.steady_us += us;
    now.wall_ms += us / 1000;
  }
  /// The socket of a subscriber took everything.
  void drain(SubscriberId id) {
    core->acknowledge(id, std::exchange(session->unacknowledged[id], 0), now);
  }

  Moment now{1'700'000'000'000, 1'000'000};
  ChannelRecord channel;
  BoardRecord board;
  std::vector<std::string> rows;
  std::vector<recording::RecorderSpec> specs;
  RecordingTelemetry telemetry;
  std::shared_ptr<RecordingSession> session = std::make_shared<RecordingSession>();
  std::unique_ptr<TerminalCore> core;
  RequestKey last_key = 0;
};

}  // namespace troupe::actors::testing
