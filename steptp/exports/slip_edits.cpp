// More than 400 lines, because each kind of edit is a few lines, and all of them share the walk over what a step
// changed.
#include "steptp/exports/slip_edits.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "steptp/strategies/rewrite.h"
#include "steptp/text/printer.h"

namespace steptp::dataset {

namespace {

std::string text_of(const NestPtr& nest) {
  Program one;
  one.nests = {nest};
  return print(one);
}

/// The equations of a program, each as text with how often it stands there.
std::multiset<std::string> equations_of(const Program& program) {
  std::multiset<std::string> out;
  for_each_equation(program, [&](const Equation& equation, const auto&) { out.insert(print(equation)); });
  return out;
}

/// What a step has changed of a program: top-level nests, and equations in them.
class Changed {
 public:
  explicit Changed(const EditInput& input) : equations_(equations_of(*input.before)) {
    for (const NestPtr& nest : input.before->nests) nests_.insert(text_of(nest));
  }
  [[nodiscard]] bool has(const NestPtr& nest) const { return !nests_.contains(text_of(nest)); }
  [[nodiscard]] bool has(const Equation& equation) const { return !equations_.contains(print(equation)); }

 private:
  std::multiset<std::string> nests_;
  std::multiset<std::string> equations_;
};

Program with_nest(const Program& program, std::size_t number, NestPtr nest) {
  Program out = program;
  out.nests[number] = std::move(nest);
  return out;
}

/// Calls `visit` for each nest below one, the nest itself first; `visit` gives back nests to put in its place.
using NestEdits = std::function<std::vector<NestPtr>(const Nest&)>;
void edit_nests(const NestPtr& nest, const NestEdits& edits, const std::function<void(NestPtr)>& made) {
  for (NestPtr& other : edits(*nest)) made(std::move(other));
  for (std::size_t i = 0; i < nest->items.size(); ++i) {
    const auto* inner = std::get_if<NestPtr>(&nest->items[i]);
    if (!inner) continue;
    edit_nests(*inner, edits, [&](NestPtr changed) {
      std::vector<Item> items = nest->items;
      items[i] = std::move(changed);
      made(make_nest(nest->loops, nest->guard, std::move(items)));
    });
  }
}

Edits for_each_nest(const EditInput& input, const NestEdits& edits) {
  Edits out;
  const Changed changed(input);
  for (std::size_t i = 0; i < input.after->nests.size(); ++i) {
    const NestPtr& nest = input.after->nests[i];
    if (!changed.has(nest)) continue;
    edit_nests(nest, edits, [&](NestPtr made) { out.push_back({with_nest(*input.after, i, std::move(made)), i}); });
  }
  return out;
}

using EquationEdits = std::function<std::vector<EquationPtr>(const Equation&)>;
/// In equations that the step has changed; in all of its nests where none has another text.
Edits for_each_equation_edit(const EditInput& input, const EquationEdits& edits) {
  const Changed changed(input);
  const auto collect = [&](bool only_changed) {
    return for_each_nest(input, [&](const Nest& nest) {
      std::vector<NestPtr> out;
      for (std::size_t i = 0; i < nest.items.size(); ++i) {
        const auto* equation = std::get_if<EquationPtr>(&nest.items[i]);
        if (!equation || (only_changed && !changed.has(**equation))) continue;
        for (EquationPtr& made : edits(**equation)) {
          std::vector<Item> items = nest.items;
          items[i] = std::move(made);
          out.push_back(make_nest(nest.loops, nest.guard, std::move(items)));
        }
      }
      return out;
    });
  };
  Edits out = collect(true);
  return out.empty() ? collect(false) : out;
}

using ExprEdits = std::function<std::vector<ExprPtr>(const Expr&)>;
void edit_expr(const ExprPtr& expr, const ExprEdits& edits, const std::function<void(ExprPtr)>& made) {
  for (ExprPtr& other : edits(*expr)) made(std::move(other));
  const std::vector<const ExprPtr*> parts = children(*expr);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    edit_expr(*parts[i], edits, [&](ExprPtr changed) {
      std::vector<ExprPtr> others;
      for (const ExprPtr* part : parts) others.push_back(*part);
      others[i] = std::move(changed);
      made(with_children(expr, others));
    });
  }
}

Edits for_each_expr(const EditInput& input, const ExprEdits& edits) {
  return for_each_equation_edit(input, [&](const Equation& equation) {
    std::vector<EquationPtr> out;
    edit_expr(equation.right, edits,
              [&](ExprPtr right) { out.push_back(make_equation(equation.left, std::move(right))); });
    return out;
  });
}

using RefEdits = std::function<std::vector<RefPtr>(const Ref&)>;
/// In what is read; where a step has changed only what is written, there.
Edits for_each_ref_edit(const EditInput& input, const RefEdits& edits) {
  Edits reads = for_each_expr(input, [&](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* read = std::get_if<Read>(&expr.node);
    if (!read) return out;
    for (RefPtr& made : edits(*read->ref)) out.push_back(read_expr(std::move(made)));
    return out;
  });
  if (!reads.empty()) return reads;
  return for_each_equation_edit(input, [&](const Equation& equation) {
    std::vector<EquationPtr> out;
    for (RefPtr& made : edits(*equation.left)) out.push_back(make_equation(std::move(made), equation.right));
    return out;
  });
}

using IndexEdits = std::function<std::vector<Index>(const Index&)>;
Edits for_each_subscript(const EditInput& input, const IndexEdits& edits) {
  return for_each_ref_edit(input, [&](const Ref& ref) {
    std::vector<RefPtr> out;
    for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
      for (Index& made : edits(ref.subscripts[i])) {
        std::vector<Index> subscripts = ref.subscripts;
        subscripts[i] = std::move(made);
        out.push_back(make_ref(ref.tensor, ref.dtype, ref.scope, std::move(subscripts)));
      }
    }
    return out;
  });
}

