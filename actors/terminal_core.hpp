// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One terminal as the service sees it: the value (screen, log, journal), its subscribers, its
/// channel and its life. The terminal actor forwards each message to one member of this class, so
/// the whole behaviour is tested without CAF, threads or file descriptors.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "actors/decisions/frame_watch.hpp"
#include "actors/decisions/look_schedule.hpp"
#include "actors/decisions/moment.hpp"
#include "actors/decisions/output_coalescer.hpp"
#include "actors/decisions/subscriber_set.hpp"
#include "actors/decisions/turn_slice.hpp"
#include "actors/ports.hpp"
#include "actors/recording_plan.hpp"
#include "actors/timed_replies.hpp"
#include "base/secret.hpp"
#include "protocol/requests.hpp"
#include "protocol/terminal_info.hpp"
#include "pty/channel.hpp"
#include "telemetry/port.hpp"
#include "terminal/terminal.hpp"

namespace troupe::actors {

struct TerminalConfig {
  protocol::TerminalInfo info;  ///< what `created` says of it
  Launch launch;                ///< for `restart`; without secrets
  bool had_secrets = false;     ///< it was opened with some: no restart
  /// These, until the program ends: a host that echoes one is masked in every recording.
  std::vector<Secret> secrets;
  std::string shell_nonce;  ///< of the child that runs
  terminal::TerminalOptions options;
  std::optional<std::int64_t> drain_ms;
  RecordingSettings recording_settings;
  std::optional<RecordingWish> recording_wish;  ///< of `create`, for a restart
  std::optional<RecordingPlan> recording;       ///< to begin at once
};

struct TerminalPorts {
  std::unique_ptr<ChannelPort> channel;
  std::unique_ptr<TerminalBoard> board;
  /// A fresh TROUPE_NONCE for a restarted child.
  std::function<std::string()> fresh_nonce;
  std::function<std::unique_ptr<RecordingPort>(recording::RecorderSpec)> record;
  telemetry::Port* telemetry = &telemetry::no_telemetry();
};

/// The clocks as the terminal value takes them.
terminal::Now terminal_now(Moment now);

/// A subscription that a `subscribe` opens, named by its session.
struct SubscriptionKeys {
  SubscriberId subscriber = 0;
  SubscriberId replaces = 0;  ///< an older one of the same connection, or 0
};

/// The ordered boundary of one terminal.
///
/// Threads: none of its own; one caller at a time.
/// Invariants: output, events and the effects of requests have one order, the same for every
///   subscriber; an input byte is written once and whole; nothing is read while the controller is
///   behind; requests are answered whatever its subscribers do. The screen is read between frames
///   (`FrameWatch`); a resize and the end answer its readers first.
/// Bounds: unprocessed output is at most the channel's credit (128 KiB); one call consumes at most
///   `work_budget` cells and `TurnSlice` bytes; input that waits for the program at most
///   `input_limit_bytes`.
class TerminalCore {
 public:
  static constexpr std::size_t work_budget = 256U * 1024;
  /// A `run` of several lines waits so long for a prompt that takes them as one.
  static constexpr std::int64_t prompt_patience_us = 1'000'000;
  static constexpr std::size_t input_limit_bytes = pty::write_queue_bytes - 64U * 1024;

  TerminalCore(TerminalConfig config, TerminalPorts ports);
  ~TerminalCore();
  TerminalCore(const TerminalCore&) = delete;
  TerminalCore& operator=(const TerminalCore&) = delete;

  // From the channel.
  void on_channel(pty::ChannelEvent event, Moment now);
  void on_holders(std::vector<int> pids, Moment now);
  void on_signalled(std::uint64_t token, const Result<>& result);
  void on_reopened(const Result<std::optional<int>>& pid, Moment now);
  void on_terminated(const pty::TerminateResult& result, Moment now);
  void on_foreground(const std::string& process, const std::string& cwd, Moment now);

  void on_typed(std::uint64_t note, const TypedFate& fate);
  void on_recorder(recording::RecorderEvent event, Moment now);

  // From sessions.
  void request(const ReplyTo& to, protocol::Request request, SubscriptionKeys keys, Moment now);
  void acknowledge(SubscriberId subscriber, std::size_t bytes, Moment now);
  void detach(SubscriberId subscriber, Moment now);
  /// The client of a blocked request is gone, or cancelled it: no answer comes.
  void cancel(RequestKey key);

  /// Ends the terminal: subscribers first, then the program. The board hears when it is dead.
  void terminate(protocol::EndReason reason, Moment now);

