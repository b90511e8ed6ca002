#include <algorithm>
#include <map>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/oracle/code.h"
#include "steptp/oracle/resolve_expr.h"
#include "steptp/structure/structure.h"

namespace steptp::oracle {

namespace {

bool contains_bound(const Nest& nest) {
  for (const Loop& loop : nest.loops) {
    if (loop.kind == LoopKind::bound) return true;
  }
  return std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
    const auto* inner = std::get_if<NestPtr>(&item);
    return inner && contains_bound(**inner);
  });
}

/// Walks the program once. Kernels are found on the way: a header's first B starts one, and so does whatever stands
/// under host loops, or at the top, without any B in it.
class Resolver {
 public:
  Resolver(const Program& program, Slice slice) : program_(program), slice_(std::move(slice)) {
    for (const Variable& variable : program.signature.variables) {
      TensorCode& tensor = names_.declare(variable.name, variable.dtype, Scope::global, variable.shape.size());
      tensor.known = &variable;
    }
  }

  Result<Code, Trap> run() {
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) {
      names_.items = {i};
      code_.nests.push_back(nest(*program_.nests[i], std::nullopt, 1));
    }
    code_.tensors = std::move(names_.tensors);
    code_.slots = names_.most_slots;
    for (TensorCode& tensor : code_.tensors) {
      tensor.demoted = tensor.scope != Scope::global && tensor.kernels.size() > 1;
    }
    if (names_.problem) return std::move(*names_.problem);
    if (auto trap = check_axes()) return std::move(*trap);
    return std::move(code_);
  }

 private:
  NestCode nest(const Nest& source, std::optional<std::uint32_t> kernel, double points) {
    NestCode out;
    out.first_slot = names_.depth();
    const bool top = names_.items.size() == 1;
    if (top && !slice_.nests.empty()) out.left_out = slice_.nests[names_.items[0]].left_out;
    if (out.left_out) points = 0;
    if (!kernel) {
      const auto first = std::find_if(source.loops.begin(), source.loops.end(),
                                      [](const Loop& loop) { return loop.kind == LoopKind::bound; });
      if (first != source.loops.end()) {
        out.launch_at = static_cast<std::size_t>(first - source.loops.begin());
        out.launches = kernel = code_.kernels++;
      } else if (!contains_bound(source)) {
        out.launches = kernel = code_.kernels++;
      }
    }
    for (std::size_t i = 0; i < source.loops.size(); ++i) {
      const Loop& loop = source.loops[i];
      LoopCode& made = out.loops.emplace_back(LoopCode{loop.extent, loop.index, {}});
      if (top && !slice_.nests.empty()) {
        const auto& chosen = slice_.nests[names_.items[0]].loops;
        if (const auto at = chosen.find(i); at != chosen.end()) made.chosen = at->second;
      }
      points *= made.chosen ? size_of(*made.chosen) : static_cast<double>(loop.extent);
      names_.open(loop);
    }
    if (source.guard) {
      out.guard = names_.guard(*source.guard, {});
      out.guard_operations = names_.take_operations();
      code_.work.operations += points * out.guard_operations;
    }
    for (std::uint32_t i = 0; i < source.items.size(); ++i) {
      names_.items.push_back(i);
      if (const auto* item = std::get_if<EquationPtr>(&source.items[i])) {
        out.items.emplace_back(equation(**item, kernel, points));
      } else {
        out.items.emplace_back(std::make_unique<NestCode>(nest(*std::get<NestPtr>(source.items[i]), kernel, points)));
      }
      names_.items.pop_back();
    }
    names_.close(source.loops.size());
    return out;
  }

  EquationCode equation(const Equation& source, std::optional<std::uint32_t> kernel, double points) {
    EquationCode out;
    if (!kernel) out.launches = kernel = code_.kernels++;
    names_.kernel = *kernel;
    names_.accumulation = accumulation_operator(*source.left, source.right);
    names_.left = source.left.get();
    names_.wide = wide_product(*source.left, source.right);
    out.right = names_.expression(source.right, {});
    names_.accumulation.reset();
    out.left = names_.access(*source.left, Site{names_.items, Site::Part::left, {}, {}});
    names_.count_write(out.left, points);
    out.operations = names_.take_operations() + 1;
    code_.work.executions += points;
    code_.work.operations += points * out.operations;
    return out;
  }

  /// All accesses to an `l` tensor lie inside the same bound axes, to an `s` tensor inside the same block axes.
  std::optional<Trap> check_axes() const {
    struct Seen {
      std::uint32_t axes;
      const AccessRecord* first;
    };
    std::map<std::uint32_t, Seen> seen;
    for (const AccessRecord& record : names_.records) {
      const TensorCode& tensor = code_.tensors[record.tensor];
      if (!tensor.is_scoped()) continue;
      const std::uint32_t axes = record.axes & ((1u << hidden_axes(tensor.scope)) - 1);
      const auto [at, added] = seen.try_emplace(record.tensor, Seen{axes, &record});
      if (added || at->second.axes == axes) continue;
      Trap trap;
      trap.kind = TrapKind::scope_axes;
      trap.site = record.site;
      trap.tensor = tensor.name;
      trap.message = concat(tensor.name, " in scope ", code(tensor.scope), " is accessed inside the axes ",
                            axis_names(axes), " at ", to_text(record.site), " but inside ", axis_names(at->second.axes),
                            " at ", to_text(at->second.first->site));
      return trap;
    }
    return std::nullopt;
  }

  static std::string axis_names(std::uint32_t axes) {
    std::string text;
    for (std::uint32_t i = 0; i < kAxes; ++i) {
      if ((axes >> i & 1) != 0) append(text, text.empty() ? "" : " ", name_of(static_cast<Axis>(i)));
    }
    return text.empty() ? "none" : text;
  }

  const Program& program_;
  Slice slice_;
  Code code_;
  NameResolver names_;
};