const LoopVariable* lone_variable(const IndexTerm& term) {
  return term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors.front()) : nullptr;
}

template <typename Chain>
ExprPtr without_operand(const Chain& chain, std::size_t dropped) {
  Chain rest = chain;
  rest.operands.erase(rest.operands.begin() + static_cast<std::ptrdiff_t>(dropped));
  rest.operators.erase(rest.operators.begin() + static_cast<std::ptrdiff_t>(dropped > 0 ? dropped - 1 : 0));
  return rest.operands.size() == 1 ? rest.operands[0] : make_expr(std::move(rest));
}

bool is_exponential(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  return call && call->function == Function::exp;
}

}  // namespace

Edits without_guard(const EditInput& input) {
  return for_each_nest(input, [](const Nest& nest) {
    std::vector<NestPtr> out;
    if (nest.guard) out.push_back(make_nest(nest.loops, nullptr, nest.items));
    return out;
  });
}

Edits with_guard_one_off(const EditInput& input) {
  const auto other = [](CompareOp op) {
    switch (op) {
      case CompareOp::less: return CompareOp::less_equal;
      case CompareOp::less_equal: return CompareOp::less;
      case CompareOp::greater: return CompareOp::greater_equal;
      case CompareOp::greater_equal: return CompareOp::greater;
      case CompareOp::equal: return CompareOp::not_equal;
      case CompareOp::not_equal: return CompareOp::equal;
    }
    return op;
  };
  return for_each_nest(input, [&](const Nest& nest) {
    std::vector<NestPtr> out;
    const auto* compare = nest.guard ? std::get_if<Compare>(&nest.guard->node) : nullptr;
    for (std::size_t i = 0; compare && i < compare->operators.size(); ++i) {
      Compare changed = *compare;
      changed.operators[i] = other(changed.operators[i]);
      out.push_back(make_nest(nest.loops, make_expr(std::move(changed)), nest.items));
    }
    return out;
  });
}

Edits without_condition(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    if (const auto* select = std::get_if<Select>(&expr.node)) out = {select->if_false, select->if_true};
    return out;
  });
}

