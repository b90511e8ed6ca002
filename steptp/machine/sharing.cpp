// Statements of two programs are the same where the same stands in them and they read from statements that are the
// same. They are put into classes by what stands in them, and classes are split until writers agree, as when automata
// are made minimal; what this never tells apart stores the same values. docs/decisions/0013-windows-and-lanes.md.
#include "steptp/machine/sharing.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace steptp::certify {

namespace {

/// What stands in a statement, without the names of what it computes from; and its reads, in the order of the text.
class Description {
 public:
  Description(const Code& code, const StatementCode& statement) : code_(code) {
    add(statement.extents.size());
    for (const std::int64_t extent : statement.extents) add(extent);
    add(statement.dtype);
    add(statement.accumulates);
    add(statement.accumulation);
    add(statement.private_from);
    access(statement.left);
    writers.push_back(&statement.earlier);
    add(statement.guards.size());
    for (const std::uint32_t guard : statement.guards) node(guard);
    node(statement.right);
  }
  Description(const Code& code, std::uint32_t expression) : code_(code) { node(expression); }
  Description(const Code& code, const Access& place) : code_(code) { subscripts(place); }

  std::vector<std::int64_t> numbers;
  std::vector<const std::vector<Writer>*> writers;
  bool is_plain = true;

 private:
  template <typename Number>
  void add(Number number) {
    numbers.push_back(static_cast<std::int64_t>(number));
  }

  void index(const IndexCode& code) {
    add(code.constant);
    add(code.terms.size());
    for (const IndexProduct& product : code.terms) {
      add(product.coefficient);
      add(product.factors.size());
      for (const IndexAtom& factor : product.factors) {
        add(factor.kind);
        add(factor.slot);
        if (factor.dividend) index(*factor.dividend);
        if (factor.divisor) index(*factor.divisor);
        if (factor.read) access(*factor.read);
      }
    }
  }

  void access(const Access& access) {
    const TensorCode& tensor = code_.tensors[access.tensor];
    add(tensor.known != nullptr);
    add(tensor.dtype);
    if (tensor.known) {
      for (const char c : tensor.name) add(c);
      add(0);
    }
    subscripts(access);
    writers.push_back(&access.writers);
  }

  void subscripts(const Access& access) {
    add(access.subscripts.size());
    for (const IndexCode& subscript : access.subscripts) index(subscript);
    add(access.hidden.size());
    for (const IndexCode& hidden : access.hidden) index(hidden);
  }

  void node(std::uint32_t number) {
    if (number == kNone) return add(-1);
    const Node& node_code = code_.nodes[number];
    add(node_code.op);
    add(node_code.dtype);
    add(node_code.arithmetic);
    add(node_code.function);
    add(node_code.comparison);
    add(node_code.logic);
    add(node_code.integer);
    add(node_code.branch == kNone);
    is_plain = is_plain && node_code.branch == kNone;
    switch (node_code.op) {
      case Op::real_literal:
        add(code_.literals[node_code.payload].digits);
        add(code_.literals[node_code.payload].exponent);
        break;
      case Op::integer_slot: add(node_code.payload); break;
      case Op::integer_index: index(code_.indices[node_code.payload]); break;
      case Op::real_read:
      case Op::integer_read: access(code_.accesses[node_code.payload]); break;
      case Op::real_infinity:
      case Op::real_of_integer:
      case Op::real_accumulator:
      case Op::real_arithmetic:
      case Op::real_function:
      case Op::real_select:
      case Op::integer_literal:
      case Op::integer_accumulator:
      case Op::integer_of_real:
      case Op::integer_wrap:
      case Op::integer_arithmetic:
      case Op::integer_power:
      case Op::integer_function:
      case Op::integer_select:
      case Op::compare_reals:
      case Op::compare_integers:
      case Op::logic: break;
    }
    node(node_code.first);
    node(node_code.second);
    node(node_code.third);
  }

