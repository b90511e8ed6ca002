#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "steptp/base/random.h"

/// A small engine for the part of GBNF that the export uses: reads a grammar, says what it refers to, matches texts
/// byte by byte, and draws texts at random. Only for tests; it knows nothing of LEIR.
namespace steptp::gbnf_test {

enum class Kind : std::uint8_t { literal, set, rule, sequence, choice, optional, star };

struct Node {
  Kind kind = Kind::sequence;
  std::string text;      ///< literal: its bytes; rule: its name
  std::set<char> bytes;  ///< set: what it admits; negated sets list 0..127 without the excluded
  std::vector<std::shared_ptr<const Node>> children;
};
using NodePtr = std::shared_ptr<const Node>;

class Grammar {
 public:
  explicit Grammar(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_rule(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] const Node& rule(const std::string& name) const { return *rules_.at(name); }
  [[nodiscard]] const std::map<std::string, NodePtr>& rules() const { return rules_; }

  template <typename Visit>
  static void for_each_rule_name(const Node& node, const Visit& visit) {
    if (node.kind == Kind::rule) visit(node.text);
    for (const NodePtr& child : node.children) for_each_rule_name(*child, visit);
  }

  /// Whether a node derives the empty text, given the rules known to.
  static bool nullable(const Node& node, const std::set<std::string>& rules) {
    const auto derives = [&rules](const NodePtr& child) { return nullable(*child, rules); };
    switch (node.kind) {
      case Kind::literal: return node.text.empty();
      case Kind::set: return false;
      case Kind::rule: return rules.contains(node.text);
      case Kind::sequence: return std::all_of(node.children.begin(), node.children.end(), derives);
      case Kind::choice: return std::any_of(node.children.begin(), node.children.end(), derives);
      case Kind::optional:
      case Kind::star: return true;
    }
    return false;
  }

  /// The rules with which a text of this node can begin without a byte before them.
  static void leftmost(const Node& node, const std::set<std::string>& nullables, std::set<std::string>& out) {
    if (node.kind == Kind::rule) out.insert(node.text);
    for (const NodePtr& child : node.children) {
      leftmost(*child, nullables, out);
      if (node.kind == Kind::sequence && !nullable(*child, nullables)) return;
    }
  }

 private:
  void read_rule(std::string_view line) {
    const std::size_t sign = line.find(" ::= ");
    if (sign == std::string_view::npos) throw std::runtime_error("no rule: " + std::string(line));
    rest_ = line.substr(sign + 5);
    if (!rules_.emplace(line.substr(0, sign), read_choice()).second) throw std::runtime_error("a rule twice");
    if (!rest_.empty()) throw std::runtime_error("left over: " + std::string(rest_));
  }

  void skip_blanks() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  char take() {
    const char c = rest_.at(0);
    rest_.remove_prefix(1);
    return c;
  }
  char take_character() {
    const char c = take();
    if (c != '\\') return c;
    const char escaped = take();
    return escaped == 'n' ? '\n' : escaped;
  }

  NodePtr read_choice() {
    auto node = std::make_shared<Node>();
    node->kind = Kind::choice;
    node->children.push_back(read_sequence());
    while (skip_blanks(), !rest_.empty() && rest_[0] == '|') {
      take();
      node->children.push_back(read_sequence());
    }
    return node;
  }

  NodePtr read_sequence() {
    auto node = std::make_shared<Node>();
    while (skip_blanks(), !rest_.empty() && rest_[0] != '|' && rest_[0] != ')') node->children.push_back(read_item());
    return node;
  }

  NodePtr read_item() {
    NodePtr node;
    if (rest_[0] == '(') {
      take();
      node = read_choice();
      if (take() != ')') throw std::runtime_error("')' missing");
    } else {
      node = read_terminal();
    }
    if (rest_.empty() || (rest_[0] != '?' && rest_[0] != '*' && rest_[0] != '+')) return node;
    auto repeat = std::make_shared<Node>();
    const char c = take();
    repeat->kind = c == '?' ? Kind::optional : Kind::star;
    repeat->children.push_back(node);
    if (c != '+') return repeat;
    auto both = std::make_shared<Node>();  // x+ is x x*
    both->children = {node, repeat};
    return both;
  }

  NodePtr read_terminal() {
    auto node = std::make_shared<Node>();
    if (rest_[0] == '"') {
      node->kind = Kind::literal;
      for (take(); rest_.at(0) != '"';) node->text += take_character();
      take();
    } else if (rest_[0] == '[') {
      node->kind = Kind::set;
      take();
      read_set(node->bytes);
    } else {
      node->kind = Kind::rule;
      while (!rest_.empty() && (std::isalnum(static_cast<unsigned char>(rest_[0])) || rest_[0] == '-'))
        node->text += take();
      if (node->text.empty()) throw std::runtime_error("a rule's name missing: " + std::string(rest_));
    }
    return node;
  }

  void read_set(std::set<char>& bytes) {
    const bool negated = rest_.at(0) == '^';
    if (negated) take();
    while (rest_.at(0) != ']') {
      const char low = take_character();
      char high = low;
      if (rest_.at(0) == '-' && rest_.at(1) != ']') {
        take();
        high = take_character();
      }
      for (int c = low; c <= high; ++c) bytes.insert(static_cast<char>(c));
    }
    take();
    if (!negated) return;
    std::set<char> others;
    for (int c = 0; c < 128; ++c) {
      if (!bytes.contains(static_cast<char>(c))) others.insert(static_cast<char>(c));
    }
    bytes = std::move(others);
  }

  std::map<std::string, NodePtr> rules_;
  std::string_view rest_;
};

/// Follows every way to read the text at once: a state is a place in a terminal and what is to come after it.
class Matcher {
 public:
  explicit Matcher(const Grammar& grammar) : grammar_(grammar) { enter(grammar.rule("root"), 0); }

