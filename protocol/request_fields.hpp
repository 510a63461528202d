// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The fields of every request, told once: the decoder reads by these descriptions and the encoder
/// writes by them, so the two cannot differ. Private to the codec.
///
/// An archive offers
/// * `required(name, field)`: must be present and not null;
/// * `nullable(name, field)`: an optional field of protocol 7, absent or null means none;
/// * `added(name, field, fallback)`: a field beyond protocol 7, absent or null means `fallback`;
/// * `bytes(name, field)`: required, base64 on the wire;
/// * `json(name, field)`: a JSON object kept as text, absent or null means an empty text;
/// * `history_rows(name, field)`: added, a number or "all";
/// * `signal(name, field)`: required, a signal's name or number.

#include <array>
#include <string_view>
#include <type_traits>

#include "protocol/limits.hpp"
#include "protocol/requests.hpp"

namespace troupe::protocol {

/// A reading archive fills the field, a writing one only looks at it.
template <class Archive, class T>
using Of = std::conditional_t<Archive::reads, T, const T>;

enum class Origin : std::uint8_t { protocol7, extension };

struct Operation {
  std::string_view name;
  Origin origin = Origin::extension;
};

/// In the order of `Request`'s alternatives.
inline constexpr std::array<Operation, std::variant_size_v<Request>> operations{{
    {"ping", Origin::protocol7},
    {"own", Origin::protocol7},
    {"prepare_handoff", Origin::protocol7},
    {"create", Origin::protocol7},
    {"list", Origin::protocol7},
    {"write", Origin::protocol7},
    {"resize", Origin::protocol7},
    {"control", Origin::protocol7},
    {"input", Origin::protocol7},
    {"snapshot", Origin::protocol7},
    {"read_rows", Origin::protocol7},
    {"replay", Origin::protocol7},
    {"subscribe", Origin::protocol7},
    {"terminate", Origin::protocol7},
    {"rename", Origin::protocol7},
    {"shutdown", Origin::protocol7},
    {"cancel"},
    {"status"},
    {"ledger"},
    {"journal"},
    {"output"},
    {"journal_wait"},
    {"run"},
    {"since"},
    {"wait"},
    {"history"},
    {"search"},
    {"keys"},
    {"paste"},
    {"signal"},
    {"restart"},
    {"wait_exit"},
    {"record"},
    {"terminals_wait"},
}};

template <class A>
void describe(A& /*a*/, Of<A, request::Ping>& /*r*/) {}
template <class A>
void describe(A& /*a*/, Of<A, request::PrepareHandoff>& /*r*/) {}
template <class A>
void describe(A& /*a*/, Of<A, request::List>& /*r*/) {}
template <class A>
void describe(A& /*a*/, Of<A, request::Shutdown>& /*r*/) {}
template <class A>
void describe(A& /*a*/, Of<A, request::Status>& /*r*/) {}
template <class A>
void describe(A& /*a*/, Of<A, request::Ledger>& /*r*/) {}

template <class A>
void describe(A& a, Of<A, request::Own>& r) {
  a.required("instance_id", r.instance_id);
  a.nullable("ticket", r.ticket);
}

template <class A>
void describe(A& a, Of<A, request::Create>& r) {
  a.required("program", r.program);
  a.required("args", r.args);
  a.required("cwd", r.cwd);
  a.required("title", r.title);
  a.required("group_id", r.group_id);
  a.required("env", r.env);
  a.required("cols", r.cols);
  a.required("rows", r.rows);
  a.added("drain_ms", r.drain_ms);
  a.added("kind", r.kind);
  a.json("options", r.options);
  a.added("recording", r.recording);
  a.added("redact", r.redact);
  a.added("protected", r.is_protected);
  a.added("integrate", r.integrate);
  a.added("label", r.label);
  a.added("profile", r.profile);
}

template <class A>
void describe(A& a, Of<A, request::Write>& r) {
  a.required("id", r.id);
  a.nullable("attachment_id", r.attachment_id);
  a.bytes("data_base64", r.data);
  a.added("ack", r.ack);
  a.added("password", r.password);
}

template <class A>
void describe(A& a, Of<A, request::Resize>& r) {
  a.required("id", r.id);
  a.nullable("attachment_id", r.attachment_id);
  a.required("cols", r.cols);
  a.required("rows", r.rows);
}

template <class A>
void describe(A& a, Of<A, request::Control>& r) {
  a.required("id", r.id);
  a.required("attachment_id", r.attachment_id);
  a.required("cols", r.cols);
  a.required("rows", r.rows);
}

template <class A>
void describe(A& a, Of<A, request::Input>& r) {
  a.required("id", r.id);
  a.required("attachment_id", r.attachment_id);
  a.required("cols", r.cols);
  a.required("rows", r.rows);
  a.bytes("data_base64", r.data);
  a.added("ack", r.ack);
  a.added("password", r.password);
}

template <class A>
void describe(A& a, Of<A, request::Snapshot>& r) {
  a.required("id", r.id);
  a.history_rows("history_rows", r.history_rows);
}

template <class A>
void describe(A& a, Of<A, request::ReadRows>& r) {
  a.required("id", r.id);
  a.nullable("rows", r.rows);
}

template <class A>
void describe(A& a, Of<A, request::Replay>& r) {
  a.required("id", r.id);
  a.required("offset", r.offset);
}

template <class A>
void describe(A& a, Of<A, request::Subscribe>& r) {
  a.required("id", r.id);
  a.required("offset", r.offset);
  a.required("attachment_id", r.attachment_id);
  a.required("role", r.role);
  a.required("takeover", r.takeover);
  a.added("journal", r.journal);
  a.added("resync", r.resync);
  a.added("child_events", r.child_events);
  a.history_rows("history_rows", r.history_rows);
  a.added("ssh_auth_sock", r.ssh_auth_sock);
}

template <class A>
void describe(A& a, Of<A, request::Terminate>& r) {
  a.required("id", r.id);
  a.added("force", r.force);
}

template <class A>
void describe(A& a, Of<A, request::Rename>& r) {
  a.required("id", r.id);
  a.nullable("title", r.title);
}

template <class A>
void describe(A& a, Of<A, request::Cancel>& r) {
  a.required("target", r.target);
}

template <class A>
void describe(A& a, Of<A, request::Journal>& r) {
  a.required("id", r.id);
  a.added("from_index", r.from_index);
  a.added("limit", r.limit, default_journal_limit);
  a.added("tail", r.tail, !r.from_index.has_value());
}

template <class A>
void describe(A& a, Of<A, request::Output>& r) {
  a.required("id", r.id);
  a.required("index", r.index);
  a.added("cursor", r.cursor);
  a.added("max_bytes", r.max_bytes);
}

template <class A>
void describe(A& a, Of<A, request::JournalWait>& r) {
  a.required("id", r.id);
  a.required("index", r.index);
  a.required("timeout_ms", r.timeout_ms);
}

template <class A>
void describe(A& a, Of<A, request::Run>& r) {
  a.required("id", r.id);
  a.added("attachment_id", r.attachment_id);
  a.required("text", r.text);
  a.required("timeout_ms", r.timeout_ms);
  a.added("max_bytes", r.max_bytes);
}

template <class A>
void describe(A& a, Of<A, request::Since>& r) {
  a.required("id", r.id);
  a.required("cursor", r.cursor);
  a.added("max_bytes", r.max_bytes);
}

template <class A>
void describe(A& a, Of<A, request::Wait>& r) {
  a.required("id", r.id);
  a.required("cursor", r.cursor);
  a.added("needle", r.needle);
  a.added("regex", r.regex);
  a.added("idle_ms", r.idle_ms);
  a.added("exit", r.exit);
  a.required("timeout_ms", r.timeout_ms);
  a.added("max_bytes", r.max_bytes);
}

template <class A>
void describe(A& a, Of<A, request::History>& r) {
  a.required("id", r.id);
  a.added("cursor", r.cursor);
  a.added("rows", r.rows);
  a.added("format", r.format);
}

template <class A>
void describe(A& a, Of<A, request::Search>& r) {
  a.required("id", r.id);
  a.required("pattern", r.pattern);
  a.added("regex", r.regex);
  a.added("ignore_case", r.ignore_case);
  a.added("limit", r.limit);
  a.added("cursor", r.cursor);
}

template <class A>
void describe(A& a, Of<A, request::Keys>& r) {
  a.required("id", r.id);
  a.added("attachment_id", r.attachment_id);
  a.required("keys", r.keys);
  a.added("ack", r.ack);
}

template <class A>
void describe(A& a, Of<A, request::Paste>& r) {
  a.required("id", r.id);
  a.added("attachment_id", r.attachment_id);
  a.required("text", r.text);
  a.added("ack", r.ack);
}

template <class A>
void describe(A& a, Of<A, request::Signal>& r) {
  a.required("id", r.id);
  a.signal("signal", r.signal);
  a.added("target", r.target);
}

template <class A>
void describe(A& a, Of<A, request::Restart>& r) {
  a.required("id", r.id);
}

template <class A>
void describe(A& a, Of<A, request::WaitExit>& r) {
  a.required("id", r.id);
  a.required("timeout_ms", r.timeout_ms);
}

template <class A>
void describe(A& a, Of<A, request::Record>& r) {
  a.required("id", r.id);
  a.added("recording", r.recording);
  a.added("redact", r.redact);
}

template <class A>
void describe(A& a, Of<A, request::TerminalsWait>& r) {
  a.added("revision", r.revision);
  a.added("timeout_ms", r.timeout_ms, max_timeout_ms);
}

}  // namespace troupe::protocol
