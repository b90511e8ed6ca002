// Loops of different expressions are the same where a tensor that one of them makes has both as the same subscript.
// Loops that no tensor connects are paired by their extents: any pairing is right, because no data passes between them.
#include "steptp/moves/joint_blocks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kNone = SIZE_MAX;

/// A top-level expression: its header, and the loops of it by which everything in it is written.
struct Expression {
  const Nest* nest = nullptr;
  std::vector<const Statement*> statements;
  std::vector<std::size_t> own;  ///< of more than one iteration, in the order of the last equation's left subscripts

  [[nodiscard]] std::size_t position(const std::string& index) const {
    for (std::size_t i = 0; i < nest->loops.size(); ++i) {
      if (nest->loops[i].index == index) return i;
    }
    return kNone;
  }
  [[nodiscard]] bool has_own(std::size_t loop) const { return std::find(own.begin(), own.end(), loop) != own.end(); }
};

bool is_global(const Statement& statement) { return statement.equation->left->scope == Scope::global; }

std::optional<Expression> expression_at(View& view, std::uint32_t number) {
  if (number >= view.program().nests.size()) return std::nullopt;
  Expression out;
  out.nest = view.program().nests[number].get();
  const Statement* last = nullptr;
  std::set<std::string> common;
  for (const Statement& statement : view.table().statements) {
    if (statement.items[0] != number) continue;
    out.statements.push_back(&statement);
    if (!is_global(statement)) continue;
    std::set<std::string> written;
    for (const AxisOf& axis : axes_of(statement).spatial) {
      if (!last || common.contains(axis.index)) written.insert(axis.index);
    }
    common = std::move(written);
    last = &statement;
  }
  const auto is_plain = [](const Loop& loop) {
    return loop.kind == LoopKind::serial || loop.kind == LoopKind::bound;
  };
  if (!last || !std::all_of(out.nest->loops.begin(), out.nest->loops.end(), is_plain)) return std::nullopt;
  for (const Index& subscript : last->equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) {
      const std::size_t at = out.position(name);
      const bool counts = at != kNone && common.contains(name) && out.nest->loops[at].extent > 1;
      if (counts && !out.has_own(at)) out.own.push_back(at);
    });
  }
  return out;
}

/// Loops and dimensions that are the same, as sets that grow together.
class Classes {
 public:
  std::size_t add() {
    parents_.push_back(parents_.size());
    is_mixed_.push_back(false);
    return parents_.size() - 1;
  }
  std::size_t find(std::size_t at) {
    while (parents_[at] != at) at = parents_[at] = parents_[parents_[at]];
    return at;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    is_mixed_[a] = is_mixed_[a] || is_mixed_[b];
    parents_[b] = a;
  }
  /// What one iteration of it makes, others may read.
  void mix(std::size_t at) { is_mixed_[find(at)] = true; }
  [[nodiscard]] bool is_mixed(std::size_t at) { return is_mixed_[find(at)]; }

 private:
  std::vector<std::size_t> parents_;
  std::vector<bool> is_mixed_;
};

/// The loops of a run of expressions, in classes of those that have to be one loop.
class Pairing {
 public:
  Pairing(View& view, std::vector<Expression> run) : view_(view), run_(std::move(run)) {
    for (const Expression& expression : run_) {
      std::map<std::size_t, std::size_t>& nodes = loops_.emplace_back();
      for (const std::size_t loop : expression.own) nodes.emplace(loop, classes_.add());
    }
    for (const std::string& tensor : made()) connect(tensor);
  }

