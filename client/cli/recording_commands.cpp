// SPDX-License-Identifier: MIT
// Commands about recordings: record, export, play.
#include <charconv>
#include <cmath>
#include <filesystem>

#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/player.hpp"
#include "playback/rendering.hpp"
#include "recording/asciicast.hpp"
#include "recording/html.hpp"
#include "recording/recording_file.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;
using recording::RecordingReader;

struct RecordOptions {
  std::string terminal;
  std::string output;
  std::string redact;
  bool stop = false;
  bool status = false;
};

/// What is asked for; `bad_request` where a word is none of the known ones, or a file has no place.
Result<request::Record> record_request(const TerminalInfo& terminal, const RecordOptions& options) {
  request::Record record{terminal.id, {}, {}};
  if (options.status) {
    return record;
  }
  record.recording.emplace();
  if (options.stop) {
    return record;
  }
  protocol::RecordingTarget& target = record.recording->target.emplace();
  if (!options.output.empty()) {
    const Result<std::string> path = absolute_path(options.output);
    if (!path) {
      return path.error();
    }
    target.path = *path;
  }
  if (!options.redact.empty()) {
    record.redact = protocol::from_text<protocol::Redaction>(options.redact);
    if (!record.redact) {
      return Error{Code::bad_request, "--redact is off, passwords or all, not " + options.redact};
    }
  }
  return record;
}

int record(const Context& context, Client& client, const TerminalInfo& terminal,
           const RecordOptions& options) {
  const Result<request::Record> record = record_request(terminal, options);
  if (!record) {
    return usage_error(record.error().message);
  }
  if (const Result<> can = require(client, feature::recording, "record terminals"); !can) {
    return fail(can.error());
  }
  const auto recording = ask<reply::Recording>(context, client, *record);
  if (!recording) {
    return fail(recording.error());
  }
  if (context.json) {
    return exit_status::ok;
  }
  if (!recording->path) {
    return fail(Error{recording->error ? Code::io : Code::not_found,
                      display_name(terminal) + " is not recorded" +
                          (recording->error ? ": " + *recording->error : "")});
  }
  print_line(*recording->path);
  if (options.stop || options.status) {
    note(std::string(recording->active ? "recording, " : "not recording; the last one has ") +
         std::to_string(recording->events.value_or(0)) + " rows");
    if (recording->error) {
      note("it failed: " + *recording->error);
    }
  }
  return exit_status::ok;
}

/// What a reader left out; told after everything else.
void note_faults(const RecordingReader& reader) {
  if (reader.bad_lines() > 0) {
    note(std::to_string(reader.bad_lines()) + " lines are no rows and were left out");
  }
  if (reader.cut_off()) {
    note("the recording ends within a row: it still runs, or its daemon was killed");
  }
}

/// A file without a single row is no recording: nothing is made of it.
Result<RecordingReader> open_recording(const std::string& path) {
  Result<RecordingReader> reader = RecordingReader::open(path);
  if (!reader || reader->has_next()) {
    return reader;
  }
  const bool is_empty = reader->bad_lines() == 0 && !reader->cut_off();
  return Error{Code::bad_request, path + (is_empty ? ": no recording: the file is empty"
                                                   : ":1: no recording: neither this line nor "
                                                     "one after it is a row of one")};
}

struct ExportOptions {
  std::string recording;
  std::string format = "asciicast-v2";
  std::string output;
  bool input = false;
};

using Write = std::function<Result<>(std::string_view)>;
using Export = Result<> (*)(RecordingReader&, const ExportOptions&, const Write&);

Result<> export_cast(RecordingReader& reader, recording::AsciicastVersion version,
                     const ExportOptions& options, const Write& write) {
  using recording::AsciicastWriter;
  AsciicastWriter writer(
      version, options.input ? AsciicastWriter::Input::include : AsciicastWriter::Input::leave_out);
  return recording::export_asciicast(reader, writer, write);
}

Result<> export_v2(RecordingReader& reader, const ExportOptions& options, const Write& write) {
  return export_cast(reader, recording::AsciicastVersion::v2, options, write);
}

Result<> export_v3(RecordingReader& reader, const ExportOptions& options, const Write& write) {
  return export_cast(reader, recording::AsciicastVersion::v3, options, write);
}

Result<> export_text(RecordingReader& reader, const ExportOptions& /*options*/,
                     const Write& write) {
  for (const std::string& line : playback::render(reader, playback::RowFormat::plain)) {
    if (Result<> written = write(line + "\n"); !written) {
      return written;
    }
  }
  return success();
}

Result<> export_html(RecordingReader& reader, const ExportOptions& options, const Write& write) {
  const std::string title = std::filesystem::path(options.recording).filename().string();
  return write(recording::html_page(playback::render(reader, playback::RowFormat::ansi), title));
}

Export export_named(std::string_view format) {
  struct Named {
    std::string_view name;
    Export function;
  };
  constexpr std::array formats{Named{"asciicast-v2", export_v2}, Named{"asciicast-v3", export_v3},
                               Named{"text", export_text}, Named{"html", export_html}};
  for (const Named& known : formats) {
    if (known.name == format) {
      return known.function;
    }
  }
  return nullptr;
}

