// A tensor that is made in a copy, which is written back behind.
#include <algorithm>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/check/types.h"
#include "steptp/strategies/caching.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

/// What is to be cached, and the accesses in the body.
struct Target {
  const TensorFacts* tensor = nullptr;
  std::vector<const Access*> accesses;
  std::vector<const Statement*> statements;  ///< of the accesses
  CacheLevel level;
  Footprint footprint;
};

Result<Target, Refusal> find_target(View& view, const CacheRequest& request) {
  const AccessTable& table = view.table();
  const auto refuse_uses = [&] {
    return Refusal{
        &kCacheUses, request.site(), concat(request.of, " is not written in the body"), {{"tensor", request.of}}};
  };
  const auto found = table.tensors.find(request.of);
  if (found == table.tensors.end()) return refuse_uses();
  Target out;
  out.tensor = &found->second;
  bool written = false;
  std::vector<SubscriptUse> uses;
  const std::vector<std::size_t> below = statements_below(view, *request.at.nest);
  for (const Access& access : table.accesses) {
    if (access.ref->tensor != request.of) continue;
    if (std::find(below.begin(), below.end(), access.statement) == below.end()) continue;
    const Statement& statement = table.statements[access.statement];
    out.accesses.push_back(&access);
    out.statements.push_back(&statement);
    uses.push_back({&statement, access.ref->subscripts});
    written = written || access.is_write;
  }
  if (!written) return refuse_uses();
  if (out.tensor->scope == Scope::local && request.scope != Scope::local) {
    return Refusal{&kCachePlacement, request.site(), concat(request.of, " is a thread's own"), {}};
  }
  auto level = cache_level(request, out.statements);
  if (!level) return level.error();
  out.level = *std::move(level);
  auto box = footprint_of(uses, out.level.still);
  if (!box) return Refusal{&kCacheBox, request.site(), concat(request.of, ": ", box.error()), {}};
  out.footprint = *std::move(box);
  return out;
}

/// What subscripts show at once: instances in the same round of the first `same` loops that touch one element are in
/// the same round of the first `depth` loops too, and of all loops over one axis.
bool meet_only_in_one_round(const AccessTable& table, const Access& first, const Access& second, std::size_t same,
                            std::size_t depth) {
  const Statement& one = table.statements[first.statement];
  const Statement& other = table.statements[second.statement];
  if (relate(one, other).shared_loops < depth) return false;
  const Coincidence meet = coincide(table, first, second, pair_loops(one, other, same));
  return meet.impossible || std::all_of(meet.pairs.begin(), meet.pairs.end(), [&](const LoopPair& pair) {
           const bool counts = pair.first < depth || axis_of(one.loops[pair.first]->index);
           const bool trivial = one.loops[pair.first]->extent == 1 && other.loops[pair.second]->extent == 1;
           return pair.equal || !counts || trivial;
         });
}

/// An instance of a write that runs before the update, in another round of the loops around the body.
bool may_hold_a_value(View& view, const Access& update, std::size_t depth) {
  const AccessTable& table = view.table();
  for (const std::size_t number : table.tensors.at(update.ref->tensor).writes) {
    const Access& write = table.accesses[number];
    if (meet_only_in_one_round(table, write, update, 0, depth)) continue;
    IntegerSet set;
    const auto a = add_instance(set, table, view.facts(), write, true);
    const auto b = a ? add_instance(set, table, view.facts(), update, true) : std::nullopt;
    if (!b || a->subscripts.size() != b->subscripts.size()) return true;
    set.dimensions = set.variables();
    require_same_element(set, *a, *b);
    set.require(runs_before(table, write, *a, update, *b));
    const Relation relation = relate(table.statements[write.statement], table.statements[update.statement]);
    if (relation.shared_loops >= depth) {
      Formula differ;
      for (std::size_t i = 0; i < depth; ++i) {
        const Linear x = Linear::variable(a->variables[i]);
        const Linear y = Linear::variable(b->variables[i]);
        differ.push_back({less(x, y)});
        differ.push_back({less(y, x)});
      }
      set.require(std::move(differ));
    }
    if (view.isl().least_point(set).kind != Presburger::Sample::Kind::empty) return true;
  }
  return false;
}