  /// Deadlines that are due.
  void tick(Moment now);
  /// Goes on with output whose work exceeded the budget.
  void resume(Moment now);
  [[nodiscard]] std::optional<std::int64_t> deadline_us() const;
  [[nodiscard]] bool wants_resume() const { return !input_.empty(); }
  /// What the present turn, which read output, cost in processor time.
  void turn_took(std::int64_t used_us);
  /// The program is dead and the subscribers are gone: the actor may end.
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  struct HeldRun {  // armed, and typed at the next prompt
    terminal::WaitId wait = 0;
    std::string text;
    std::int64_t due_us = 0;  // or then
  };
  struct Waiting {
    ReplyTo to;
    telemetry::WaitKind kind = telemetry::WaitKind::text;
  };
  struct InputSpan {
    Moment since;
    std::string_view error;
  };
  struct PendingWrite {
    ReplyTo to;
    std::size_t bytes_before = 0;  // written without an id of their own before this one
    std::size_t bytes = 0;
    std::optional<Moment> since;  // a span of it is due
    bool answer = false;
  };
  using ScreenRequest = std::variant<protocol::request::Snapshot, protocol::request::ReadRows>;
  struct ScreenRead {
    ReplyTo to;
    ScreenRequest request;
    std::int64_t asked_us = 0;
  };
  struct Restarting {
    ReplyTo to;
    std::string nonce;
  };

  struct Recording {
    enum class State : std::uint8_t { opening, running, closing };
    std::unique_ptr<RecordingPort> port;
    recording::RedactMode redact = recording::RedactMode::passwords;
    std::string path;
    State state = State::opening;
    bool has_file = false;
    std::vector<ReplyTo> waiting;  // for the file, or for its end
  };
  /// Input whose secrecy the io thread still has to tell.
  struct TypedInput {
    std::uint64_t note = 0;
    std::string bytes;  // empty where it is masked anyway
    recording::InputContext context;
    std::uint64_t line = 0;   // where the cursor stood
    bool ends_input = false;  // whatever was asked for is given with it, or given up
  };
  /// Who wrote the input: the terminal's own answers are not typed.
  enum class Origin : std::uint8_t { terminal, client, secret };

  // terminal_core.cpp: output and time
  void on_data(pty::Data data, Moment now);
  void pump(Moment now);
  void give_credit();

  // terminal_life.cpp: the end of the program and of the terminal
  /// So long after the child's exit without output, its own output is drained.
  static constexpr std::int64_t drained_quiet_us = 10'000;
  void on_child_exit(const pty::ExitStatus& status, Moment now);
  void maybe_exited(Moment now);
  void finish_exit(Moment now);
  void drain(Moment now);
  void tell_drained(Moment now);
  void publish_child_exit(Moment now);

  // terminal_input.cpp: what goes to the program, and its size
  [[nodiscard]] bool input_is_over() const { return exited_ || stream_over_; }
  [[nodiscard]] Result<> write_input(std::string bytes, const ReplyTo& to, bool ack, Origin origin);
  void on_written(const pty::Written& written, Moment now);
  void report_input(Moment since, Moment now, std::string_view error) const;
  Result<> take_control(const std::string& attachment_id, terminal::Size size, Moment now);
  [[nodiscard]] Result<> check_size(terminal::Size size) const;
  void resize_to(terminal::Size size, Moment now);

  // terminal_waits.cpp: requests that are answered later
  [[nodiscard]] bool prompt_is_due(std::string_view text) const;
  Result<> type_run(std::string_view text);
  void type_held_run(Moment now);
  void remember_wait(const Waiting& waiting, const Result<terminal::WaitId>& wait,
                     terminal::Effects& effects, Moment now);
  void answer_wait(terminal::WaitId wait, telemetry::WaitEnd outcome, protocol::Response response);
  void answer_exit_waits();
  void expire_exit_waits(Moment now);

  // terminal_publish.cpp: to subscribers and the board
  void publish_feed(StreamOffset start, const SharedBytes& fed, terminal::Effects& effects,
                    Moment now);
  void apply_effect(terminal::Effect& effect, Moment now);
  void apply_effects(terminal::Effects& effects, Moment now);
  void add_output(StreamOffset start, const SharedBytes& bytes, Moment now);
  void send_batches(const std::vector<OutputBatch>& batches);
  void flush(Moment now);
  void broadcast(protocol::Response event, Moment now, bool (*wanted)(const Subscriber&) = nullptr);
  void send_event(Subscriber& subscriber, const SharedResponse& event, std::size_t cost);
  void broadcast_resized(Moment now);
  void announce_controller(Moment now);
  void resync(Subscriber& subscriber, Moment now);
  void end_subscription(SubscriberId subscriber, protocol::EndReason reason, Moment now);
  void drop(SubscriberId subscriber, protocol::EndReason reason);
  void end_all(protocol::EndReason reason, Moment now);
  void settle(Moment now);
  void publish_info();
  void measure();
  void measure_lag();
  [[nodiscard]] bool may_look() const;
  [[nodiscard]] protocol::TerminalInfo info() const;