Trap invalid(std::string message) {
  Trap trap;
  trap.message = std::move(message);
  return trap;
}

std::optional<Trap> extent_problem(const Nest& nest) {
  for (const Loop& loop : nest.loops) {
    if (loop.extent < 1) return invalid(concat("the loop ", loop.index, " has extent ", loop.extent));
  }
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      if (auto trap = extent_problem(**inner)) return trap;
    }
  }
  return std::nullopt;
}

std::optional<Trap> problem_of(const Program& program) {
  for (const Diagnostic& diagnostic : check_structure(program)) {
    if (diagnostic.severity != Severity::error) continue;
    Trap trap = invalid(concat(diagnostic.id, ": ", diagnostic.message));
    if (diagnostic.id == "not-written") trap.kind = TrapKind::not_written;
    trap.site = parse_site(diagnostic.site);
    return trap;
  }
  for (const Variable& variable : program.signature.variables) {
    for (const std::int64_t extent : variable.shape) {
      if (extent < 1) return invalid(concat(variable.name, " has a dimension of ", extent));
    }
    const auto same = [&variable](const Variable& other) { return other.name == variable.name; };
    if (std::count_if(program.signature.variables.begin(), program.signature.variables.end(), same) != 1) {
      return invalid(concat("the signature names ", variable.name, " twice"));
    }
  }
  for (const NestPtr& nest : program.nests) {
    if (auto trap = extent_problem(*nest)) return trap;
  }
  return std::nullopt;
}

std::optional<Trap> problem_of(const Program& program, const Element& element) {
  const Variable* variable = program.signature.find(element.tensor);
  if (!variable || variable->role != Role::output) return invalid(concat(element.tensor, " is not an output"));
  bool inside = element.subscripts.size() == variable->shape.size();
  for (std::size_t i = 0; inside && i < variable->shape.size(); ++i) {
    inside = element.subscripts[i] >= 0 && element.subscripts[i] < variable->shape[i];
  }
  if (inside) return std::nullopt;
  Trap trap = invalid(concat("the chosen element of ", element.tensor, " is not in its shape"));
  trap.kind = TrapKind::out_of_range;
  trap.tensor = element.tensor;
  trap.subscripts = element.subscripts;
  return trap;
}

}  // namespace

std::size_t hidden_axes(Scope scope) {
  switch (scope) {
    case Scope::global: return 0;
    case Scope::shared: return 3;
    case Scope::local:
    case Scope::fragment: return kAxes;
  }
  return 0;
}

Result<Code, Trap> resolve_program(const Program& program, const std::vector<Element>& elements) {
  if (auto trap = problem_of(program)) return std::move(*trap);
  for (const Element& element : elements) {
    if (auto trap = problem_of(program, element)) return std::move(*trap);
  }
  Slice slice;
  if (!elements.empty()) slice = slice_for(program, elements);
  return Resolver(program, std::move(slice)).run();
}

}  // namespace steptp::oracle
