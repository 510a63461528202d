// SPDX-License-Identifier: MIT
#include "scenario/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/utf8.hpp"

namespace troupe::scenario {
namespace {

/// Leaves yaml-cpp's parser in the middle of a document. Never leaves this file.
struct Refusal : std::exception {
  Refusal(int at, std::string why) : line(at), message(std::move(why)) {}
  int line;
  std::string message;
};

int line_of(const YAML::Mark& mark) {
  return mark.line + 1;
}

/// What a node and all below it cost.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  std::size_t depth = 0;

  void add(const Weight& child) {
    nodes += child.nodes;
    bytes += child.bytes;
    depth = std::max(depth, child.depth + 1);
  }
};

Weight weigh(const Node& node) {
  Weight weight{1, node.text.size(), 1};
  for (const Node& item : node.items) {
    weight.add(weigh(item));
  }
  for (const Entry& entry : node.entries) {
    weight.add(weigh(entry.value));
    weight.bytes += entry.key.size();
  }
  return weight;
}

class Builder : public YAML::EventHandler {
 public:
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) {
      throw Refusal{line_of(mark), "a second document; a scenario is one"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    begin(Node::Kind::null, mark, "", anchor);
    end();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    begin(Node::Kind::scalar, mark, tag, anchor);
    stack_.back().node.quoted = tag == "!";
    stack_.back().node.text = value;
    charge(Weight{0, value.size(), 0}, line_of(mark));
    end();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin(Node::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) {
      throw Refusal{line_of(mark), "an alias inside of what it names"};
    }
    const Weight weight = weigh(named->second);
    charge(weight, line_of(mark));
    if (stack_.size() + weight.depth > max_depth) {
      throw Refusal{line_of(mark), "nested too deep"};
    }
    place(named->second, line_of(mark));
  }

 private:
  /// A node that is not whole yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    int key_line = 0;
    std::set<std::string> keys;
  };

  void charge(const Weight& weight, int line) {
    nodes_ += weight.nodes;
    bytes_ += weight.bytes;
    if (nodes_ > max_nodes) {
      throw Refusal{line, "more than " + std::to_string(max_nodes) + " values"};
    }
    if (bytes_ > max_text_bytes) {
      throw Refusal{line, "more than " + std::to_string(max_text_bytes) + " bytes of text"};
    }
  }

  void begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    const int line = line_of(mark);
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal{line, "tags such as !!str have no meaning here"};
    }
    charge(Weight{1, 0, 0}, line);
    if (stack_.size() >= max_depth) {
      throw Refusal{line, "nested too deep"};
    }
    Open open;
    open.node.kind = kind;
    open.node.line = line;
    open.anchor = anchor;
    stack_.push_back(std::move(open));
  }

  void end() {
    Open whole = std::move(stack_.back());
    stack_.pop_back();
    if (whole.anchor != 0) {
      charge(weigh(whole.node), whole.node.line);
      anchors_[whole.anchor] = whole.node;
    }
    const int line = whole.node.line;
    place(std::move(whole.node), line);
  }

  void place(Node node, int line) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.has_key = false;
      parent.node.entries.push_back({std::move(parent.key), parent.key_line, std::move(node)});
    } else {
      place_key(parent, node, line);
    }
  }

  static void place_key(Open& parent, Node& node, int line) {
    if (node.kind != Node::Kind::scalar) {
      throw Refusal{line, "a key must be a text"};
    }
    if (!parent.keys.insert(node.text).second) {
      throw Refusal{line, "the key " + node.text.substr(0, 100) + " stands twice"};
    }
    parent.has_key = true;
    parent.key = std::move(node.text);
    parent.key_line = line;
  }

  bool started_ = false;
  Node root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

Node parse(std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser{stream};
  Builder builder;
  while (parser.HandleNextDocument(builder)) {
  }
  return builder.take();
}

}  // namespace

bool Node::looks_like_integer() const {
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return kind == Kind::scalar && !quoted && text.size() > sign &&
         text.find_first_not_of("0123456789", sign) == std::string::npos;
}

bool Node::looks_like_boolean() const {
  return kind == Kind::scalar && !quoted && (text == "true" || text == "false");
}

Read<Node> read_yaml(std::string_view text, const std::string& file) {
  Problems problems(file);
  Read<Node> read;
  if (text.size() > max_file_bytes) {
    problems.add(0, "the file is larger than " + std::to_string(max_file_bytes) + " bytes");
  } else if (!is_valid_utf8(text)) {
    problems.add(0, "the file is not UTF-8");
  } else {
    try {
      read.value = parse(text);
    } catch (const Refusal& refusal) {
      problems.add(refusal.line, refusal.message);
    } catch (const YAML::Exception& error) {
      problems.add(error.mark.is_null() ? 0 : line_of(error.mark), error.msg);
    } catch (const std::exception&) {
      problems.add(0, "the file cannot be read as YAML");
    }
  }
  read.problems = problems.sorted();
  return read;
}

}  // namespace troupe::scenario