/// Into a file that is its owner's alone and replaces none; it has its name once it is whole.
Result<> export_to_file(RecordingReader& reader, const ExportOptions& options, Export exporter,
                        const std::string& path) {
  recording::RecordingPlace place;
  place.path = path;
  Result<recording::RecordingFile> file = recording::RecordingFile::create(place);
  if (!file) {
    return file.error();
  }
  Result<> written =
      exporter(reader, options, [&file](std::string_view text) { return file->write(text); });
  return written ? file->commit() : written;
}

int export_recording(const Context& /*context*/, const ExportOptions& options) {
  const Export exporter = export_named(options.format);
  if (exporter == nullptr) {
    return usage_error("--format is asciicast-v2, asciicast-v3, text or html, not " +
                       options.format);
  }
  const Result<std::string> path =
      options.output.empty() ? Result<std::string>{std::string{}} : absolute_path(options.output);
  if (!path) {
    return usage_error(path.error().message);
  }
  Result<RecordingReader> reader = open_recording(options.recording);
  if (!reader) {
    return fail(reader.error());
  }
  bool reader_left = false;
  const Result<> done =
      !path->empty()
          ? export_to_file(*reader, options, exporter, *path)
          : exporter(*reader, options, [&reader_left](std::string_view text) -> Result<> {
              reader_left = !print(text);
              return reader_left ? Result<>{Error{Code::io, ""}} : success();
            });
  if (!done && !reader_left) {
    return fail(done.error());
  }
  note_faults(*reader);
  return exit_status::ok;
}

struct PlayCommandOptions {
  std::string recording;
  std::string speed;
  std::string max_idle;
};

Result<recording::PlayOptions> play_options(const PlayCommandOptions& options) {
  recording::PlayOptions result;
  if (!options.speed.empty()) {
    const char* const last = options.speed.data() + options.speed.size();
    const auto [end, error] = std::from_chars(options.speed.data(), last, result.speed);
    if (error != std::errc{} || end != last || !std::isfinite(result.speed) || result.speed <= 0) {
      return Error{Code::bad_request, "--speed is a number above 0, not " + options.speed};
    }
  }
  if (!options.max_idle.empty()) {
    const Result<std::chrono::milliseconds> idle = parse_duration(options.max_idle);
    if (!idle) {
      return idle.error();
    }
    result.max_idle_us = std::chrono::microseconds{*idle}.count();
  }
  return result;
}

int play_recording(const Context& /*context*/, const PlayCommandOptions& options) {
  const Result<recording::PlayOptions> how = play_options(options);
  if (!how) {
    return usage_error(how.error().message);
  }
  Result<RecordingReader> reader = open_recording(options.recording);
  if (!reader) {
    return fail(reader.error());
  }
  const int status = play(*reader, *how);
  note_faults(*reader);
  return status;
}

}  // namespace

void add_recording_commands(CLI::App& app, Context& context) {
  const std::string recordings(group::recordings);
  {
    auto options = std::make_shared<RecordOptions>();
    Command command(app, {recordings, "record", "Record a terminal into a file, or stop that",
                          "  troupe record build                   (prints the file's path)\n"
                          "  troupe record build --output b.jsonl --redact all\n"
                          "  troupe record build --stop\n"});
    command.terminal(options->terminal);
    Command::Option output =
        command.option("-o,--output", options->output,
                       "The file, which must not exist (default: a new one)", "FILE");
    Command::Option redact = command.option("--redact", options->redact,
                                            "Which input is masked: off, passwords or all", "WHAT");
    Command::Option stop = command.flag("--stop", options->stop, "End the recording")
                               .excludes(output)
                               .excludes(redact);
    command.flag("--status", options->status, "Only tell the file and its rows")
        .excludes(output)
        .excludes(redact)
        .excludes(stop);
    command.json(context);
    on_terminal(command, context, options, record);
  }
  {
    auto options = std::make_shared<ExportOptions>();
    Command command(app, {recordings, "export", "Turn a recording into another format",
                          "  troupe export build.jsonl > build.cast    (for asciinema)\n"
                          "  troupe export build.jsonl --format html -o build.html\n"});
    command.positional("RECORDING", options->recording, "The recording's file");
    command.option("--format", options->format,
                   "asciicast-v2 (default), asciicast-v3, text or html", "FORMAT");
    command.option("-o,--output", options->output,
                   "A file, which must not exist (default: standard output)", "FILE");
    command.flag("--input", options->input, "In an asciicast: what was typed too");
    on_run(command, context, options, export_recording);
  }
  {
    auto options = std::make_shared<PlayCommandOptions>();
    Command command(app, {recordings, "play", "Show a recording as it happened",
                          "  troupe play build.jsonl\n"
                          "  troupe play build.jsonl --speed 4 --max-idle 1s\n"});
    command.positional("RECORDING", options->recording, "The recording's file");
    command.option("--speed", options->speed, "How much faster (default 1)", "FACTOR");
    command.option("--max-idle", options->max_idle, "Cut longer pauses to this", "TIME").is_time();
    on_run(command, context, options, play_recording);
  }
}

}  // namespace troupe::client::cli
