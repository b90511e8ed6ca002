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

std::string hint(const Statement& first, const Statement& second, const Concurrency& way, bool divergent) {
  switch (way.kind) {
    case Concurrency::Kind::iterations:
      return concat("iterations of ", plural(first.loops[way.loop]->kind), " run in any order: make ",
                    first.loops[way.loop]->index, " an L loop, or give each iteration its own element");
    case Concurrency::Kind::threads:
      if (divergent) return "the barrier between the two items would stand under a guard on thread indices";
      if (&first == &second) return "give each thread its own element";
      return "data passes between threads only between items of a body without an open thread loop: close it between";
    case Concurrency::Kind::blocks: return "blocks of a launch run in any order: give each block its own element";
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
                  hint(first, second, race.way, divergent));
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