  const Code& code_;
};

/// Numbers for lists: equal lists, equal numbers.
class Numbering {
 public:
  std::uint32_t number(std::vector<std::int64_t> list) {
    return numbers_.try_emplace(std::move(list), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers_;
};

using Classes = std::vector<std::uint32_t>;

std::vector<std::int64_t> refined(const Description& description, std::uint32_t own, const Classes& classes) {
  std::vector<std::int64_t> list = {own};
  for (const auto* writers : description.writers) {
    list.push_back(-1);
    for (const Writer& writer : *writers) {
      list.push_back(classes[writer.statement]);
      list.push_back(writer.shared_loops);
      list.push_back(writer.stands_first ? 1 : 0);
    }
  }
  return list;
}

/// Whether a statement and all that it depends on have no branch.
std::vector<bool> plain_statements(const Code& code, const std::vector<Description>& descriptions) {
  std::vector<bool> plain(code.statements.size());
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = descriptions[i].is_plain;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (!plain[i]) continue;
      for (const auto* writers : descriptions[i].writers) {
        for (const Writer& writer : *writers) {
          if (!plain[writer.statement]) plain[i] = false;
        }
      }
      changed = changed || !plain[i];
    }
  }
  return plain;
}

}  // namespace

Sharing find_shared(const Code& before, const Code& after) {
  const Code* codes[] = {&before, &after};
  std::vector<Description> descriptions[2];
  Classes classes[2];
  std::size_t count = 0;
  {
    // In the order of the text with what is known of the writers before, so that a long chain is told apart at once.
    Numbering texts;
    Numbering numbering;
    for (int side = 0; side < 2; ++side) {
      classes[side].assign(codes[side]->statements.size(), kNone);
      for (std::size_t i = 0; i < classes[side].size(); ++i) {
        const Description& made = descriptions[side].emplace_back(*codes[side], codes[side]->statements[i]);
        classes[side][i] = numbering.number(refined(made, texts.number(made.numbers), classes[side]));
      }
    }
    count = numbering.size();
  }
  for (;;) {
    Numbering numbering;
    Classes finer[2];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < classes[side].size(); ++i) {
        finer[side].push_back(numbering.number(refined(descriptions[side][i], classes[side][i], classes[side])));
      }
    }
    for (int side = 0; side < 2; ++side) classes[side] = std::move(finer[side]);
    if (numbering.size() == count) break;
    count = numbering.size();
  }
  const std::vector<bool> plain = plain_statements(after, descriptions[1]);
  Sharing sharing;
  std::map<std::uint32_t, std::uint32_t> first;
  for (std::uint32_t i = 0; i < classes[0].size(); ++i) {
    sharing.first.push_back(first.try_emplace(classes[0][i], i).first->second);
  }
  for (std::size_t i = 0; i < classes[1].size(); ++i) {
    const auto at = first.find(classes[1][i]);
    sharing.all.push_back(at != first.end() ? at->second : kNone);
    sharing.plain.push_back(plain[i] ? sharing.all.back() : kNone);
  }
  return sharing;
}

namespace {

bool is_alike(const Description& left, const Description& right, std::vector<WriterPair>& writers) {
  if (left.numbers != right.numbers || left.writers.size() != right.writers.size()) return false;
  for (std::size_t i = 0; i < left.writers.size(); ++i) {
    const auto& old_list = *left.writers[i];
    const auto& new_list = *right.writers[i];
    if (old_list.size() != new_list.size()) return false;
    for (std::size_t k = 0; k < old_list.size(); ++k) {
      if (old_list[k].shared_loops != new_list[k].shared_loops) return false;
      if (old_list[k].stands_first != new_list[k].stands_first) return false;
      writers.push_back({old_list[k].statement, new_list[k].statement});
    }
  }
  return true;
}

}  // namespace

bool is_alike(const Code& before, const StatementCode& one, const Code& after, const StatementCode& other,
              std::vector<WriterPair>& writers) {
  return is_alike(Description(before, one), Description(after, other), writers);
}

bool is_alike_value(const Code& code, std::uint32_t one, std::uint32_t other, std::vector<WriterPair>& writers) {
  return is_alike(Description(code, one), Description(code, other), writers);
}

bool are_same_places(const Code& code, const Access& one, const Access& other) {
  const Description left(code, one);
  const Description right(code, other);
  // Subscripts that read data may have changed between the two.
  return left.numbers == right.numbers && left.writers.empty() && right.writers.empty();
}

}  // namespace steptp::certify
