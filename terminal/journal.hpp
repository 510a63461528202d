// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The journal: which commands ran, where their output stands, and how they ended, as told by the
/// shell's marks. It believes the stream, because it has nothing else: any program can print a
/// mark, so `trusted` says which records carried the shell's nonce.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/command_record.hpp"
#include "terminal/marks.hpp"
#include "terminal/requests.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/working_directory.hpp"

namespace troupe::terminal {

struct JournalLimits {
  std::size_t records = 256;
  std::size_t command_bytes = 4096;
  std::size_t listing_bytes = 1024U * 1024;
};

/// Where in the stream a mark stands: its first byte, and one past its terminator.
struct MarkPlace {
  StreamOffset begin = 0;
  StreamOffset end = 0;
};

/// What a mark did. Both at once: a C or A that closed a running record.
struct JournalChange {
  std::optional<std::uint64_t> finished;
  std::optional<std::uint64_t> started;
  bool continued = false;  ///< the shell asks for the rest of a command line
};

/// Marks in, records out.
///
///     A  prompt     closes a running record as incomplete; forgets a declared command line
///     B  input      remembers where the command line begins
///     C  executed   closes a running record as incomplete, opens the next
///     D  finished   closes the running record with its status; else forgets B
///     E  command    replaces the declared command line; where it is longer and begins with the
///                   running record's, or is empty, it is that record's: the rest of its input, or
///                   word that the screen knows better
///     P  continue   between B and C: the shell waits for the rest of the command line, until A, C
///                   or D
///
/// The first A, B, C or D decides for one dialect until `restart`, so that a shell with two
/// integrations is heard once. The same dialect twice is heard once too: an A or C on the cursor of
/// the one before, with nothing printed between, repeats it.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Invariants: indices count up and are never used twice; every index below `next_index()` and not
/// below `oldest_index()` has a record; at most one record runs.
/// Bounds: `records` finished records, the oldest goes first; command lines are cut.
class Journal {
 public:
  Journal(const RowSource& rows, const JournalLimits& limits, std::string nonce);

  /// Text was printed since the last call of `mark`.
  void text_printed() { printed_since_start_ = true; }
  JournalChange mark(const Mark& mark, const MarkPlace& place, const WorkingDirectory& cwd,
                     std::int64_t wall_ms);
  /// The child has exited: closes the running record.
  JournalChange exited(StreamOffset end, std::int64_t wall_ms);
  /// A new child: records are gone, numbers go on.
  void restart(std::string nonce);

  [[nodiscard]] std::uint64_t oldest_index() const { return oldest_; }
  [[nodiscard]] std::uint64_t next_index() const { return next_; }
  [[nodiscard]] std::optional<std::uint64_t> running_index() const;
  /// The shell waits for the rest of a command line.
  [[nodiscard]] bool continued() const { return state_ == State::continued; }
  /// The running record, else the newest finished one.
  [[nodiscard]] std::optional<std::uint64_t> latest_index() const;

  /// The record as of now. `tail` is the present end of the stream.
  [[nodiscard]] std::optional<CommandRecord> record(std::uint64_t index, StreamOffset tail) const;
  [[nodiscard]] JournalListing list(std::optional<std::uint64_t> from, std::size_t limit,
                                    bool newest, StreamOffset tail) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Entry {
    CommandRecord record;
    Place start;
    Place end;
    bool nonce_at_start = false;
  };
  enum class State : std::uint8_t { idle, prompt, input, continued, running };

  bool accepts(Dialect dialect);
  [[nodiscard]] bool reads_input() const {
    return state_ == State::input || state_ == State::continued;
  }
  void declare(const Mark& mark);
  bool extend(const Mark& mark);
  [[nodiscard]] bool repeats_start() const;
  void merge_start(const Mark& mark);
  void open(const Mark& mark, const MarkPlace& place, const WorkingDirectory& cwd,
            std::int64_t wall_ms);
  std::uint64_t close(StreamOffset end, std::int64_t wall_ms);
  std::uint64_t close_incomplete(StreamOffset end, std::int64_t wall_ms);
  void set_command(CommandRecord& record, const Mark& mark);
  [[nodiscard]] bool carries_nonce(const Mark& mark) const;
  [[nodiscard]] const Entry* entry(std::uint64_t index) const;
  [[nodiscard]] CommandRecord render(const Entry& entry, StreamOffset tail) const;

  const RowSource& rows_;
  JournalLimits limits_;
  std::string nonce_;
  State state_ = State::idle;
  std::optional<Dialect> dialect_;
  std::optional<Place> input_;           // the cursor at B; while a record runs, at its B
  std::optional<std::string> declared_;  // E's text, also where empty
  bool declared_trusted_ = false;
  bool printed_since_start_ = false;
  std::optional<Entry> running_;
  std::deque<Entry> finished_;
  std::uint64_t oldest_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace troupe::terminal
