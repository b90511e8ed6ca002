#include "testing/features.h"

#include <algorithm>
#include <map>

#include "steptp/base/text.h"

namespace steptp::testing {

namespace {

class Collector {
 public:
  std::set<std::string> take(const Program& program) {
    std::size_t outputs = 0;
    for (const Variable& variable : program.signature.variables) {
      known(variable);
      outputs += variable.role == Role::output ? 1 : 0;
    }
    if (outputs > 1) note("several outputs");
    std::map<std::string, std::set<const Equation*>> writers;
    for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>& around) {
      writers[equation.left->tensor].insert(&equation);
      this->equation(equation, around);
    });
    for (const auto& [name, equations] : writers) {
      if (equations.size() > 1) note("several writers");
    }
    for (const NestPtr& nest : program.nests) this->nest(*nest, false, 0);
    return std::move(found_);
  }

 private:
  void note(std::string feature) { found_.insert(std::move(feature)); }

  void known(const Variable& variable) {
    note(concat("role ", name_of(variable.role)));
    note(concat("rank ", variable.shape.size()));
    note(concat("known ", code(variable.dtype)));
    if (!variable.values.empty()) note("constant values");
    switch (variable.domain.kind) {
      case Domain::Kind::unstated: break;
      case Domain::Kind::any: note("domain any"); break;
      case Domain::Kind::positive: note("domain positive"); break;
      case Domain::Kind::nonzero: note("domain nonzero"); break;
      case Domain::Kind::range: note("domain range"); break;
      case Domain::Kind::masked: note("domain masked"); break;
    }
  }

  static bool binds(const Nest& nest) {
    return std::any_of(nest.loops.begin(), nest.loops.end(),
                       [](const Loop& loop) { return loop.kind == LoopKind::bound; });
  }

  void nest(const Nest& nest, bool under_bound, int depth) {
    if (depth > 0) note("nested nest");
    bool bound = under_bound;
    bool plain_before = false;
    for (const Loop& loop : nest.loops) {
      note(concat("loop ", code(loop.kind)));
      if (const auto axis = axis_of(loop.index)) {
        note(concat("axis ", name_of(*axis)));
        if (loop.index.size() > 2) note("suffixed axis");
        if (!bound && (plain_before || depth > 0)) note("host loop");
        bound = true;
      } else {
        plain_before = true;
      }
    }
    if (nest.guard) {
      note("guard");
      expression(*nest.guard, "guard ");
    }
    std::size_t equations = 0;
    std::size_t kernels = 0;
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        kernels += !bound && binds(**inner) ? 1 : 0;
        this->nest(**inner, bound, depth + 1);
      } else {
        ++equations;
      }
    }
    if (equations > 1) note("several equations");
    if (kernels > 1) note("sibling kernels");
    const bool only_blocks = std::all_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) {
      const auto axis = axis_of(loop.index);
      return !axis || !is_thread_axis(*axis);
    });
    if (bound && only_blocks && equations > 0 && nest.items.size() > equations) note("bare item at block level");
  }

  void equation(const Equation& equation, const std::vector<const Nest*>& around) {
    reference(*equation.left, true);
    expression(*equation.right, "");
    if (is_condition(*equation.right)) note("condition stored");
    std::set<std::string> on_left;
    for (const Index& subscript : equation.left->subscripts) {
      for_each_variable(subscript, [&](const std::string& name) { on_left.insert(name); });
    }
    std::size_t reduced = 0;
    bool bound = false;
    for (const Nest* nest : around) {
      for (const Loop& loop : nest->loops) {
        if (on_left.contains(loop.index)) continue;
        ++reduced;
        bound = bound || loop.kind == LoopKind::bound;
      }
    }
    if (const auto op = accumulation_operator(*equation.left, equation.right)) {
      note(concat("accumulation ", text_of(*op)));
      if (reduced > 1) note("several reduction axes");
      if (bound) note("bound reduction axis");
      return;
    }
    for_each_ref(*equation.right, [&](const RefPtr& ref) {
      if (ref->tensor != equation.left->tensor) return;
      note(equal(*ref, *equation.left) ? "in place" : "recurrence");
    });
  }

  void reference(const Ref& ref, bool left) {
    note(concat("scope ", code(ref.scope)));
    note(concat("dtype ", code(ref.dtype)));
    for (const Index& subscript : ref.subscripts) index(subscript, left ? "left " : "", false);
  }

  void index(const Index& index, std::string_view side, bool inside_read) {
    std::size_t variables = 0;
    for (const IndexTerm& term : index.terms()) {
      if (term.coefficient < 0) note(concat(side, "reversed subscript"));
      if (term.coefficient > 1) note(concat(side, "strided subscript"));
      if (term.factors.size() > 1) note("product of indices");
      for (const IndexAtom& factor : term.factors) {
        if (std::holds_alternative<LoopVariable>(factor)) ++variables;
        if (const auto* node = std::get_if<FloorQuotient>(&factor)) {
          note(concat(side, "// subscript"));
          this->index(*node->dividend, side, inside_read);
        }
        if (const auto* node = std::get_if<FloorRemainder>(&factor)) {
          note(concat(side, "% subscript"));
          this->index(*node->dividend, side, inside_read);
        }
        if (const auto* read = std::get_if<IndirectRead>(&factor)) {
          note(inside_read ? "nested indirect" : "indirect");
          for (const Index& inner : read->ref->subscripts) this->index(inner, side, true);
        }
      }
    }
    if (variables > 1) note(concat(side, "sum of indices"));
    if (index.is_constant()) note("constant subscript");
    if (!index.is_constant() && index.constant_term() != 0) note(concat(side, "shifted subscript"));
  }

  void expression(const Expr& expr, std::string_view where) {
    if (const auto* literal = std::get_if<Literal>(&expr.node)) {
      note(literal->is_integer                                                     ? "integer literal"
           : literal->real != 0 && (literal->real >= 1e10 || literal->real < 1e-4) ? "exponent literal"
                                                                                   : "decimal literal");
    }
    if (std::holds_alternative<Infinity>(expr.node)) note("inf");
    if (std::holds_alternative<IndexValue>(expr.node) && where.empty()) note("bare index value");
    if (const auto* read = std::get_if<Read>(&expr.node)) reference(*read->ref, false);
    if (const auto* sum = std::get_if<Sum>(&expr.node)) operators(sum->operators);
    if (const auto* product = std::get_if<Product>(&expr.node)) operators(product->operators);
    if (std::holds_alternative<Power>(expr.node)) note("operator **");
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) note(extremum->is_max ? "max" : "min");
    if (const auto* call = std::get_if<Call>(&expr.node)) note(concat("function ", text_of(call->function)));
    if (const auto* select = std::get_if<Select>(&expr.node)) selection(*select);
    if (const auto* compare = std::get_if<Compare>(&expr.node)) {
      for (const CompareOp op : compare->operators) note(concat("comparison ", text_of(op)));
      if (compare->operators.size() > 1) note(concat(where, "chain"));
    }
    if (const auto* logic = std::get_if<Logic>(&expr.node)) note(concat(where, "logic ", text_of(logic->op)));
    if (const auto* product = std::get_if<Product>(&expr.node); product && !where.empty()) {
      for (const ArithmeticOp op : product->operators) note(concat(where, text_of(op)));
    }
    for (std::size_t i = 0; i < child_count(expr); ++i) expression(*child(expr, i), where);
  }

  void selection(const Select& select) {
    note("if_then_else");
    bool data = false;
    for_each_ref(*select.condition, [&data](const RefPtr&) { data = true; });
    note(data ? "condition on data" : "condition on indices");
    std::set<std::string> tested;
    for_each_ref(*select.condition, [&](const RefPtr& ref) { tested.insert(ref->tensor); });
    for_each_ref(*select.if_true, [&](const RefPtr& ref) {
      for (const Index& subscript : ref->subscripts) {
        for_each_read(subscript, [&](const RefPtr& read) {
          if (tested.contains(read->tensor)) note("guarded by data");
        });
      }
    });
  }

  void operators(const std::vector<ArithmeticOp>& operators) {
    for (const ArithmeticOp op : operators) note(concat("operator ", text_of(op)));
    if (operators.size() > 1) note("long chain");
  }

  std::set<std::string> found_;
};

}  // namespace

