/// compute_inline: an intermediate tensor disappears; its definition stands wherever it was read.
///   D_{a}=A_{a}+C; E_{c}=D_{c}*D_{c};   -->   E_{c}=(A_{c}+C)*(A_{c}+C);
/// Safe because each element is written once, by an iteration that its subscripts determine, and nothing that the
/// definition reads is overwritten between the definition and the use.
#include <algorithm>

#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::dependency, "unchanged",
     "the tensor is an intermediate with one equation, which does not accumulate, and nothing that it reads is "
     "overwritten between it and a use"},
    {Check::loop_nest_consistency, "invertible", "the left subscripts determine the iteration that writes an element"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "conversion", "storing converts no value: no float to an integer, nothing to a wider float"},
    {Check::fact, "values",
     "where the tensor is read inside subscripts, it is defined as a subscript: by indices and numbers within its "
     "dtype, or by one read of that dtype"},
    {Check::scope, "scopes", "data in s and l that the definition reads is the same where it is used"},
    {Check::order, "races", "no race comes from reading what the definition reads where the tensor was read"},
    {Check::size, "growth", "all copies of the definition together have at most 4096 nodes"},
};
constexpr const Precondition& kUnchanged = kPublished[0];
constexpr const Precondition& kInvertible = kPublished[1];
constexpr const Precondition& kConversion = kSafety[0];
constexpr const Precondition& kValues = kSafety[1];
constexpr const Precondition& kScopes = kSafety[2];
constexpr const Precondition& kRaces = kSafety[3];
constexpr const Precondition& kGrowth = kSafety[4];
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables};
constexpr std::size_t kMaxNodes = 4096;

struct Definition {
  const Statement* statement = nullptr;
  std::size_t write = 0;           ///< number of the access
  std::vector<std::size_t> reads;  ///< of the tensor
  std::vector<std::string> loops;
  std::vector<Index> solved;      ///< each loop in terms of the subscripts, named #0, #1, ...
  std::optional<Index> as_index;  ///< the right side, where it can stand in a subscript
};

std::string subscript_name(std::size_t number) { return concat("#", number); }

/// The right side as a subscript that is what the tensor holds.
std::optional<Index> index_of(const Statement& statement) {
  const DType dtype = statement.equation->left->dtype;
  if (!is_integer(dtype)) return std::nullopt;
  const auto* read = std::get_if<Read>(&statement.equation->right->node);
  if (read) return read->ref->dtype == dtype ? std::optional(Index::read(read->ref)) : std::nullopt;
  const auto index = to_index(*statement.equation->right);
  Ranges ranges;
  for (const Loop* loop : statement.loops) ranges.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
  const bool fits = index && Interval{info(dtype).least, info(dtype).greatest}.contains(range_of(*index, ranges));
  return fits ? index : std::nullopt;
}

Result<Definition, Refusal> find_definition(View& view, const Site& site) {
  const auto found = equation_at(view, site);
  if (!found) return found.error();
  const Statement* statement = *found;
  const std::string& name = statement->equation->left->tensor;
  const TensorFacts& tensor = view.table().tensors.at(name);
  const auto refuse_because = [&](std::string_view why) {
    return Refusal{&kUnchanged, site, concat(name, why), {{"tensor", name}}};
  };
  if (tensor.known) return refuse_because(" is an output");
  if (tensor.writes.size() != 1) return refuse_because(" is written by several equations");
  if (tensors_of(*statement->equation->right).contains(name)) return refuse_because(" is read by its own equation");
  if (tensor.reads.empty()) return refuse_because(" is never read");
  return Definition{statement, tensor.writes[0], tensor.reads, {}, {}, index_of(*statement)};
}

bool is_value(const Access& read) { return read.site.part == Site::Part::right && !read.site.number; }

std::optional<Refusal> refuse_conversion(const Definition& definition, const Site& site) {
  const ExprPtr& right = definition.statement->equation->right;
  const DType target = definition.statement->equation->left->dtype;
  const auto type = is_condition(*right) ? std::nullopt : type_of(*right);
  const bool fits =
      type && !type->weak &&
      (is_float(target) ? is_float(type->dtype) && promote(type->dtype, target) == type->dtype : type->dtype == target);
  if (fits) return std::nullopt;
  return Refusal{
      &kConversion,
      site,
      concat("a value of type ", type && !type->weak ? code(type->dtype) : "number", " is stored as ", code(target)),
      {{"to", code(target)}}};
}

