#include "steptp/ir/program.h"

#include <algorithm>
#include <utility>

#include "steptp/base/recycled.h"

namespace steptp {

char code(LoopKind kind) {
  switch (kind) {
    case LoopKind::serial: return 'L';
    case LoopKind::parallel: return 'P';
    case LoopKind::vectorized: return 'V';
    case LoopKind::unrolled: return 'U';
    case LoopKind::bound: return 'B';
    case LoopKind::tensorized: return 'T';
  }
  return 'L';
}

std::string_view name_of(Axis axis) {
  static constexpr std::string_view kNames[] = {"bx", "by", "bz", "tx", "ty", "tz", "wx", "wy", "wz"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::optional<Axis> axis_of(std::string_view index) {
  if (index.size() < 2 || (index[0] != 't' && index[0] != 'b' && index[0] != 'w')) return std::nullopt;
  if (index[1] < 'x' || index[1] > 'z') return std::nullopt;
  const int family = index[0] == 'b' ? 0 : index[0] == 't' ? 3 : 6;
  return static_cast<Axis>(family + (index[1] - 'x'));
}

EquationPtr make_equation(RefPtr left, ExprPtr right) {
  return make_recycled<const Equation>(Equation{std::move(left), std::move(right)});
}

NestPtr make_nest(std::vector<Loop> loops, ExprPtr guard, std::vector<Item> items) {
  return make_recycled<const Nest>(Nest{std::move(loops), std::move(guard), std::move(items)});
}

namespace {

bool equal_items(const Item& left, const Item& right) {
  if (left.index() != right.index()) return false;
  if (const auto* equation = std::get_if<EquationPtr>(&left)) {
    const auto& other = std::get<EquationPtr>(right);
    return *equation == other || (equal(*(*equation)->left, *other->left) && equal(*(*equation)->right, *other->right));
  }
  return equal(*std::get<NestPtr>(left), *std::get<NestPtr>(right));
}

Hash hash_of(const Signature& signature) {
  Hash hash = signature.variables.size();
  for (const Variable& variable : signature.variables) {
    hash = combine(combine(hash, hash_text(variable.name)),
                   static_cast<Hash>(variable.role) * 16 + static_cast<Hash>(variable.dtype));
    for (const std::int64_t dimension : variable.shape) hash = combine(hash, static_cast<Hash>(dimension));
  }
  return hash;
}

bool is_extended(const Ref& ref) { return ref.scope.depth > 1 || ref.scope == Scope::fragment; }

bool uses_extension(const Expr& expr) {
  if (const auto* call = std::get_if<Call>(&expr.node); call && is_extension(call->function)) return true;
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    bool found = false;
    for_each_ref(read->ref, [&found](const RefPtr& ref) { found = found || is_extended(*ref); });
    return found;
  }
  for (const ExprPtr* place : children(expr)) {
    if (uses_extension(**place)) return true;
  }
  return false;
}

bool is_extended(const Loop& loop) {
  const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
  return loop.kind == LoopKind::tensorized || (axis && is_unit_axis(*axis));
}

bool is_extended(const Nest& nest) {
  if (nest.guard ||
      std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) { return is_extended(loop); })) {
    return true;
  }
  for (const Item& item : nest.items) {
    const auto* equation = std::get_if<EquationPtr>(&item);
    if (equation ? is_extended(*(*equation)->left) || uses_extension(*(*equation)->right)
                 : is_extended(*std::get<NestPtr>(item))) {
      return true;
    }
  }
  return false;
}

void visit_equations(const Nest& nest, std::vector<const Nest*>& around,
                     const std::function<void(const Equation&, const std::vector<const Nest*>&)>& visit) {
  around.push_back(&nest);
  for (const Item& item : nest.items) {
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      visit(**equation, around);
    } else {
      visit_equations(*std::get<NestPtr>(item), around, visit);
    }
  }
  around.pop_back();
}

}  // namespace

bool equal(const Nest& left, const Nest& right) {
  if (&left == &right) return true;
  if (left.loops != right.loops || left.items.size() != right.items.size()) return false;
  if (!left.guard != !right.guard) return false;
  if (left.guard && !equal(*left.guard, *right.guard)) return false;
  for (std::size_t i = 0; i < left.items.size(); ++i) {
    if (!equal_items(left.items[i], right.items[i])) return false;
  }
  return true;
}

bool equal_nests(const Program& left, const Program& right) {
  if (left.nests.size() != right.nests.size()) return false;
  for (std::size_t i = 0; i < left.nests.size(); ++i) {
    if (!equal(*left.nests[i], *right.nests[i])) return false;
  }
  return true;
}

bool equal(const Program& left, const Program& right) {
  return left.signature == right.signature && equal_nests(left, right);
}

Hash hash_of(const Nest& nest) {
  Hash hash = combine(nest.loops.size(), nest.items.size());
  for (const Loop& loop : nest.loops) {
    hash = combine(combine(hash, hash_text(loop.index)),
                   static_cast<Hash>(loop.extent) * 8 + static_cast<Hash>(loop.kind));
  }
  hash = combine(hash, nest.guard ? nest.guard->hash : 0);
  for (const Item& item : nest.items) {
    if (const auto* equation = std::get_if<EquationPtr>(&item)) {
      hash = combine(combine(hash, hash_of(*(*equation)->left)), (*equation)->right->hash);
    } else {
      hash = combine(hash, hash_of(*std::get<NestPtr>(item)));
    }
  }
  return hash;
}

Hash hash_of(const Program& program) {
  Hash hash = hash_of(program.signature);
  for (const NestPtr& nest : program.nests) hash = combine(hash, hash_of(*nest));
  return hash;
}

bool is_extended(const Program& program) {
  for (const NestPtr& nest : program.nests) {
    if (is_extended(*nest)) return true;
  }
  return false;
}

void for_each_equation(const Program& program,
                       const std::function<void(const Equation&, const std::vector<const Nest*>&)>& visit) {
  std::vector<const Nest*> around;
  for (const NestPtr& nest : program.nests) visit_equations(*nest, around, visit);
}

}  // namespace steptp
