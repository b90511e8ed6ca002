#include "steptp/moves/parts.h"

#include <algorithm>

namespace steptp {

namespace {

std::set<std::string> variables_in(const Ref& ref) {
  std::set<std::string> out;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&out](const std::string& name) { out.insert(name); });
  }
  return out;
}

/// The statements with an access among these numbers, each once, in order.
std::vector<const Statement*> statements_of(View& view, const std::vector<std::size_t>& accesses, bool accumulators) {
  std::vector<const Statement*> out;
  for (const std::size_t number : accesses) {
    const Access& access = view.table().accesses[number];
    const Statement* statement = &view.table().statements[access.statement];
    if (access.is_accumulator && !accumulators) continue;
    if (out.empty() || out.back() != statement) out.push_back(statement);
  }
  return out;
}

const TensorFacts* facts_of(View& view, const std::string& tensor) {
  const auto found = view.table().tensors.find(tensor);
  return found == view.table().tensors.end() ? nullptr : &found->second;
}

/// The coefficient of a loop in an affine index; nothing where the index is not affine in it.
std::optional<std::int64_t> coefficient(const Index& index, const std::string& loop) {
  std::int64_t out = 0;
  for (const IndexTerm& term : index.terms()) {
    for (const IndexAtom& factor : term.factors) {
      const auto* variable = std::get_if<LoopVariable>(&factor);
      if (variable && variable->name == loop) {
        if (term.factors.size() != 1) return std::nullopt;
        out += term.coefficient;
      } else if (!variable) {
        bool inside = false;
        for_each_variable(index, [&](const std::string& name) { inside = inside || name == loop; });
        if (inside) return std::nullopt;
      }
    }
  }
  return out;
}

bool mixes(const Ref& ref, const std::set<std::string>& spatial, const std::set<std::string>& reduced) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(), [&](const Index& subscript) {
    bool has_spatial = false;
    bool has_reduced = false;
    for_each_variable(subscript, [&](const std::string& name) {
      has_spatial = has_spatial || spatial.contains(name);
      has_reduced = has_reduced || reduced.contains(name);
    });
    return has_spatial && has_reduced;
  });
}

}  // namespace

std::vector<AxisOf> loops_around(const Statement& statement) {
  std::vector<AxisOf> out;
  for (std::size_t depth = 0; depth < statement.nests.size(); ++depth) {
    const std::vector<std::uint32_t> items(statement.items.begin(),
                                           statement.items.begin() + static_cast<std::ptrdiff_t>(depth) + 1);
    const std::vector<Loop>& loops = statement.nests[depth]->loops;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      out.push_back({loop_site(items, i), loops[i].index, loops[i].extent, loops[i].kind});
    }
  }
  return out;
}

Axes axes_of(const Statement& statement) {
  const std::set<std::string> left = variables_in(*statement.equation->left);
  Axes out;
  for (AxisOf& axis : loops_around(statement)) {
    std::vector<AxisOf>& list = left.contains(axis.index) ? out.spatial
                                : statement.accumulates   ? out.reduced
                                                          : out.repeated;
    list.push_back(std::move(axis));
  }
  return out;
}

std::int64_t iterations(const std::vector<AxisOf>& axes) {
  std::int64_t product = 1;
  for (const AxisOf& axis : axes) {
    if (__builtin_mul_overflow(product, axis.extent, &product)) return INT64_MAX;
  }
  return product;
}

bool is_elementwise(const Statement& statement) {
  if (statement.accumulates) return false;
  const Ref& left = *statement.equation->left;
  std::set<std::string> named;
  for (const Index& subscript : left.subscripts) {
    const std::string* name = subscript.as_variable();
    if (!name && !subscript.is_constant()) return false;
    if (name && !named.insert(*name).second) return false;
  }
  const bool all = std::all_of(statement.loops.begin(), statement.loops.end(),
                               [&](const Loop* loop) { return named.contains(loop->index) || loop->extent == 1; });
  bool reads_itself = false;
  for_each_ref(*statement.equation->right,
               [&](const RefPtr& ref) { reads_itself = reads_itself || ref->tensor == left.tensor; });
  return all && !reads_itself;
}

std::vector<const Statement*> writers_of(View& view, const std::string& tensor) {
  const TensorFacts* facts = facts_of(view, tensor);
  return facts ? statements_of(view, facts->writes, true) : std::vector<const Statement*>();
}