  /// False, and nothing changes, where no text of the grammar goes on so.
  bool accept(char c) {
    const std::set<State> before = std::move(states_);
    const bool before_end = at_end_;
    states_.clear();
    entered_.clear();
    at_end_ = false;
    for (const auto& [node, offset, frame] : before) {
      if (node->kind == Kind::set) {
        if (node->bytes.contains(c)) leave(frame);
      } else if (node->text[offset] == c) {
        if (offset + 1 == node->text.size()) {
          leave(frame);
        } else {
          states_.emplace(node, offset + 1, frame);
        }
      }
    }
    if (!states_.empty() || at_end_) return true;
    states_ = before;
    at_end_ = before_end;
    return false;
  }
  [[nodiscard]] bool complete() const { return at_end_; }

  /// The bytes accepted: all of them where the text is a beginning of one of the grammar.
  static std::size_t accepted(const Grammar& grammar, std::string_view text, bool& complete) {
    Matcher matcher(grammar);
    std::size_t count = 0;
    while (count < text.size() && matcher.accept(text[count])) ++count;
    complete = count == text.size() && matcher.complete();
    return count;
  }

 private:
  using State = std::tuple<const Node*, std::size_t, int>;

  int push(const Node& node, int frame) {
    const auto [at, fresh] = frames_.try_emplace({&node, frame}, static_cast<int>(contents_.size()) + 1);
    if (fresh) contents_.emplace_back(&node, frame);
    return at->second;
  }

  void leave(int frame) {
    if (frame == 0) {
      at_end_ = true;
    } else {
      const auto [node, next] = contents_[static_cast<std::size_t>(frame) - 1];
      enter(*node, next);
    }
  }

  void enter(const Node& node, int frame) {
    if (!entered_.emplace(&node, frame).second) return;
    switch (node.kind) {
      case Kind::literal:
      case Kind::set: states_.emplace(&node, 0, frame); break;
      case Kind::rule: enter(grammar_.rule(node.text), frame); break;
      case Kind::sequence: {
        if (node.children.empty()) return leave(frame);
        int after = frame;
        for (std::size_t i = node.children.size(); i-- > 1;) after = push(*node.children[i], after);
        enter(*node.children[0], after);
        break;
      }
      case Kind::choice:
        for (const NodePtr& child : node.children) enter(*child, frame);
        break;
      case Kind::optional:
        enter(*node.children[0], frame);
        leave(frame);
        break;
      case Kind::star:
        enter(*node.children[0], push(node, frame));
        leave(frame);
        break;
    }
  }

  const Grammar& grammar_;
  std::set<State> states_;
  std::set<std::pair<const Node*, int>> entered_;
  std::map<std::pair<const Node*, int>, int> frames_;
  std::vector<std::pair<const Node*, int>> contents_;
  bool at_end_ = false;
};

/// Draws texts of a grammar. Below a depth it takes the shortest way out.
class Sampler {
 public:
  Sampler(const Grammar& grammar, std::uint64_t seed) : grammar_(grammar), random_(seed) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, node] : grammar.rules()) {
        const int height = std::min(kUnknown, height_of(*node) + 1);
        const auto at = heights_.emplace(name, kUnknown).first;
        changed = changed || height < at->second;
        at->second = std::min(at->second, height);
      }
    }
  }

  std::string draw() {
    std::string out;
    draw(grammar_.rule("root"), 0, out);
    return out;
  }

 private:
  static constexpr int kUnknown = 1000000;
  static constexpr int kDepth = 12;

  [[nodiscard]] int height_of(const Node& node) const {
    int height = node.kind == Kind::choice ? kUnknown : 0;
    if (node.kind == Kind::rule) {
      const auto at = heights_.find(node.text);
      return at == heights_.end() ? kUnknown : at->second;
    }
    if (node.kind == Kind::optional || node.kind == Kind::star) return 0;
    for (const NodePtr& child : node.children) {
      height = node.kind == Kind::choice ? std::min(height, height_of(*child)) : std::max(height, height_of(*child));
    }
    return height;
  }

  void draw(const Node& node, int depth, std::string& out) {
    switch (node.kind) {
      case Kind::literal: out += node.text; break;
      case Kind::set:
        out += *std::next(node.bytes.begin(), static_cast<std::ptrdiff_t>(random_.below(node.bytes.size())));
        break;
      case Kind::rule: draw(grammar_.rule(node.text), depth + 1, out); break;
      case Kind::sequence:
        for (const NodePtr& child : node.children) draw(*child, depth, out);
        break;
      case Kind::choice: {
        const Node* chosen = node.children[random_.below(node.children.size())].get();
        if (depth > kDepth) {
          for (const NodePtr& child : node.children) {
            if (height_of(*child) < height_of(*chosen)) chosen = child.get();
          }
        }
        draw(*chosen, depth, out);
        break;
      }
      case Kind::optional:
        if (depth <= kDepth && random_.chance(1, 3)) draw(*node.children[0], depth, out);
        break;
      case Kind::star:
        while (depth <= kDepth && random_.chance(1, 4)) draw(*node.children[0], depth, out);
        break;
    }
  }

  const Grammar& grammar_;
  Random random_;
  std::map<std::string, int> heights_;
};

}  // namespace steptp::gbnf_test