Edits with_wrong_neutral(const EditInput& input) {
  const auto other = [](const ExprPtr& neutral) -> ExprPtr {
    const auto* literal = std::get_if<Literal>(&neutral->node);
    if (literal && literal->real == 0) return integer_literal(1);
    if (literal && literal->real == 1) return integer_literal(0);
    const auto* call = std::get_if<Call>(&neutral->node);
    const bool is_negated = call && call->function == Function::negate;
    const Expr& inner = is_negated ? *call->argument : *neutral;
    return std::holds_alternative<Infinity>(inner.node) ? integer_literal(0) : nullptr;
  };
  return for_each_expr(input, [&](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* select = std::get_if<Select>(&expr.node);
    if (!select) return out;
    if (const ExprPtr made = other(select->if_true)) {
      out.push_back(make_expr(Select{select->condition, made, select->if_false}));
    }
    if (const ExprPtr made = other(select->if_false)) {
      out.push_back(make_expr(Select{select->condition, select->if_true, made}));
    }
    return out;
  });
}

Edits with_stale_index(const EditInput& input) {
  return for_each_subscript(input, [](const Index& index) {
    std::vector<Index> out;
    for (const IndexTerm& term : index.terms()) {
      const LoopVariable* variable = lone_variable(term);
      if (!variable || term.coefficient != 1 || index.terms().size() < 2) continue;
      out.push_back(Index::variable(variable->name));
    }
    return out;
  });
}

Edits with_other_index(const EditInput& input) {
  return for_each_equation_edit(input, [](const Equation& equation) {
    std::set<std::string> indices;
    const auto collect = [&](const RefPtr& ref) {
      for (const Index& subscript : ref->subscripts) {
        if (const std::string* variable = subscript.as_variable()) indices.insert(*variable);
      }
    };
    for_each_ref(equation.left, collect);
    for_each_ref(*equation.right, collect);
    std::vector<EquationPtr> out;
    edit_expr(
        equation.right,
        [&](const Expr& expr) {
          std::vector<ExprPtr> made;
          const auto* read = std::get_if<Read>(&expr.node);
          const bool is_accumulator = read && equal(*read->ref, *equation.left);
          for (std::size_t i = 0; read && !is_accumulator && i < read->ref->subscripts.size(); ++i) {
            const std::string* variable = read->ref->subscripts[i].as_variable();
            for (const std::string& other : variable ? indices : std::set<std::string>()) {
              if (other == *variable) continue;
              std::vector<Index> subscripts = read->ref->subscripts;
              subscripts[i] = Index::variable(other);
              made.push_back(
                  read_expr(make_ref(read->ref->tensor, read->ref->dtype, read->ref->scope, std::move(subscripts))));
            }
          }
          return made;
        },
        [&](ExprPtr right) { out.push_back(make_equation(equation.left, std::move(right))); });
    return out;
  });
}

Edits with_wrong_stride(const EditInput& input) {
  return for_each_subscript(input, [](const Index& index) {
    std::vector<Index> out;
    for (const IndexTerm& term : index.terms()) {
      const LoopVariable* variable = lone_variable(term);
      if (!variable || term.coefficient < 2) continue;
      if (const auto less = Index::subtract(index, Index::variable(variable->name))) out.push_back(*less);
    }
    return out;
  });
}

Edits without_offset(const EditInput& input) {
  return for_each_subscript(input, [](const Index& index) {
    std::vector<Index> out;
    if (index.constant_term() == 0 || index.terms().empty()) return out;
    if (const auto rest = Index::subtract(index, Index::constant(index.constant_term()))) out.push_back(*rest);
    return out;
  });
}

Edits with_swapped_subscripts(const EditInput& input) {
  return for_each_ref_edit(input, [](const Ref& ref) {
    std::vector<RefPtr> out;
    for (std::size_t i = 0; i + 1 < ref.subscripts.size(); ++i) {
      std::vector<Index> subscripts = ref.subscripts;
      std::swap(subscripts[i], subscripts[i + 1]);
      out.push_back(make_ref(ref.tensor, ref.dtype, ref.scope, std::move(subscripts)));
    }
    return out;
  });
}