/// The loops of the definition as functions of the subscripts; false where they do not determine them.
bool solve(View& view, Definition& definition) {
  const Access& write = view.table().accesses[definition.write];
  const auto map = index_map_of(*definition.statement, full_subscripts(view.table(), write));
  if (!map) return false;
  std::vector<std::string> tuple;
  for (std::size_t i = 0; i < map->subscripts.size(); ++i) tuple.push_back(subscript_name(i));
  auto solved = inverse(*map, tuple);
  if (!solved) return false;
  for (const BoxVariable& variable : map->box) definition.loops.push_back(variable.name);
  definition.solved = *std::move(solved);
  for (const Loop* loop : definition.statement->loops) {
    if (std::find(definition.loops.begin(), definition.loops.end(), loop->index) != definition.loops.end()) continue;
    if (loop->extent > 1) return false;
    definition.loops.push_back(loop->index);
    definition.solved.emplace_back();
  }
  return true;
}

/// The loops of the definition at a read, over the loops around the read.
std::optional<IndexValues> loops_at(View& view, const Definition& definition, const Access& read) {
  Rewriter rewriter;
  const std::vector<Index> subscripts = full_subscripts(view.table(), read);
  for (std::size_t i = 0; i < subscripts.size(); ++i) rewriter.variables.emplace(subscript_name(i), subscripts[i]);
  std::vector<BoxVariable> box;
  for (const Loop* loop : view.table().statements[read.statement].loops) box.push_back({loop->index, loop->extent});
  IndexValues out;
  for (std::size_t i = 0; i < definition.loops.size(); ++i) {
    const auto value = rewrite(definition.solved[i], rewriter);
    if (!value) return std::nullopt;
    out.emplace(definition.loops[i], simplified(*value, box));
  }
  return out;
}

/// Does some iteration of `write` run between the definition, which reads the same element, and the use?
bool may_overwrite(View& view, const Definition& definition, const Access& operand, const Access& write,
                   const Access& use) {
  const AccessTable& table = view.table();
  const Relation relation = relate(table.statements[write.statement], *definition.statement);
  if (relation.before && relation.shared_loops == 0) return false;
  IntegerSet set;
  const auto a = add_instance(set, table, view.facts(), operand, true);
  const auto t = a ? add_instance(set, table, view.facts(), table.accesses[definition.write], true) : std::nullopt;
  const auto w = t ? add_instance(set, table, view.facts(), write, true) : std::nullopt;
  const auto u = w ? add_instance(set, table, view.facts(), use, true) : std::nullopt;
  if (!u) return true;
  set.dimensions = set.variables();
  for (std::size_t i = 0; i < definition.statement->loops.size(); ++i) {
    set.require(equals(Linear::variable(a->variables[i]), Linear::variable(t->variables[i])));
  }
  require_same_element(set, *a, *w);
  require_same_element(set, *t, *u);
  set.require(runs_before(table, operand, *a, write, *w));
  set.require(runs_before(table, write, *w, use, *u));
  return view.isl().least_point(set).kind != Presburger::Sample::Kind::empty;
}