std::vector<const Statement*> readers_of(View& view, const std::string& tensor) {
  const TensorFacts* facts = facts_of(view, tensor);
  return facts ? statements_of(view, facts->reads, false) : std::vector<const Statement*>();
}

const Statement* only_writer(View& view, const std::string& tensor) {
  const std::vector<const Statement*> all = writers_of(view, tensor);
  return all.size() == 1 ? all[0] : nullptr;
}

const Statement* only_reader(View& view, const std::string& tensor) {
  const std::vector<const Statement*> all = readers_of(view, tensor);
  return all.size() == 1 ? all[0] : nullptr;
}

bool is_intermediate(View& view, const std::string& tensor) {
  const TensorFacts* facts = facts_of(view, tensor);
  return facts && !facts->known;
}

const Statement* only_statement(View& view, std::uint32_t expression) {
  return statement_at(view, item_site({expression}));
}

const Statement* statement_at(View& view, const Site& site) {
  if (site.part != Site::Part::item) return nullptr;
  const Statement* found = nullptr;
  for (const Statement& statement : view.table().statements) {
    if (statement.items.size() < site.items.size()) continue;
    if (!std::equal(site.items.begin(), site.items.end(), statement.items.begin())) continue;
    if (found) return nullptr;
    found = &statement;
  }
  return found;
}

std::optional<Multiplied> find_multiplied(const Statement& statement) {
  if (statement.accumulates != ArithmeticOp::add) return std::nullopt;
  const auto* sum = std::get_if<Sum>(&statement.equation->right->node);
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::add) return std::nullopt;
  const auto is_left = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, *statement.equation->left);
  };
  const std::uint32_t term = is_left(sum->operands[0]) ? 1 : 0;
  const auto* product = std::get_if<Product>(&sum->operands[term]->node);
  if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) return std::nullopt;
  const auto* a = std::get_if<Read>(&product->operands[0]->node);
  const auto* b = std::get_if<Read>(&product->operands[1]->node);
  if (!a || !b) return std::nullopt;
  const auto site = [&](std::uint32_t factor) {
    return Site{statement.items, Site::Part::right, {term, factor}, std::nullopt};
  };
  return Multiplied{site(0), site(1), a->ref, b->ref};
}

std::optional<Contraction> find_contraction(const Statement& statement) {
  auto factors = find_multiplied(statement);
  if (!factors) return std::nullopt;
  const std::set<std::string> in_a = variables_in(*factors->a);
  const std::set<std::string> in_b = variables_in(*factors->b);
  Contraction out;
  out.statement = &statement;
  const Axes axes = axes_of(statement);
  for (const AxisOf& axis : axes.spatial) {
    const bool a = in_a.contains(axis.index);
    const bool b = in_b.contains(axis.index);
    // The same for all its iterations: no contraction but a broadcast.
    if (!a && !b && axis.extent > 1) return std::nullopt;
    (a == b ? out.batch : a ? out.m : out.n).push_back(axis);
  }
  for (const AxisOf& axis : axes.reduced) {
    if (axis.extent > 1 && (!in_a.contains(axis.index) || !in_b.contains(axis.index))) return std::nullopt;
    out.k.push_back(axis);
  }
  if (out.k.empty()) return std::nullopt;
  out.a_site = std::move(factors->a_site);
  out.b_site = std::move(factors->b_site);
  out.a = std::move(factors->a);
  out.b = std::move(factors->b);
  return out;
}

bool Contraction::has_window(const std::set<std::string>& axes) const {
  std::set<std::string> reduced;
  for (const AxisOf& axis : k) reduced.insert(axis.index);
  return mixes(*a, axes, reduced) || mixes(*b, axes, reduced);
}

std::optional<std::vector<std::int64_t>> tile_of(const Statement& statement, const Ref& ref,
                                                 const std::set<std::string>& loops) {
  std::vector<std::int64_t> out;
  for (const Index& subscript : ref.subscripts) {
    std::int64_t reach = 1;
    for (const Loop* loop : statement.loops) {
      if (!loops.contains(loop->index)) continue;
      const auto factor = coefficient(subscript, loop->index);
      std::int64_t more = 0;
      if (!factor || *factor == INT64_MIN || __builtin_mul_overflow(std::abs(*factor), loop->extent - 1, &more) ||
          __builtin_add_overflow(reach, more, &reach)) {
        return std::nullopt;
      }
    }
    out.push_back(reach);
  }
  return out;
}

}  // namespace steptp