Edits with_short_loop(const EditInput& input) {
  // The loops that the step has made.
  std::set<std::string> old;
  for_each_equation(*input.before, [&](const Equation&, const std::vector<const Nest*>& nests) {
    for (const Nest* nest : nests) {
      for (const Loop& loop : nest->loops) old.insert(print(loop));
    }
  });
  return for_each_nest(input, [&](const Nest& nest) {
    std::vector<NestPtr> out;
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      if (nest.loops[i].extent < 2 || old.contains(print(nest.loops[i]))) continue;
      std::vector<Loop> loops = nest.loops;
      --loops[i].extent;
      out.push_back(make_nest(std::move(loops), nest.guard, nest.items));
    }
    return out;
  });
}

Edits with_concurrent_reduction(const EditInput& input) {
  return for_each_nest(input, [](const Nest& nest) {
    std::vector<NestPtr> out;
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      if (nest.loops[i].kind != LoopKind::serial) continue;
      const std::string& index = nest.loops[i].index;
      const bool is_reduced = std::any_of(nest.items.begin(), nest.items.end(), [&](const Item& item) {
        const auto* equation = std::get_if<EquationPtr>(&item);
        if (!equation || !accumulation_operator(*(*equation)->left, (*equation)->right)) return false;
        bool occurs = false;
        for (const Index& subscript : (*equation)->left->subscripts) {
          for_each_variable(subscript, [&](const std::string& name) { occurs = occurs || name == index; });
        }
        return !occurs;
      });
      if (!is_reduced) continue;
      std::vector<Loop> loops = nest.loops;
      loops[i].kind = LoopKind::parallel;
      out.push_back(make_nest(std::move(loops), nest.guard, nest.items));
    }
    return out;
  });
}

Edits with_consumer_first(const EditInput& input) {
  Edits out;
  const Program& after = *input.after;
  const Changed changed(input);
  const auto is_changed = [&](const NestPtr& nest) { return changed.has(nest); };
  const bool has_changed = std::any_of(after.nests.begin(), after.nests.end(), is_changed);
  for (std::size_t i = 0; i + 1 < after.nests.size(); ++i) {
    if (has_changed && !is_changed(after.nests[i]) && !is_changed(after.nests[i + 1])) continue;
    Program made = after;
    std::swap(made.nests[i], made.nests[i + 1]);
    out.push_back({std::move(made), i});
  }
  Edits inside = for_each_nest(input, [](const Nest& nest) {
    std::vector<NestPtr> made;
    for (std::size_t i = 0; i + 1 < nest.items.size(); ++i) {
      std::vector<Item> items = nest.items;
      std::swap(items[i], items[i + 1]);
      made.push_back(make_nest(nest.loops, nest.guard, std::move(items)));
    }
    return made;
  });
  std::move(inside.begin(), inside.end(), std::back_inserter(out));
  return out;
}

Edits without_live_nest(const EditInput& input) {
  // Where one nest is left, another one was to go.
  const Program& from = input.after->nests.size() > 1 ? *input.after : *input.before;
  Edits out;
  for (std::size_t i = 0; i < from.nests.size() && from.nests.size() > 1; ++i) {
    Program made = from;
    made.nests.erase(made.nests.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back({std::move(made), std::min(i, from.nests.size() - 2)});
  }
  return out;
}

Edits without_swapped_nest(const EditInput& input) {
  const Program& before = *input.before;
  const Program& after = *input.after;
  std::vector<std::size_t> swapped;
  for (std::size_t i = 0; i < after.nests.size() && after.nests.size() == before.nests.size(); ++i) {
    if (text_of(before.nests[i]) != text_of(after.nests[i])) swapped.push_back(i);
  }
  Edits out;
  for (const std::size_t i : swapped) {
    if (swapped.size() != 2) break;
    Program made = after;
    made.nests.erase(made.nests.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back({std::move(made), swapped[0]});
  }
  return out;
}

Edits with_old_scope(const EditInput& input) {
  return for_each_ref_edit(input, [&](const Ref& ref) {
    std::vector<RefPtr> out;
    if (ref.scope.scope == Scope::global || input.after->signature.find(ref.tensor) != nullptr) return out;
    out.push_back(make_ref(ref.tensor, ref.dtype, Placement{Scope::global}, ref.subscripts));
    return out;
  });
}

Edits with_narrow_scope(const EditInput& input) {
  const Changed changed(input);
  std::set<std::string> tensors;
  for_each_equation(*input.after, [&](const Equation& equation, const auto&) {
    const bool is_known = input.after->signature.find(equation.left->tensor) != nullptr;
    const bool is_narrow = equation.left->scope.scope == Scope::local;
    if (!is_known && !is_narrow && changed.has(equation)) tensors.insert(equation.left->tensor);
  });
  Edits out;
  for (const std::string& tensor : tensors) {
    for (const Scope narrower : {Scope::shared, Scope::local}) {
      Rewriter rewriter;
      rewriter.ref = [&](const RefPtr& ref) {
        if (ref->tensor != tensor || ref->scope.scope == narrower) return ref;
        return make_ref(ref->tensor, ref->dtype, Placement{narrower}, ref->subscripts);
      };
      const std::vector<Item> items(input.after->nests.begin(), input.after->nests.end());
      const auto made = rewrite(items, rewriter);
      if (!made) continue;
      Program program = *input.after;
      for (std::size_t i = 0; i < program.nests.size(); ++i) program.nests[i] = std::get<NestPtr>((*made)[i]);
      out.push_back({std::move(program), 0});
    }
  }
  return out;
}

Edits without_rescale(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* product = std::get_if<Product>(&expr.node);
    for (std::size_t i = 0; product && i < product->operands.size(); ++i) {
      if (is_exponential(*product->operands[i])) out.push_back(without_operand(*product, i));
    }
    return out;
  });
}