std::set<std::string> features_of(const Program& program) { return Collector().take(program); }

std::vector<std::string> plain_features() {
  std::vector<std::string> list = {"several outputs",
                                   "several writers",
                                   "constant values",
                                   "domain any",
                                   "domain positive",
                                   "domain nonzero",
                                   "domain range",
                                   "nested nest",
                                   "suffixed axis",
                                   "host loop",
                                   "several equations",
                                   "sibling kernels",
                                   "bare item at block level",
                                   "condition stored",
                                   "several reduction axes",
                                   "bound reduction axis",
                                   "in place",
                                   "recurrence",
                                   "reversed subscript",
                                   "strided subscript",
                                   "// subscript",
                                   "% subscript",
                                   "sum of indices",
                                   "shifted subscript",
                                   "constant subscript",
                                   "left reversed subscript",
                                   "left strided subscript",
                                   "left // subscript",
                                   "left % subscript",
                                   "left sum of indices",
                                   "left shifted subscript",
                                   "integer literal",
                                   "decimal literal",
                                   "exponent literal",
                                   "inf",
                                   "bare index value",
                                   "operator **",
                                   "max",
                                   "min",
                                   "if_then_else",
                                   "condition on data",
                                   "condition on indices",
                                   "chain",
                                   "logic &",
                                   "logic |",
                                   "long chain"};
  for (const DType dtype : kAllDTypes) {
    list.push_back(concat("dtype ", code(dtype)));
    list.push_back(concat("known ", code(dtype)));
  }
  for (const char* tail : {"L", "P", "V", "U", "B"}) list.push_back(concat("loop ", tail));
  for (const char* tail : {"bx", "by", "bz", "tx", "ty", "tz"}) list.push_back(concat("axis ", tail));
  for (const char* tail : {"g", "s", "l"}) list.push_back(concat("scope ", tail));
  for (const char* tail : {"input", "constant", "param", "output"}) list.push_back(concat("role ", tail));
  for (int rank = 0; rank <= 4; ++rank) list.push_back(concat("rank ", rank));
  for (const char* tail : {"+", "*", "max", "min"}) list.push_back(concat("accumulation ", tail));
  for (const char* tail : {"+", "-", "*", "/", "//", "%"}) list.push_back(concat("operator ", tail));
  for (const char* tail : {"<", "<=", ">", ">=", "==", "!="}) list.push_back(concat("comparison ", tail));
  for (const Function function : kAllFunctions) {
    if (!is_extension(function)) list.push_back(concat("function ", text_of(function)));
  }
  return list;
}

std::vector<std::string> extended_features() {
  std::vector<std::string> list = {"guard", "guard chain", "guard logic &", "guard logic |", "guard //", "guard %"};
  for (const Function function : kAllFunctions) {
    if (is_extension(function)) list.push_back(concat("function ", text_of(function)));
  }
  return list;
}

std::vector<std::string> indirect_features() {
  return {"indirect", "nested indirect", "product of indices", "guarded by data"};
}

}  // namespace steptp::testing
