#include "steptp/structure/structure.h"

#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/site.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

/// How a tensor first appeared: later occurrences must agree.
struct Declaration {
  DType dtype;
  Placement scope;
  std::size_t rank;
  const Variable* known;
  bool written = false;
  bool read = false;
  Site first;
};

class StructureChecker {
 public:
  explicit StructureChecker(const Program& program) : program_(program) {
    for (const Variable& variable : program.signature.variables) {
      tensors_.emplace(variable.name,
                       Declaration{variable.dtype, Scope::global, variable.shape.size(), &variable, false, false, {}});
    }
  }

  Diagnostics run() {
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) {
      items_ = {i};
      visit(*program_.nests[i]);
    }
    check_tensors();
    return std::move(diagnostics_);
  }

 private:
  void report(std::string_view id, Severity severity, const Site& site, std::string message, std::string hint = {}) {
    Diagnostic diagnostic;
    diagnostic.id = id;
    diagnostic.severity = severity;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    if (!site.items.empty()) diagnostic.site = to_text(site);
    diagnostics_.push_back(std::move(diagnostic));
  }
  void error(std::string_view id, const Site& site, std::string message, std::string hint = {}) {
    report(id, Severity::error, site, std::move(message), std::move(hint));
  }

  void visit(const Nest& nest) {
    const std::size_t before = open_.size();
    for (std::uint32_t i = 0; i < nest.loops.size(); ++i) open_loop(nest.loops[i], i);
    if (nest.guard) {
      const Site site{items_, Site::Part::guard, {}, {}};
      check_variables(*nest.guard, site);
      if (const std::string problem = guard_problem(*nest.guard); !problem.empty()) {
        error("guard", site, problem, "a guard compares sums of indices and integers, such as ?{a*4+c<10}");
      }
    }
    for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
      items_.push_back(i);
      if (const auto* equation = std::get_if<EquationPtr>(&nest.items[i])) {
        visit(**equation);
      } else {
        visit(*std::get<NestPtr>(nest.items[i]));
      }
      items_.pop_back();
    }
    while (open_.size() > before) {
      bound_.erase(open_.back()->index);
      open_.pop_back();
    }
  }

  void open_loop(const Loop& loop, std::uint32_t number) {
    const Site site{items_, Site::Part::loop, {}, number};
    if (bound_.contains(loop.index)) {
      error("duplicate-index", site, concat("the index ", loop.index, " is already bound by an enclosing loop"),
            "give the inner loop another index");
    } else if (const auto axis = axis_of(loop.index)) {
      for (const auto& [name, other] : bound_) {
        if (axis_of(name) == axis) {
          error("axis-twice", site,
                concat("the axis ", name_of(*axis), " is bound twice in one nest: by ", name, " and by ", loop.index),
                "bind one of the loops to another axis, or make it an L loop");
        }
      }
    }
    bound_.emplace(loop.index, &loop);
    open_.push_back(&loop);
  }

  void check_variable(const std::string& name, const Site& site) {
    if (bound_.contains(name)) return;
    if (!reported_unbound_.insert(concat(to_text(site), ' ', name)).second) return;
    error(
        "unbound-index", site, concat("no enclosing loop binds the index ", name),
        bound_.empty() ? "" : concat("the loops here are ", join(open_, " ", [](const Loop* l) { return l->index; })));
  }
  void check_variables(const Expr& expr, const Site& site) {
    for_each_variable(expr, [&](const std::string& name) { check_variable(name, site); });
  }

  void visit(const Equation& equation) {
    Site site{items_, Site::Part::right, {}, {}};
    visit(equation.right, site);
    site.part = Site::Part::left;
    visit(equation.left, site, true);
    check_types(equation);
  }

  void visit(const ExprPtr& expr, Site& site) {
    if (const auto* value = std::get_if<IndexValue>(&expr->node)) check_variable(value->index, site);
    if (const auto* read = std::get_if<Read>(&expr->node)) return visit(read->ref, site, false);
    std::uint32_t number = 0;
    for (const ExprPtr* place : children(*expr)) {
      site.path.push_back(number++);
      visit(*place, site);
      site.path.pop_back();
    }
  }

  void visit(const RefPtr& ref, const Site& site, bool is_write) {
    check_occurrence(*ref, site, is_write);
    for (std::uint32_t i = 0; i < ref->subscripts.size(); ++i) {
      Site inner = site;
      if (!inner.number) inner.number = i;
      for (const IndexTerm& term : ref->subscripts[i].terms()) {
        for (const IndexAtom& atom : term.factors) visit(atom, inner);
      }
    }
  }

  void visit(const IndexAtom& atom, const Site& site) {
    struct Visitor {
      StructureChecker& checker;
      const Site& site;
      void operator()(const LoopVariable& variable) const { checker.check_variable(variable.name, site); }
      void operator()(const IndirectRead& read) const { checker.visit(read.ref, site, false); }
      void operator()(const FloorQuotient& node) const { both(*node.dividend, *node.divisor); }
      void operator()(const FloorRemainder& node) const { both(*node.dividend, *node.divisor); }
      void both(const Index& dividend, const Index& divisor) const {
        for (const Index* part : {&dividend, &divisor}) {
          for (const IndexTerm& term : part->terms()) {
            for (const IndexAtom& inner : term.factors) checker.visit(inner, site);
          }
        }
      }
    };
    std::visit(Visitor{*this, site}, atom);
  }

  void check_occurrence(const Ref& ref, const Site& site, bool is_write) {
    auto [at, fresh] = tensors_.try_emplace(
        ref.tensor, Declaration{ref.dtype, ref.scope, ref.subscripts.size(), nullptr, false, false, site});
    Declaration& declared = at->second;
    (is_write ? declared.written : declared.read) = true;
    if (declared.first.items.empty()) declared.first = site;
    const bool known = declared.known != nullptr;
    const std::string_view where = known ? "the signature says " : "before it was ";
    if (ref.dtype != declared.dtype) {
      error("dtype-conflict", site,
            concat(ref.tensor, " is ", code(ref.dtype), " here, but ", where, code(declared.dtype)),
            known ? concat("a tensor keeps one dtype: write ", ref.tensor, "^{", code(declared.dtype), ",g}")
                  : std::string("a tensor keeps one dtype"));
    }
    if (ref.subscripts.size() != declared.rank) {
      error("rank-conflict", site,
            concat(ref.tensor, " has ", ref.subscripts.size(), " subscripts here, but ", where, declared.rank),
            "a tensor keeps one rank");
    }
    if (ref.scope != declared.scope) {
      error("scope-conflict", site,
            concat(ref.tensor, " is in scope ", code(ref.scope), " here, but ",
                   known ? "known variables are in scope " : "before it was in scope ", code(declared.scope)),
            "a tensor keeps one scope");
    }
    if (is_write && known && declared.known->role != Role::output) {
      error("input-written", site,
            concat(ref.tensor, " is ", declared.known->role == Role::input ? "an " : "a ",
                   name_of(declared.known->role), " and is never written"),
            "write to an intermediate or an output");
    }
  }

  void check_types(const Equation& equation) {
    const Site root{items_, Site::Part::right, {}, {}};
    if (const auto problem = type_problem(*equation.right)) {
      Site site = root;
      site.path = problem->path;
      error("type", site, problem->message, problem->hint);
    }
  }

  void check_tensors() {
    for (const auto& [name, declared] : tensors_) {
      if (declared.known && declared.known->role == Role::output) {
        if (!declared.written && !program_.nests.empty())
          error("not-written", {}, concat("the output ", name, " is never written"));
      } else if (declared.known) {
        if (!declared.read)
          report("unused-variable", Severity::warning, {},
                 concat("the ", name_of(declared.known->role), ' ', name, " is never read"));
      } else if (!declared.written) {
        error("missing-definition", declared.first,
              concat(name, " is read but nothing writes it, and the signature does not name it"),
              "declare it in the signature, or define it before");
      } else if (!declared.read) {
        report("dead-store", Severity::warning, declared.first,
               concat("the intermediate ", name, " is written but never read"));
      }
    }
  }

  const Program& program_;
  Diagnostics diagnostics_;
  std::vector<std::uint32_t> items_;
  std::vector<const Loop*> open_;
  std::map<std::string, const Loop*> bound_;
  std::map<std::string, Declaration> tensors_;
  std::set<std::string> reported_unbound_;
};

}  // namespace

Diagnostics check_structure(const Program& program) { return StructureChecker(program).run(); }

}  // namespace steptp