/// Two accesses in one round of the body that touch one element from different threads.
const Access* shared_with_a_thread(View& view, const Target& target, const Access& write) {
  const AccessTable& table = view.table();
  const auto variable = [&](const Access& access, const Instance& instance, const std::string& name) {
    const std::vector<const Loop*>& loops = table.statements[access.statement].loops;
    const auto at = std::find_if(loops.begin(), loops.end(), [&](const Loop* loop) { return loop->index == name; });
    return Linear::variable(instance.variables[static_cast<std::size_t>(at - loops.begin())]);
  };
  for (const Access* other : target.accesses) {
    if (meet_only_in_one_round(table, write, *other, target.level.depth, target.level.depth)) continue;
    IntegerSet set;
    const auto a = add_instance(set, table, view.facts(), write, true);
    const auto b = a ? add_instance(set, table, view.facts(), *other, true) : std::nullopt;
    if (!b) return other;
    set.dimensions = set.variables();
    require_same_element(set, *a, *b);
    for (std::size_t i = 0; i < target.level.depth; ++i) {
      set.require(equals(Linear::variable(a->variables[i]), Linear::variable(b->variables[i])));
    }
    Formula differ;
    for (const Loop& loop : target.level.threads) {
      const Linear x = variable(write, *a, loop.index);
      const Linear y = variable(*other, *b, loop.index);
      differ.push_back({less(x, y)});
      differ.push_back({less(y, x)});
    }
    set.require(std::move(differ));
    if (view.isl().least_point(set).kind != Presburger::Sample::Kind::empty) return other;
  }
  return nullptr;
}

struct Whole {
  bool needs_identity = false;
  std::optional<ArithmeticOp> op;
};

/// Everything that the body reads of the tensor it has made itself; an accumulator may also start from nothing.
Result<Whole, Refusal> look_at_reads(View& view, const CacheRequest& request, const Target& target) {
  const auto refuse_because = [&](const Access& access, std::string_view why) {
    return Refusal{
        &kCacheWhole, request.site(), concat(request.of, why, to_text(access.site)), {{"tensor", request.of}}};
  };
  Whole out;
  // Where every write is an update, the first one finds nothing that the body has made.
  const bool only_updates = std::all_of(target.accesses.begin(), target.accesses.end(), [&](const Access* access) {
    return !access->is_write || view.table().statements[access->statement].accumulates;
  });
  for (const Access* access : target.accesses) {
    if (access->is_write) {
      if (request.scope != Scope::local) continue;
      if (const Access* other = shared_with_a_thread(view, target, *access)) {
        return refuse_because(*other, " is another thread's too at ");
      }
      continue;
    }
    const bool starts = access->is_accumulator && only_updates;
    if (!starts && is_defined(view, *access, target.level.depth)) continue;
    if (!access->is_accumulator) return refuse_because(*access, " is read from outside the body at ");
    if (may_hold_a_value(view, *access, target.level.depth)) {
      return refuse_because(*access, " holds a value from outside the body at ");
    }
    const auto op = view.table().statements[access->statement].accumulates;
    if (out.op && out.op != op) return refuse_because(*access, " is accumulated by several operators, at ");
    out.op = op;
  }
  if (!out.op) return out;
  for (std::size_t i = 0; i < target.level.depth; ++i) {
    const Loop& loop = *target.statements[0]->loops[i];
    const auto axis = axis_of(loop.index);
    const bool once = i < target.statements[0]->kernel.host_loops || loop.extent == 1 ||
                      (axis && (request.scope == Scope::local || !is_thread_axis(*axis)));
    out.needs_identity = out.needs_identity || !once;
  }
  return out;
}

ExprPtr identity_of(ArithmeticOp op, DType dtype) {
  if (op == ArithmeticOp::add) return integer_literal(0);
  if (op == ArithmeticOp::multiply) return integer_literal(1);
  if (!is_float(dtype)) return nullptr;
  const ExprPtr infinity = make_expr(Infinity{});
  return op == ArithmeticOp::max ? make_call(Function::negate, infinity) : infinity;
}

/// The loops inside the level over which one equation's left side runs, as the nest that writes back has them.
struct OutputLoops {
  std::vector<Loop> loops;
  Rewriter names;
  ExprPtr guard;
};

