// An argmax stores which element won, as an integer that is only ever chosen and stored. As an integer it would have to
// be drawn; as a real it can stay open like the comparison that chose it. Tensors of which every write is a choice, and
// every read is stored or chosen as it is, become reals. docs/decisions/0012-every-way-at-once.md.
#include "steptp/machine/choices.h"

#include <algorithm>
#include <utility>

namespace steptp::certify {

namespace {

/// Tensors of integers whose every write is a choice, and of which every read is stored or chosen as it is.
class Chosen {
 public:
  explicit Chosen(const Code& code) : code_(code), is_chosen_(code.tensors.size(), false) {
    for (std::size_t i = 0; i < code.tensors.size(); ++i) {
      const TensorCode& tensor = code.tensors[i];
      is_chosen_[i] = !is_float(tensor.dtype) && tensor.dtype != DType::boolean && !tensor.known;
    }
    for (const Access& access : code.accesses) forbid_in_subscripts(access);
    for (const IndexCode& index : code.indices) forbid_in(index);
    for (const StatementCode& statement : code.statements) {
      forbid_in_subscripts(statement.left);
      if (statement.accumulates) is_chosen_[statement.tensor] = false;
    }
    // What one tensor may not be, another one that takes values from it may not be either.
    bool has_changed = true;
    while (std::exchange(has_changed, false)) {
      for (const StatementCode& statement : code.statements) {
        for (const std::uint32_t guard : statement.guards) has_changed = forbid_reads(guard) || has_changed;
        const bool stays = is_chosen_[statement.tensor] && can_be_real(statement.right);
        if (is_chosen_[statement.tensor] && !stays) {
          is_chosen_[statement.tensor] = false;
          has_changed = true;
        }
        has_changed = (stays ? forbid_inside(statement.right) : forbid_reads(statement.right)) || has_changed;
      }
    }
  }

  [[nodiscard]] bool contains(std::uint32_t tensor) const { return is_chosen_[tensor]; }
  /// Something would be another code.
  [[nodiscard]] bool has_any() const {
    return std::find(is_chosen_.begin(), is_chosen_.end(), true) != is_chosen_.end() ||
           std::any_of(code_.nodes.begin(), code_.nodes.end(), [this](const Node& node) {
             return node.op == Op::real_of_integer && is_choice(code_.nodes[node.first]);
           });
  }

  [[nodiscard]] bool is_read_of_one(const Node& node) const {
    return node.op == Op::integer_read && is_chosen_[code_.accesses[node.payload].tensor];
  }
  /// A choice between integers, or a read of one that was chosen.
  [[nodiscard]] bool is_choice(const Node& node) const {
    return is_read_of_one(node) || (node.op == Op::integer_select && node.dtype != DType::boolean);
  }

 private:
  void forbid_in_subscripts(const Access& access) {
    for (const IndexCode& subscript : access.subscripts) forbid_in(subscript);
    for (const IndexCode& hidden : access.hidden) forbid_in(hidden);
  }
  void forbid_in(const IndexCode& index) {
    for (const IndexProduct& product : index.terms) {
      for (const IndexAtom& factor : product.factors) {
        if (factor.dividend) forbid_in(*factor.dividend);
        if (factor.divisor) forbid_in(*factor.divisor);
        if (!factor.read) continue;
        is_chosen_[factor.read->tensor] = false;
        forbid_in_subscripts(*factor.read);
      }
    }
  }

  /// A wrap of a choice is no choice: what it does to its arms depends on which one it is.
  [[nodiscard]] bool can_be_real(std::uint32_t number) const {
    const Node& node = code_.nodes[number];
    if (is_choice(node)) return node.op == Op::integer_read || (can_be_real(node.second) && can_be_real(node.third));
    return node.op != Op::integer_wrap || !is_choice(code_.nodes[node.first]);
  }

  /// Reads below a place where integers are wanted.
  bool forbid_reads(std::uint32_t number) {
    if (number == kNone) return false;
    const Node& node = code_.nodes[number];
    if (node.op == Op::real_of_integer) return forbid_inside(node.first);
    bool has_changed = false;
    if (is_read_of_one(node)) {
      is_chosen_[code_.accesses[node.payload].tensor] = false;
      has_changed = true;
    }
    for (const std::uint32_t operand : {node.first, node.second, node.third}) {
      has_changed = forbid_reads(operand) || has_changed;
    }
    return has_changed;
  }
  /// The same below a choice.
  bool forbid_inside(std::uint32_t number) {
    const Node& node = code_.nodes[number];
    if (is_read_of_one(node)) return false;
    if (!is_choice(node)) return forbid_reads(number);
    bool has_changed = forbid_reads(node.first);
    has_changed = forbid_inside(node.second) || has_changed;
    return forbid_inside(node.third) || has_changed;
  }

  const Code& code_;
  std::vector<bool> is_chosen_;
};

class Rewriter {
 public:
  Rewriter(const Code& code, const Chosen& chosen) : chosen_(chosen), code_(std::make_shared<Code>(code)) {}

  std::shared_ptr<const Code> run() {
    for (std::uint32_t i = 0; i < code_->tensors.size(); ++i) {
      if (chosen_.contains(i)) code_->tensors[i].dtype = DType::f64;
    }
    const std::size_t count = code_->nodes.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Node node = code_->nodes[i];
      if (node.op != Op::real_of_integer || !chosen_.is_choice(code_->nodes[node.first])) continue;
      const Node made = code_->nodes[as_real(node.first)];
      code_->nodes[i] = made;
    }
    for (StatementCode& statement : code_->statements) {
      if (!chosen_.contains(statement.tensor)) continue;
      statement.right = as_real(statement.right);
      statement.dtype = DType::f64;
    }
    return code_;
  }

 private:
  std::uint32_t as_real(std::uint32_t number) {
    Node node = code_->nodes[number];
    node.dtype = DType::f64;
    if (chosen_.is_read_of_one(code_->nodes[number])) {
      node.op = Op::real_read;
    } else if (chosen_.is_choice(code_->nodes[number])) {
      node.op = Op::real_select;
      node.second = as_real(node.second);
      node.third = as_real(node.third);
    } else {
      node = {};
      node.op = Op::real_of_integer;
      node.first = number;
    }
    code_->nodes.push_back(node);
    return static_cast<std::uint32_t>(code_->nodes.size() - 1);
  }

  const Chosen& chosen_;
  std::shared_ptr<Code> code_;
};

}  // namespace

std::shared_ptr<const Code> choices_as_reals(const Code& code) {
  const Chosen chosen(code);
  if (!chosen.has_any()) return nullptr;
  return Rewriter(code, chosen).run();
}

}  // namespace steptp::certify