std::optional<Refusal> refuse_overwritten(View& view, const Definition& definition, const Site& site) {
  const AccessTable& table = view.table();
  for (const Access& operand : table.accesses) {
    if (&table.statements[operand.statement] != definition.statement || operand.is_write) continue;
    for (const std::size_t number : table.tensors.at(operand.ref->tensor).writes) {
      for (const std::size_t use : definition.reads) {
        const Access& write = table.accesses[number];
        if (!may_overwrite(view, definition, operand, write, table.accesses[use])) continue;
        return refuse(
            kUnchanged, site,
            {write.site, table.accesses[use].site, concat(operand.ref->tensor, " is overwritten before a use")});
      }
    }
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_scopes(View& view, const Definition& definition, const Access& read,
                                     const IndexValues& loops, const Site& site) {
  Rewriter rewriter;
  rewriter.variables = loops;
  for (const Access& operand : view.table().accesses) {
    if (&view.table().statements[operand.statement] != definition.statement || operand.is_write) continue;
    Access there = operand;
    there.statement = read.statement;
    const std::vector<Index> here = hidden_subscripts(view.table(), operand);
    const std::vector<Index> wanted = hidden_subscripts(view.table(), there);
    // Data in s and l does not outlive its kernel.
    const bool is_global = view.table().tensors.at(operand.ref->tensor).effective_scope() == Scope::global;
    const bool in_kernel = definition.statement->kernel == view.table().statements[read.statement].kernel;
    bool same = here.size() == wanted.size() && (is_global || in_kernel);
    for (std::size_t i = 0; same && i < here.size(); ++i) {
      const auto moved = rewrite(here[i], rewriter);
      same = moved && *moved == wanted[i];
    }
    if (!same) {
      return refuse(kScopes, site,
                    {operand.site, read.site, concat(operand.ref->tensor, " is another thread's there")});
    }
  }
  return std::nullopt;
}

/// One equation with every read of the tensor replaced.
std::optional<EquationPtr> inlined(View& view, const Definition& definition, std::size_t number) {
  const Statement& statement = view.table().statements[number];
  bool failed = false;
  Rewriter rewriter;
  rewriter.expr = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    if (!read || read->ref->tensor != definition.statement->equation->left->tensor) return expr;
    const Access access{number, read->ref, false, false, {}, {}};
    const auto loops = loops_at(view, definition, access);
    Rewriter move;
    if (loops) move.variables = *loops;
    ExprPtr value = loops ? rewrite(definition.statement->equation->right, move) : nullptr;
    failed = failed || !value;
    return value ? value : expr;
  };
  rewriter.read = [&](const RefPtr& ref) -> std::optional<Index> {
    if (ref->tensor != definition.statement->equation->left->tensor) return std::nullopt;
    const RefPtr inner = rewrite(ref, rewriter);
    const auto loops = inner ? loops_at(view, definition, {number, inner, false, false, {}, {}}) : std::nullopt;
    Rewriter move;
    if (loops) move.variables = *loops;
    auto value = loops && definition.as_index ? rewrite(*definition.as_index, move) : std::nullopt;
    failed = failed || !value;
    return value;
  };
  const RefPtr left = rewrite(statement.equation->left, rewriter);
  const ExprPtr right = rewrite(statement.equation->right, rewriter);
  if (!left || !right || failed) return std::nullopt;
  return stands_for(make_equation(left, right), *statement.equation);
}

std::optional<Program> build(View& view, const Definition& definition) {
  std::set<std::size_t> readers;
  for (const std::size_t number : definition.reads) readers.insert(view.table().accesses[number].statement);
  Program program = view.program();
  for (const std::size_t number : readers) {
    auto equation = inlined(view, definition, number);
    if (!equation) return std::nullopt;
    program = with_items(program, view.table().statements[number].items, {*std::move(equation)});
  }
  return without_item(program, definition.statement->items);
}

/// What is complete when an expression begins can be read in it by anyone.
bool writes_any(View& view, std::uint32_t expression, const std::set<std::string>& tensors) {
  for (const Statement& statement : view.table().statements) {
    if (statement.items[0] == expression && tensors.contains(statement.equation->left->tensor)) return true;
  }
  return false;
}

struct Planned {
  Definition definition;
  Program program;
};

Result<Planned, Refusal> plan(View& view, const Site& site) {
  auto found = find_definition(view, site);
  if (!found) return found.error();
  Definition& definition = *found;
  const bool has_values = std::any_of(definition.reads.begin(), definition.reads.end(),
                                      [&](std::size_t number) { return is_value(view.table().accesses[number]); });
  if (has_values) {
    if (auto refusal = refuse_conversion(definition, site)) return *std::move(refusal);
  }
  const std::string& name = definition.statement->equation->left->tensor;
  if (definition.reads.size() * node_count(*definition.statement->equation->right) > kMaxNodes) {
    return Refusal{&kGrowth, site, concat(name, " is read ", definition.reads.size(), " times"), {}};
  }
  for (const std::size_t number : definition.reads) {
    const Access& read = view.table().accesses[number];
    if (is_value(read) || definition.as_index) continue;
    return Refusal{&kValues, site, concat(name, " is read in a subscript at ", to_text(read.site)), {}};
  }
  if (!solve(view, definition)) {
    return Refusal{&kInvertible, site, concat("the subscripts of ", name, " do not determine the loops"), {}};
  }
  if (auto refusal = refuse_overwritten(view, definition, site)) return *std::move(refusal);
  for (const std::size_t number : definition.reads) {
    const Access& read = view.table().accesses[number];
    const auto loops = loops_at(view, definition, read);
    if (!loops) return Refusal{&kInvertible, site, "a subscript would not fit in 64 bits", {}};
    if (auto refusal = refuse_scopes(view, definition, read, *loops, site)) return *std::move(refusal);
  }
  for (const std::size_t number : definition.reads) {
    const std::size_t reader = view.table().accesses[number].statement;
    const Equation& before = *view.table().statements[reader].equation;
    const auto after = inlined(view, definition, reader);
    if (!after || !narrows_product(before, *(*after)->left, (*after)->right)) continue;
    return Refusal{
        &kConversion, site, concat("a product with ", name, " would be rounded to halves"), {{"tensor", name}}};
  }
  auto program = build(view, definition);
  if (!program) return Refusal{&kInvertible, site, "a subscript would not fit in 64 bits", {}};
  View after(*program);
  const bool shifted = program->nests.size() < view.program().nests.size();
  for (const std::size_t number : definition.reads) {
    const std::uint32_t old = view.table().statements[view.table().accesses[number].statement].items[0];
    const std::uint32_t now = shifted && old > definition.statement->items[0] ? old - 1 : old;
    if (!writes_any(view, old, tensors_of(*definition.statement->equation->right))) continue;
    if (const auto conflict = race_conflict(view, after, now)) return refuse(kRaces, site, *conflict);
  }
  return Planned{definition, *std::move(program)};
}

void choices(View& view, Listing& listing) {
  for (const Statement& statement : view.table().statements) {
    if (listing.allows(plan(view, item_site(statement.items)))) listing.offer({item_site(statement.items), {}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  auto planned = plan(view, choice.at);
  if (!planned) return planned.error();
  const Definition& definition = planned->definition;
  const std::string& name = definition.statement->equation->left->tensor;
  Applied out;
  out.program = std::move(planned->program);
  out.facts.matched = {{"definition", choice.at}};
  out.facts.removed = {{"definition", choice.at}};
  for (const std::size_t number : definition.reads) {
    const Access& read = view.table().accesses[number];
    out.facts.matched.push_back({"use", read.site});
    out.facts.removed.push_back({"use", read.site});
    const auto loops = loops_at(view, definition, read);
    for (const auto& [index, value] : *loops) out.facts.substitutions.push_back({index, value, read.site});
  }
  out.facts.holds = {{&kUnchanged, {{"tensor", name}, {"uses", static_cast<std::int64_t>(definition.reads.size())}}},
                     {&kInvertible, {{"tensor", name}}},
                     {&kConversion, {{"dtype", code(definition.statement->equation->left->dtype)}}}};
  out.facts.values = {{"tensor", name}};
  out.facts.because =
      concat("each element of ", name, " is written once, and what it is made of is the same where it is read");
  return out;
}

}  // namespace

const Strategy& compute_inline_strategy() {
  static constexpr Strategy kStrategy = {
      "compute_inline",
      Level::graph,
      "an intermediate tensor disappears; its definition stands wherever it was read",
      "D_{a}=A_{a}+C; E_{c}=D_{c}*D_{c};   -->   E_{c}=(A_{c}+C)*(A_{c}+C);",
      "each element is written once, by an iteration that its subscripts determine, and nothing that the definition "
      "reads "
      "is overwritten between the definition and the use",
      "expression_splitting",
      {"@input A f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}+1;];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{7-tx});];\n",
       R"({"at":"0/0"})"},
      {},
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