OutputLoops output_loops(View& view, const CacheRequest& request, const Target& target, const Statement& statement) {
  OutputLoops out;
  std::set<std::string> used;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { used.insert(name); });
  }
  NameSource fresh = view.fresh_indices(request.at.expression());
  std::set<std::string> known = target.level.still;
  for (std::size_t i = target.level.depth; i < statement.loops.size(); ++i) {
    Loop loop = *statement.loops[i];
    const bool is_thread = request.scope == Scope::local && loop.kind == LoopKind::bound;
    if (!is_thread && !used.contains(loop.index)) continue;
    known.insert(loop.index);
    if (!is_thread && loop.kind == LoopKind::bound) {
      const std::string name = fresh.next();
      out.names.variables.emplace(loop.index, Index::variable(name));
      loop.index = name;
    }
    if (!is_thread) loop.kind = LoopKind::serial;
    out.loops.push_back(std::move(loop));
  }
  std::vector<ExprPtr> conditions;
  const OpenedBody body = open_body(*request.at.nest->nest, request.at.position);
  const std::vector<ExprPtr> outside = conjuncts(body.guard);
  for (std::size_t i = request.at.nest->around.size(); i < statement.nests.size(); ++i) {
    for (const ExprPtr& condition : conjuncts(statement.nests[i]->guard)) {
      const std::set<std::string> names = variables_of(*condition);
      const bool here = std::includes(known.begin(), known.end(), names.begin(), names.end());
      const bool holds = std::find(outside.begin(), outside.end(), condition) != outside.end();
      if (here && !holds) conditions.push_back(rewrite(condition, out.names));
    }
  }
  out.guard = conjunction_of(conditions);
  return out;
}

Item nest_or_equation(View& view, const CacheRequest& request, std::vector<Loop> loops, const ExprPtr& guard,
                      EquationPtr equation) {
  if (loops.empty() && !guard) return equation;
  if (loops.empty()) loops.push_back({LoopKind::serial, 1, view.fresh_indices(request.at.expression()).next()});
  return make_nest(std::move(loops), guard, {std::move(equation)});
}

struct Items {
  std::vector<Item> identity;
  std::vector<Item> back;
};

bool contains(const std::vector<Item>& items, const Item& item) {
  return std::any_of(items.begin(), items.end(), [&](const Item& other) {
    const auto* a = std::get_if<NestPtr>(&item);
    const auto* b = std::get_if<NestPtr>(&other);
    if (a && b) return equal(**a, **b);
    if (a || b) return false;
    return equal(*std::get<EquationPtr>(item)->left, *std::get<EquationPtr>(other)->left);
  });
}

/// One nest that writes back, and one that sets the identity, for each left side.
std::optional<Items> items_of(View& view, const CacheRequest& request, const Target& target, const std::string& cache,
                              DType dtype, const ExprPtr& identity) {
  Items out;
  for (const Access* access : target.accesses) {
    if (!access->is_write) continue;
    const Statement& statement = view.table().statements[access->statement];
    const OutputLoops loops = output_loops(view, request, target, statement);
    auto inside = target.footprint.inside(access->ref->subscripts);
    if (!inside) return std::nullopt;
    const RefPtr left = rewrite(access->ref, loops.names);
    const RefPtr place = rewrite(make_ref(cache, dtype, request.scope, *std::move(inside)), loops.names);
    if (!left || !place) return std::nullopt;
    Item back = nest_or_equation(view, request, loops.loops, loops.guard, make_equation(left, read_expr(place)));
    if (!contains(out.back, back)) out.back.push_back(std::move(back));
    if (!identity) continue;
    Item first = nest_or_equation(view, request, loops.loops, nullptr, make_equation(place, identity));
    if (!contains(out.identity, first)) out.identity.push_back(std::move(first));
  }
  return out;
}

/// Values of an output that are rounded when they are stored there would be rounded in the copy already.
const Access* rounded_in(View& view, const Target& target, DType dtype) {
  if (!target.tensor->known) return nullptr;
  for (const Access* access : target.accesses) {
    if (!access->is_write) continue;
    const ExprPtr& right = view.table().statements[access->statement].equation->right;
    const auto type = is_condition(*right) ? std::nullopt : type_of(*right);
    if (type && !type->weak && is_float(type->dtype) && promote(type->dtype, dtype) != dtype) return access;
  }
  return nullptr;
}

/// The body with the tensor's accesses renamed, and the items around those that hold them.
struct Assembly {
  Program program;
  std::vector<std::vector<std::uint32_t>> identity;
  std::vector<std::vector<std::uint32_t>> back;
};

std::optional<Assembly> assemble(View& view, const CacheRequest& request, const Target& target,
                                 const std::string& cache, DType dtype, const Items& extra) {
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) -> RefPtr {
    if (ref->tensor != request.of) return ref;
    auto inside = target.footprint.inside(ref->subscripts);
    return inside ? make_ref(cache, dtype, request.scope, *std::move(inside)) : nullptr;
  };
  OpenedBody body = open_body(*request.at.nest->nest, request.at.position);
  auto items = rewrite(body.items, rewriter);
  if (!items) return std::nullopt;
  std::size_t first = items->size();
  std::size_t last = 0;
  for (const Statement* statement : target.statements) {
    first = std::min(first, item_of(request, *statement));
    last = std::max(last, item_of(request, *statement));
  }
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(last) + 1, extra.back.begin(), extra.back.end());
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(first), extra.identity.begin(), extra.identity.end());
  Assembly out;
  std::vector<std::uint32_t> place = request.at.nest->items;
  place.push_back(0);
  for (std::size_t i = 0; i < extra.identity.size(); ++i) {
    out.identity.push_back(sibling(place, static_cast<std::uint32_t>(first + i)));
  }
  for (std::size_t i = 0; i < extra.back.size(); ++i) {
    out.back.push_back(sibling(place, static_cast<std::uint32_t>(last + 1 + extra.identity.size() + i)));
  }
  out.program =
      with_items(view.program(), request.at.nest->items, {make_nest(body.outer, body.guard, *std::move(items))});
  return out;
}