Edits without_factor(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* product = std::get_if<Product>(&expr.node);
    for (std::size_t i = 0; product && i < product->operands.size(); ++i) {
      if (i > 0 || product->operators[0] == ArithmeticOp::multiply) out.push_back(without_operand(*product, i));
    }
    return out;
  });
}

Edits without_term(const EditInput& input) {
  return for_each_equation_edit(input, [](const Equation& equation) {
    const bool accumulates = accumulation_operator(*equation.left, equation.right).has_value();
    std::vector<EquationPtr> out;
    edit_expr(
        equation.right,
        [&](const Expr& expr) {
          std::vector<ExprPtr> made;
          const auto* sum = std::get_if<Sum>(&expr.node);
          const bool is_accumulation = accumulates && &expr == equation.right.get();
          for (std::size_t i = 0; sum && !is_accumulation && i < sum->operands.size(); ++i) {
            if (i > 0 || sum->operators[0] == ArithmeticOp::add) made.push_back(without_operand(*sum, i));
          }
          return made;
        },
        [&](ExprPtr right) { out.push_back(make_equation(equation.left, std::move(right))); });
    return out;
  });
}

Edits with_wrong_sign(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    if (const auto* sum = std::get_if<Sum>(&expr.node)) {
      for (std::size_t i = 0; i < sum->operators.size(); ++i) {
        Sum other = *sum;
        other.operators[i] = other.operators[i] == ArithmeticOp::add ? ArithmeticOp::subtract : ArithmeticOp::add;
        out.push_back(make_expr(std::move(other)));
      }
    }
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        Product other = *product;
        ArithmeticOp& op = other.operators[i];
        if (op != ArithmeticOp::multiply && op != ArithmeticOp::divide) continue;
        op = op == ArithmeticOp::multiply ? ArithmeticOp::divide : ArithmeticOp::multiply;
        out.push_back(make_expr(std::move(other)));
      }
    }
    return out;
  });
}

Edits with_wrong_exponent(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* power = std::get_if<Power>(&expr.node);
    const auto* exponent = power ? std::get_if<Literal>(&power->exponent->node) : nullptr;
    if (!exponent || !exponent->is_integer) return out;
    for (const std::int64_t other : {exponent->integer + 1, exponent->integer - 1}) {
      if (other > 0) out.push_back(make_expr(Power{power->base, integer_literal(other)}));
    }
    return out;
  });
}

Edits without_maximum_so_far(const EditInput& input) {
  return for_each_expr(input, [](const Expr& expr) {
    std::vector<ExprPtr> out;
    const auto* extremum = std::get_if<Extremum>(&expr.node);
    if (extremum) out = {extremum->right};
    return out;
  });
}

}  // namespace steptp::dataset
