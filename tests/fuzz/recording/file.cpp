// SPDX-License-Identifier: MIT
/// @file
/// No file hurts the reader of recordings, and what is made of one is whole: casts are lines of
/// JSON and a page is one page.

#include <stdlib.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "recording/asciicast.hpp"
#include "recording/html.hpp"
#include "recording/reader.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe;
using namespace troupe::recording;

namespace {

/// One file of this process, written anew for each input.
class Scratch {
 public:
  Scratch() : fd_(::mkstemp(path_)) { expect(fd_ >= 0, "there is room for a file"); }
  ~Scratch() {
    ::close(fd_);
    ::unlink(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string hold(const std::uint8_t* data, std::size_t size) {
    expect(::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, data, size, 0) == static_cast<ssize_t>(size),
           "the file takes the input");
    return path_;
  }

 private:
  char path_[32] = "/tmp/troupe-fuzz-XXXXXX";
  int fd_;
};

void check_cast(const std::string& path, AsciicastVersion version) {
  Result<RecordingReader> reader = RecordingReader::open(path);
  AsciicastWriter writer(version, AsciicastWriter::Input::include);
  std::string text;
  const Result<> done = export_asciicast(*reader, writer, [&](std::string_view piece) {
    text += piece;
    return success();
  });
  expect(done.ok(), "a file that can be read can be exported");
  std::istringstream lines(text);
  std::string line;
  for (bool is_header = true; std::getline(lines, line); is_header = false) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    expect(is_header ? json.is_object() : json.is_array() && json.size() == 3,
           "a cast is a header and events");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Scratch scratch;
  const std::string path = scratch.hold(data, size);
  Result<RecordingReader> reader = RecordingReader::open(path);
  expect(reader.ok(), "the file is there");
  std::int64_t last_us = 0;
  std::vector<std::string> rows;
  while (const std::optional<Entry> entry = reader->next()) {
    expect(entry->t_us >= last_us, "time never goes back");
    last_us = entry->t_us;
    rows.push_back(entry->data);
  }
  check_cast(path, AsciicastVersion::v2);
  check_cast(path, AsciicastVersion::v3);
  const std::string page = html_page(rows, "title");
  expect(page.find("</html>") == page.rfind("</html>"), "the text is no markup");
  return 0;
}
