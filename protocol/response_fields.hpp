// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The keys of every response in their order, told once for the daemon that writes them and the
/// client that reads them. Private to the codec.
///
/// An archive offers
/// * `field(name, x)`: always written; must be there to be read (protocol 7's keys);
/// * `added(name, x)`: always written; absent on reading leaves the default (an older daemon);
/// * `sparse(name, x)`: written only where it differs from its default;
/// * `bytes(name, x)`: a `field` in base64;
/// * `derived(name, x)`: written for the reader's comfort, never read;
/// * `word_or_null(name, x)`: an enum whose `none` is null.

#include <array>
#include <string_view>

#include "protocol/request_fields.hpp"
#include "protocol/responses.hpp"

namespace troupe::protocol {

/// `type` of each alternative of `Response`, in its order; none for `Unknown`.
inline constexpr std::array<std::string_view, std::variant_size_v<Response>> response_types{
    "pong",
    "owned",
    "handoff",
    "created",
    "terminals",
    "ok",
    "error",
    "snapshot",
    "rows",
    "replay",
    "attached",
    "text",
    "journal",
    "command",
    "command_output",
    "history",
    "matches",
    "exit",
    "ledger",
    "recording",
    "status",
    "terminals_changed",
    "resized",
    "exited",
    "controller_changed",
    "title_changed",
    "foreground_process_changed",
    "command_started",
    "command_finished",
    "child_exited",
    "ended",
    "resync",
    ""};

// -- parts ---------------------------------------------------------------------------------------

template <class A>
void describe(A& a, Of<A, Cursor>& x) {
  a.field("seq", x.seq);
  a.field("col", x.col);
  a.added("epoch", x.epoch);
}

template <class A>
void describe(A& a, Of<A, CommandRecord>& x) {
  a.field("index", x.index);
  a.field("command", x.command);
  a.word_or_null("command_source", x.command_source);
  a.field("trusted", x.trusted);
  a.field("running", x.running);
  a.field("exit_code", x.exit_code);
  a.field("incomplete", x.incomplete);
  a.field("evicted", x.evicted);
  a.field("pty_exited", x.pty_exited);
  a.field("start", x.start);
  a.field("end", x.end);
  a.field("start_offset", x.start_offset);
  a.field("end_offset", x.end_offset);
  a.field("started_ms", x.started_ms);
  a.field("ended_ms", x.ended_ms);
  a.field("cwd", x.cwd);
  a.word_or_null("cwd_source", x.cwd_source);
}

template <class A>
void describe(A& a, Of<A, ChildExit>& x) {
  a.field("exit_code", x.exit_code);
  a.field("signal", x.signal);
  a.field("held_by", x.held_by);
}

template <class A>
void describe(A& a, Of<A, TerminalInfo>& x) {
  a.field("id", x.id);
  a.field("pid", x.pid);
  a.field("title", x.title);
  a.added("user_title", x.user_title);
  a.field("foreground_process", x.foreground_process);
  a.field("group_id", x.group_id);
  a.field("command", x.command);
  a.field("cwd", x.cwd);
  a.field("cols", x.cols);
  a.field("rows", x.rows);
  a.field("lifecycle", x.lifecycle);
  a.field("output_head", x.output_head);
  a.field("output_tail", x.output_tail);
  a.added("child_exit", x.child_exit);
  a.added("kind", x.kind);
  a.added("label", x.label);
  a.added("profile", x.profile);
  a.added("protected", x.is_protected);
  a.added("recording", x.recording);
  a.added("last_recording", x.last_recording);
  a.added("recording_error", x.recording_error);
  a.added("shell_cwd", x.shell_cwd);
  a.word_or_null("shell_cwd_source", x.shell_cwd_source);
  a.added("controller", x.controller);
  a.added("subscribers", x.subscribers);
  a.added("created_ms", x.created_ms);
}

template <class A>
void describe(A& a, Of<A, LedgerEntry>& x) {
  a.field("id", x.id);
  a.field("title", x.title);
  a.field("command", x.command);
  a.field("kind", x.kind);
  a.field("reason", x.reason);
  a.field("exit_code", x.exit_code);
  a.field("signal", x.signal);
  a.field("ended_ms", x.ended_ms);
}

template <class A>
void describe(A& a, Of<A, reply::Match>& x) {
  a.field("start", x.start);
  a.field("end", x.end);
  a.field("line", x.line);
}

/// The keys of a text slice up to `alt_screen`; `epoch` stands last in a reply.
template <class A>
void describe_slice(A& a, Of<A, TextSlice>& x) {
  a.field("text", x.text);
  a.field("start", x.start);
  a.field("next", x.next);
  a.field("truncated", x.truncated);
  a.field("evicted", x.evicted);
  a.field("alt_screen", x.alt_screen);
}

// -- replies -------------------------------------------------------------------------------------

template <class A>
void describe(A& a, Of<A, reply::Pong>& x) {
  a.field("instance_id", x.instance_id);
  a.field("pid", x.pid);
  a.field("protocol", x.protocol);
  a.added("features", x.features);
}

template <class A>
void describe(A& /*a*/, Of<A, reply::Owned>& /*x*/) {}

template <class A>
void describe(A& a, Of<A, reply::Handoff>& x) {
  a.field("ticket", x.ticket);
  a.field("expires_at", x.expires_at);
}

template <class A>
void describe(A& a, Of<A, reply::Created>& x) {
  a.field("terminal", x.terminal);
}

template <class A>
void describe(A& a, Of<A, reply::Terminals>& x) {
  a.field("terminals", x.terminals);
  a.sparse("reduced", x.reduced);
}

template <class A>
void describe(A& a, Of<A, reply::Ok>& x) {
  a.sparse("written", x.written);
  a.sparse("survivors", x.survivors);
}

template <class A>
void describe(A& a, Of<A, reply::Error>& x) {
  a.field("message", x.message);
  a.sparse("code", x.code);
  a.sparse("written", x.written);
}

template <class A>
void describe(A& a, Of<A, reply::Snapshot>& x) {
  a.field("terminal", x.terminal);
  a.field("text", x.text);
  a.bytes("checkpoint_base64", x.checkpoint);
  a.field("cursor_x", x.cursor_x);
  a.field("cursor_y", x.cursor_y);
  a.sparse("reduced", x.reduced);
}

template <class A>
void describe(A& a, Of<A, reply::Rows>& x) {
  a.field("terminal", x.terminal);
  a.field("lines", x.lines);
  a.field("cursor_x", x.cursor_x);
  a.field("cursor_y", x.cursor_y);
}

template <class A>
void describe(A& a, Of<A, reply::Replay>& x) {
  a.field("requested_offset", x.requested_offset);
  a.field("available_offset", x.available_offset);
  a.field("end_offset", x.end_offset);
  a.field("truncated", x.truncated);
  a.bytes("data_base64", x.data);
}

template <class A>
void describe(A& a, Of<A, reply::Attached>& x) {
  a.field("terminal", x.terminal);
  a.field("role", x.role);
  a.field("generation", x.generation);
  a.field("requested_offset", x.requested_offset);
  a.field("available_offset", x.available_offset);
  a.field("end_offset", x.end_offset);
  a.field("truncated", x.truncated);
  a.bytes("replay_base64", x.replay);
}

template <class A>
void describe(A& a, Of<A, reply::Text>& x) {
  describe_slice(a, x.slice);
  a.field("matched", x.matched);
  a.sparse("reason", x.reason);
  a.derived("epoch", x.slice.next.epoch);
  a.sparse("record", x.record);
}

template <class A>
void describe(A& a, Of<A, reply::Journal>& x) {
  a.field("oldest_index", x.oldest_index);
  a.field("next_index", x.next_index);
  a.field("records", x.records);
  a.field("truncated", x.truncated);
}

template <class A>
void describe(A& a, Of<A, reply::Command>& x) {
  a.field("record", x.record);
  a.field("timed_out", x.timed_out);
}

template <class A>
void describe(A& a, Of<A, reply::CommandOutput>& x) {
  a.field("record", x.record);
  a.field("timed_out", x.timed_out);
  describe_slice(a, x.slice);
  a.derived("epoch", x.slice.next.epoch);
}

template <class A>
void describe(A& a, Of<A, reply::History>& x) {
  a.field("lines", x.lines);
  a.field("start", x.start);
  a.field("next", x.next);
  a.field("truncated", x.truncated);
  a.field("evicted", x.evicted);
  a.derived("epoch", x.next.epoch);
}

template <class A>
void describe(A& a, Of<A, reply::Matches>& x) {
  a.field("matches", x.matches);
  a.field("next", x.next);
  a.field("truncated", x.truncated);
  a.field("evicted", x.evicted);
}

template <class A>
void describe(A& a, Of<A, reply::Exit>& x) {
  a.field("exit_code", x.exit_code);
  a.field("signal", x.signal);
  a.field("held_by", x.held_by);
  a.field("timed_out", x.timed_out);
}

template <class A>
void describe(A& a, Of<A, reply::Ledger>& x) {
  a.field("terminals", x.terminals);
}

template <class A>
void describe(A& a, Of<A, reply::Recording>& x) {
  a.field("active", x.active);
  a.field("path", x.path);
  a.sparse("events", x.events);
  a.sparse("error", x.error);
}

template <class A>
void describe(A& a, Of<A, reply::Status>& x) {
  a.field("instance_id", x.instance_id);
  a.field("pid", x.pid);
  a.field("version", x.version);
  a.field("started_ms", x.started_ms);
  a.field("standalone", x.standalone);
  a.field("terminals", x.terminals);
  a.field("running", x.running);
  a.field("connections", x.connections);
  a.field("subscriptions", x.subscriptions);
  a.field("waits", x.waits);
  a.field("retained_bytes", x.retained_bytes);
}

template <class A>
void describe(A& a, Of<A, reply::TerminalsChanged>& x) {
  a.field("revision", x.revision);
  a.field("timed_out", x.timed_out);
}

template <class A>
void describe(A& /*a*/, Of<A, reply::Unknown>& /*x*/) {}

// -- events --------------------------------------------------------------------------------------

template <class A>
void describe(A& a, Of<A, event::Resized>& x) {
  a.field("cols", x.cols);
  a.field("rows", x.rows);
  a.field("generation", x.generation);
  a.bytes("checkpoint_base64", x.checkpoint);
  a.sparse("reduced", x.reduced);
}

template <class A>
void describe(A& a, Of<A, event::Exited>& x) {
  a.field("exit_code", x.exit_code);
  a.field("final_offset", x.final_offset);
  a.added("signal", x.signal);
  a.sparse("held_by", x.held_by);
}

template <class A>
void describe(A& a, Of<A, event::ControllerChanged>& x) {
  a.field("attachment_id", x.attachment_id);
  a.field("generation", x.generation);
}

template <class A>
void describe(A& a, Of<A, event::TitleChanged>& x) {
  a.field("title", x.title);
}

template <class A>
void describe(A& a, Of<A, event::ForegroundProcessChanged>& x) {
  a.field("process", x.process);
}

template <class A>
void describe(A& a, Of<A, event::CommandStarted>& x) {
  a.field("record", x.record);
}

template <class A>
void describe(A& a, Of<A, event::CommandFinished>& x) {
  a.field("record", x.record);
}

template <class A>
void describe(A& a, Of<A, event::ChildExited>& x) {
  a.field("exit_code", x.exit_code);
  a.field("signal", x.signal);
  a.field("held_by", x.held_by);
}

template <class A>
void describe(A& a, Of<A, event::Ended>& x) {
  a.field("reason", x.reason);
  a.field("offset", x.offset);
}

template <class A>
void describe(A& a, Of<A, event::Resync>& x) {
  a.field("lost_from", x.lost_from);
  a.field("lost_to", x.lost_to);
  a.bytes("checkpoint_base64", x.checkpoint);
  a.field("offset", x.offset);
  a.field("terminal", x.terminal);
  a.field("generation", x.generation);
  a.sparse("reduced", x.reduced);
}

}  // namespace troupe::protocol