/// Everything that is written back was written in that round of the body, before the identity is put there. Without
/// guards inside the body that is clear: writing back runs over the same loops.
std::optional<Refusal> refuse_back(View& bare, const CacheRequest& request, const Assembly& assembly,
                                   const std::string& cache, std::size_t depth) {
  const TensorFacts& tensor = bare.table().tensors.at(cache);
  const bool guarded = std::any_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
    const std::vector<const Nest*>& nests = bare.table().statements[bare.table().accesses[number].statement].nests;
    return std::any_of(nests.begin() + static_cast<std::ptrdiff_t>(request.at.nest->items.size()), nests.end(),
                       [](const Nest* nest) { return nest->guard != nullptr; });
  });
  for (const std::size_t number : tensor.reads) {
    const Access& read = bare.table().accesses[number];
    const std::vector<std::uint32_t>& items = bare.table().statements[read.statement].items;
    const bool goes_back = std::any_of(assembly.back.begin(), assembly.back.end(), [&](const auto& place) {
      return place.size() <= items.size() && std::equal(place.begin(), place.end(), items.begin());
    });
    if (!goes_back || !guarded || is_defined(bare, read, depth)) continue;
    return Refusal{&kCacheCovered,
                   request.site(),
                   concat("elements of ", request.of, " may be written back that the body does not make"),
                   {}};
  }
  return std::nullopt;
}

}  // namespace

Result<CacheStep, Refusal> plan_cached_write(View& view, const CacheRequest& request) {
  if (request.form == CacheForm::fill || request.form == CacheForm::ahead) {
    return Refusal{&kCacheForm, request.site(), "fill and ahead are for what is read", {}};
  }
  const auto target = find_target(view, request);
  if (!target) return target.error();
  const DType own = target->tensor->dtype;
  if (request.form == CacheForm::wide && own != DType::f16 && own != DType::bf16) {
    return Refusal{&kCacheForm, request.site(), concat(request.of, " is of type ", code(own)), {}};
  }
  const DType dtype = request.form == CacheForm::wide ? DType::f32 : own;
  if (const Access* rounded = rounded_in(view, *target, dtype)) {
    return Refusal{
        &kCacheForm, request.site(), concat(to_text(rounded->site), " stores values wider than ", code(dtype)), {}};
  }
  if (auto refusal = refuse_size(request, target->footprint.extents(), dtype)) return *std::move(refusal);
  const auto whole = look_at_reads(view, request, *target);
  if (!whole) return whole.error();
  const ExprPtr identity = whole->needs_identity ? identity_of(*whole->op, dtype) : nullptr;
  if (whole->needs_identity && !identity) {
    return Refusal{&kCacheWhole, request.site(), concat("no literal is the identity of type ", code(dtype)), {}};
  }
  CacheStep out;
  out.cache = view.fresh_tensors().next();
  out.source = request.of;
  out.extents = target->footprint.extents();
  out.is_initialised = identity != nullptr;
  for (const Access* access : target->accesses) out.uses.push_back({"use", access->site});
  const auto extra = items_of(view, request, *target, out.cache, dtype, identity);
  if (!extra) return refuse_large(request);
  const auto bare = assemble(view, request, *target, out.cache, dtype, {{}, extra->back});
  const auto full = assemble(view, request, *target, out.cache, dtype, *extra);
  if (!bare || !full) return refuse_large(request);
  View without(bare->program);
  if (auto refusal = refuse_back(without, request, *bare, out.cache, target->level.depth)) return *std::move(refusal);
  View after(full->program);
  if (auto refusal = refuse_cache(view, after, request, out.cache)) return *std::move(refusal);
  out.program = full->program;
  for (const auto& place : full->identity) out.added.push_back({"identity", item_site(place)});
  for (const auto& place : full->back) out.added.push_back({"copy", item_site(place)});
  return out;
}

}  // namespace steptp
