#include "steptp/safety/races.h"

#include "steptp/analysis/races.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

std::string_view plural(LoopKind kind) { return kind == LoopKind::vectorized ? "a V loop" : "a P loop"; }

std::string describe_point(const Statement& statement, const std::vector<std::int64_t>& point, std::size_t begin,
                           Point& values) {
  for (std::size_t i = 0; i < statement.loops.size(); ++i) values[statement.loops[i]->index] = point[begin + i];
  return describe(values, statement.loops);
}

/// Two items of one body that a guard on thread indices encloses: the barrier between them would not be reached by
/// all threads.
bool is_divergent(const Statement& first, const Statement& second, const Concurrency& way) {
  if (way.kind != Concurrency::Kind::threads || &first == &second) return false;
  const Relation relation = relate(first, second);
  bool divergent = false;
  for (std::size_t i = 0; i < relation.shared_nests; ++i) {
    if (!first.nests[i]->guard) continue;
    for_each_variable(*first.nests[i]->guard, [&](const std::string& name) {
      const auto axis = axis_of(name);
      divergent = divergent || (axis && is_thread_axis(*axis));
    });
  }
  return divergent;
}

/// Whether a subscript has a thread index, or a block index.
bool is_told_apart(const Ref& ref, bool by_blocks) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) {
      const auto axis = axis_of(name);
      found = found || (axis && is_thread_axis(*axis) != by_blocks);
    });
  }
  return found;
}

/// A scope that was forgotten makes the data of one thread, or of one block, everybody's. Empty where the tensor cannot
/// have another scope (known variables are in g, and so is what several kernels touch), or is meant to be shared.
std::string scope_hint(const TensorFacts& tensor, const Ref& ref, bool across_blocks) {
  const bool has_one_scope = tensor.known || tensor.kernels.size() > 1 || is_private(ref.scope);
  if (has_one_scope || is_told_apart(ref, across_blocks)) return {};
  const auto in_scope = [&](std::string_view scope) {
    return concat(ref.tensor, "^{", code(ref.dtype), ",", scope, "}");
  };
  if (!across_blocks) return concat("; if each thread has its own ", ref.tensor, ", write ", in_scope("l"));
  return concat("; if each block or thread has its own ", ref.tensor, ", write ", in_scope("s"), " or ", in_scope("l"));
}

std::string hint(const AccessTable& table, const Race& race, bool divergent) {
  const Statement& first = table.statements[race.write->statement];
  const Statement& second = table.statements[race.other->statement];
  const Ref& ref = *race.write->ref;
  const TensorFacts& tensor = table.tensors.at(ref.tensor);
  switch (race.way.kind) {
    case Concurrency::Kind::iterations:
      return concat("iterations of ", plural(first.loops[race.way.loop]->kind),
                    " run in any order: make the loop over ", first.loops[race.way.loop]->index,
                    " serial, or give each iteration its own element");
    case Concurrency::Kind::threads:
      if (divergent) return "the barrier between the two items would stand under a guard on thread indices";
      if (&first == &second) return concat("give each thread its own element", scope_hint(tensor, ref, false));
      return concat("data passes between threads only between items of a body without an open thread loop: close it ",
                    "between", scope_hint(tensor, ref, false));
    case Concurrency::Kind::blocks:
      return concat("blocks of a launch run in any order: give each block its own element",
                    scope_hint(tensor, ref, true));
  }
  return {};
}

void report_certain(const AccessTable& table, const Race& race, Findings& findings) {
  const Access& write = *race.write;
  const Access& other = *race.other;
  const Statement& first = table.statements[write.statement];
  const Statement& second = table.statements[other.statement];
  Point a;
  Point b;
  const std::string here = describe_point(first, race.point, 0, a);
  const std::string there = describe_point(second, race.point, first.loops.size(), b);
  Ranges at;
  for (const auto& [name, value] : a) at.variables[name] = {value, value};
  const std::string subscripts =
      join(write.ref->subscripts, ",", [&at](const Index& s) { return describe(range_of(s, at).low); });
  const std::string element = concat(write.ref->tensor, subscripts.empty() ? "" : concat("_{", subscripts, "}"));
  std::string message = concat("race: ", here, " and ", there, " both write ", element);
  if (write.statement != other.statement || !other.is_write) {
    message = concat("race: ", here, " writes ", element, ", and ", there,
                     other.is_write ? " writes it at " : " reads it at ", to_text(other.site));
  }
  const bool divergent = is_divergent(first, second, race.way);
  findings.report(divergent ? "divergent-barrier" : "race", Severity::error, &write.site, std::move(message),
                  hint(table, race, divergent));
}

void report_possible(const AccessTable& table, const Race& race, Findings& findings) {
  const Statement& statement = table.statements[race.write->statement];
  std::string who = "two threads of a block";
  if (race.way.kind == Concurrency::Kind::blocks) who = "two blocks";
  if (race.way.kind == Concurrency::Kind::iterations) {
    who = concat("two iterations of ", statement.loops[race.way.loop]->index);
  }
  findings.report("race-unknown", Severity::unknown, &race.write->site,
                  concat("cannot show that no ", who, race.other->is_write ? " write" : " write and read",
                         " one element of ", race.write->ref->tensor, ": ", race.why));
}

void report_redundant(const AccessTable& table, const Race& race, Findings& findings) {
  const Statement& statement = table.statements[race.write->statement];
  findings.report("redundant-write", Severity::warning, &race.write->site,
                  concat("every iteration of ", statement.loops[race.position]->index, " writes the same to ",
                         race.write->ref->tensor),
                  "all iterations do the same: one is enough");
}

}  // namespace

void check_races(const AccessTable& table, const ValueFacts& facts, Findings& findings) {
  for (const Race& race : find_races(table, facts)) {
    switch (race.kind) {
      case Race::Kind::certain: report_certain(table, race, findings); break;
      case Race::Kind::possible: report_possible(table, race, findings); break;
      case Race::Kind::redundant: report_redundant(table, race, findings); break;
    }
  }
}

}  // namespace steptp