  /// Tensors in g that the run writes.
  [[nodiscard]] std::vector<std::string> made() const {
    std::vector<std::string> out;
    for (const Expression& expression : run_) {
      for (const Statement* statement : expression.statements) {
        const std::string& name = statement->equation->left->tensor;
        if (is_global(*statement) && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
      }
    }
    return out;
  }

  /// For each loop that all expressions have: which it is in each of them. In the order of the last one's result.
  [[nodiscard]] std::vector<std::vector<std::size_t>> common() {
    std::vector<std::vector<std::size_t>> out;
    std::vector<std::set<std::size_t>> taken(run_.size());
    for (const std::size_t loop : run_.back().own) {
      std::vector<std::size_t> partners = partners_of(loop, taken);
      if (partners.empty()) continue;
      for (std::size_t i = 0; i < run_.size(); ++i) taken[i].insert(partners[i]);
      out.push_back(std::move(partners));
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t number_of(const Statement& statement) const {
    for (std::size_t i = 0; i < run_.size(); ++i) {
      if (run_[i].statements[0]->items[0] == statement.items[0]) return i;
    }
    return kNone;
  }

  /// The accesses of the run to a tensor: their expressions and their numbers.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> accesses_to(const std::string& tensor) const {
    const TensorFacts& facts = view_.table().tensors.at(tensor);
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (const std::vector<std::size_t>* numbers : {&facts.writes, &facts.reads}) {
      for (const std::size_t number : *numbers) {
        const std::size_t part = number_of(view_.table().statements[view_.table().accesses[number].statement]);
        if (part != kNone) out.emplace_back(part, number);
      }
    }
    return out;
  }

  /// The dimensions of a tensor are classes, and a loop that is a subscript is in that of its dimension. What only one
  /// expression touches connects nothing.
  void connect(const std::string& tensor) {
    const auto accesses = accesses_to(tensor);
    const bool passes = std::any_of(accesses.begin(), accesses.end(),
                                    [&](const auto& access) { return access.first != accesses[0].first; });
    if (!passes) return;
    std::vector<std::size_t> dimensions;
    for (const auto& [part, number] : accesses) {
      const std::vector<Index>& subscripts = view_.table().accesses[number].ref->subscripts;
      while (dimensions.size() < subscripts.size()) dimensions.push_back(classes_.add());
      for (std::size_t i = 0; i < subscripts.size(); ++i) connect(part, subscripts[i], dimensions[i]);
    }
  }

  void connect(std::size_t part, const Index& subscript, std::size_t dimension) {
    const std::string* name = subscript.as_variable();
    const std::size_t loop = name ? run_[part].position(*name) : kNone;
    const auto node = loop == kNone ? loops_[part].end() : loops_[part].find(loop);
    if (node != loops_[part].end()) return classes_.join(dimension, node->second);
    classes_.mix(dimension);
    for_each_variable(subscript, [&](const std::string& other) {
      const auto moved = loops_[part].find(run_[part].position(other));
      if (moved != loops_[part].end()) classes_.mix(moved->second);
    });
  }

  /// The loop of each expression that is the same as one of the last; empty where some have none.
  [[nodiscard]] std::vector<std::size_t> partners_of(std::size_t last, const std::vector<std::set<std::size_t>>& taken) {
    const std::int64_t extent = run_.back().nest->loops[last].extent;
    std::set<std::size_t> wanted = {classes_.find(loops_.back().at(last))};
    std::vector<std::size_t> out(run_.size(), kNone);
    for (std::size_t i = run_.size(); i-- > 0;) {
      std::size_t found = only_of(i, wanted);
      if (found == kNone && !has_any(i, wanted)) found = unconnected(i, extent, taken[i], wanted);
      if (found == kNone || run_[i].nest->loops[found].extent != extent) return {};
      if (classes_.is_mixed(loops_[i].at(found))) return {};
      wanted.insert(classes_.find(loops_[i].at(found)));
      out[i] = found;
    }
    // What was paired by its extent must not come back as another loop.
    for (std::size_t i = 0; i < run_.size(); ++i) {
      if (only_of(i, wanted) != out[i]) return {};
    }
    return out;
  }

  [[nodiscard]] bool has_any(std::size_t part, const std::set<std::size_t>& wanted) {
    return std::any_of(loops_[part].begin(), loops_[part].end(),
                       [&](const auto& node) { return wanted.contains(classes_.find(node.second)); });
  }

  [[nodiscard]] std::size_t only_of(std::size_t part, const std::set<std::size_t>& wanted) {
    std::size_t found = kNone;
    for (const auto& [loop, node] : loops_[part]) {
      if (!wanted.contains(classes_.find(node))) continue;
      if (found != kNone) return kNone;
      found = loop;
    }
    return found;
  }

  /// The first loop of an expression with this extent that no tensor connects with expressions seen so far.
  [[nodiscard]] std::size_t unconnected(std::size_t part, std::int64_t extent, const std::set<std::size_t>& taken,
                                        const std::set<std::size_t>& wanted) {
    for (const std::size_t loop : run_[part].own) {
      const std::size_t node = loops_[part].at(loop);
      if (run_[part].nest->loops[loop].extent != extent || taken.contains(loop) || classes_.is_mixed(node)) continue;
      if (!is_elsewhere(part, classes_.find(node)) && !wanted.contains(classes_.find(node))) return loop;
    }
    return kNone;
  }

  /// Some expression behind has a loop of the class.
  [[nodiscard]] bool is_elsewhere(std::size_t part, std::size_t wanted) {
    for (std::size_t i = part + 1; i < run_.size(); ++i) {
      if (has_any(i, {wanted})) return true;
    }
    return false;
  }

  View& view_;
  std::vector<Expression> run_;
  Classes classes_;
  std::vector<std::map<std::size_t, std::size_t>> loops_;  ///< of each expression: loop -> class
};

JointPart part_of(const Expression& expression, std::vector<std::size_t> blocks) {
  JointPart out;
  for (const Loop& loop : expression.nest->loops) out.extents.push_back(loop.extent);
  for (const std::size_t loop : expression.own) {
    if (std::find(blocks.begin(), blocks.end(), loop) == blocks.end()) out.own.push_back(loop);
  }
  for (std::size_t i = 0; i < expression.nest->loops.size(); ++i) {
    if (!expression.has_own(i)) out.rest.push_back(i);
  }
  out.blocks = std::move(blocks);
  const Statement& first = *expression.statements[0];
  out.folds = expression.statements.size() == 1 && first.items.size() == 2 && first.accumulates.has_value();
  return out;
}

}  // namespace

Result<JointBlocks, std::string> find_joint_blocks(View& view, std::uint32_t first, std::size_t count) {
  std::vector<Expression> run;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = first + static_cast<std::uint32_t>(i);
    auto expression = expression_at(view, number);
    if (!expression) return concat("expression ", number, " has no header of L and B loops around what it makes in g");
    run.push_back(*std::move(expression));
  }
  JointBlocks out;
  out.first = first;
  Pairing pairing(view, run);
  out.made = pairing.made();
  const std::vector<std::vector<std::size_t>> common = pairing.common();
  if (common.empty()) return concat("no loop is common to all of the ", count, " expressions from ", first, " on");
  for (const std::vector<std::size_t>& loop : common) out.extents.push_back(run[0].nest->loops[loop[0]].extent);
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::vector<std::size_t> blocks;
    for (const std::vector<std::size_t>& loop : common) blocks.push_back(loop[i]);
    out.parts.push_back(part_of(run[i], std::move(blocks)));
  }
  return out;
}

}  // namespace steptp