  // terminal_requests.cpp: one member an operation
  struct Visitor;
  [[nodiscard]] static Origin origin_of(bool secret) {
    return secret ? Origin::secret : Origin::client;
  }

  // terminal_screen.cpp: reads of the screen, between frames
  void read_screen(const ReplyTo& to, ScreenRequest request, Moment now);
  void answer_screen_reads(Moment now);
  void answer_all_screen_reads();
  void answer_first_screen_read();
  [[nodiscard]] std::int64_t screen_due_us(const ScreenRead& read) const;
  [[nodiscard]] protocol::Response screen_reply(const protocol::request::Snapshot& request) const;
  [[nodiscard]] protocol::Response screen_reply(const protocol::request::ReadRows& request) const;

  // terminal_recording.cpp: its recording, and what of the input is in it
  [[nodiscard]] bool recorded() const;
  void record(const ReplyTo& to, const protocol::request::Record& request, Moment now);
  void begin_recording(RecordingPlan plan, const ReplyTo* to);
  void end_recording(recording::StopInfo info);
  void abandon_recording();
  [[nodiscard]] std::uint64_t recorded_rows() const;
  [[nodiscard]] protocol::reply::Recording recording_status() const;
  void record_restart(Moment now);
  [[nodiscard]] recording::StopInfo stop_info(std::string reason) const;
  std::uint64_t note_input(const std::string& bytes, Origin origin);

  TerminalConfig config_;
  TerminalPorts ports_;
  terminal::Terminal terminal_;
  SubscriberSet subscribers_;
  std::unordered_map<SubscriberId, std::shared_ptr<SessionSink>> sinks_;
  std::vector<SubscriberId> lagging_;
  OutputCoalescer coalescer_;

  std::deque<SharedBytes> input_;  // output of the child that is not consumed yet
  TurnSlice slice_;
  bool takes_pastes_ = false;  // the program has asked for bracketed pastes
  std::optional<HeldRun> held_run_;
  std::size_t read_in_turn_ = 0;  // by the last turn that read
  std::size_t input_at_ = 0;
  std::size_t credit_owed_ = 0;
  terminal::Size asked_size_;

  bool channel_open_ = true;
  bool stream_over_ = false;
  bool stream_forced_ = false;
  bool exited_ = false;
  bool gone_ = false;
  std::optional<pty::ExitStatus> child_;
  std::vector<std::int32_t> holders_;
  bool child_exit_published_ = false;
  std::optional<std::int64_t> holders_due_us_;
  std::optional<std::int64_t> drain_due_us_;
  bool end_awaits_holders_ = false;
  std::optional<std::int64_t> drained_due_us_;  // the child's own output is drained then
  std::size_t bytes_since_exit_ = 0;
  bool credit_given_ = false;
  std::optional<std::string> failure_;
  std::optional<std::string> foreground_;
  std::optional<std::string> proc_cwd_;
  LookSchedule looks_;
  FrameWatch frames_;
  std::deque<ScreenRead> screen_reads_;
  std::optional<int> pid_;

  std::unordered_map<terminal::WaitId, Waiting> waits_;
  std::unordered_map<RequestKey, terminal::WaitId> waits_by_key_;
  TimedReplies exit_waits_;  // by steady_us
  std::unordered_map<pty::WriteId, PendingWrite> writes_;
  std::unordered_map<RequestKey, pty::WriteId> answered_writes_;  // those with `answer`
  pty::WriteId last_write_ = 0;
  std::size_t queued_input_ = 0;      // bytes that the program has not taken, as far as known
  std::size_t unnumbered_input_ = 0;  // of these, written since the last write with an id
  std::unordered_map<std::uint64_t, ReplyTo> signals_;
  std::uint64_t last_signal_ = 0;
  std::optional<Restarting> restarting_;
  std::optional<Recording> recording_;
  protocol::reply::Recording last_recording_;  // of one that has a file; the last one's error
  std::deque<TypedInput> typed_;
  std::uint64_t last_note_ = 0;
  std::optional<std::uint64_t> secret_line_;  // of a secret that is being typed
  unsigned recordings_made_ = 0;
  bool record_again_ = false;
  bool terminating_ = false;
  bool info_dirty_ = true;
  std::optional<std::string> known_cwd_;
  StreamOffset measured_tail_ = 0;
  std::size_t measured_bytes_ = 0;
  std::size_t measured_waits_ = 0;
  std::size_t measured_lag_ = 0;
  telemetry::Connector connector_;
  std::optional<InputSpan> input_span_;  // of the request that is being executed
};

}  // namespace troupe::actors
