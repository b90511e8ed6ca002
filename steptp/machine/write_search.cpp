// A read asks for the last write to its storage cell before its moment. Where the subscripts of a writer are single
// loops, the iteration follows from the cell; otherwise the solver finds it by shrinking boxes. So overwriting in
// place, recurrences, scopes, guards and several writers need no rules of their own.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/machine/write_search.h"

#include <string>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/text.h"

namespace steptp::certify {

bool WriteSearch::is_later(const Instance& one, const Instance& other) const {
  for (const Writer& writer : code_.statements[one.statement].left.writers) {
    if (writer.statement != other.statement) continue;
    for (std::uint32_t i = 0; i < writer.shared_loops; ++i) {
      if (one.slots[i] != other.slots[i]) return one.slots[i] > other.slots[i];
    }
    return one.statement > other.statement;
  }
  return one.statement > other.statement;
}

bool WriteSearch::loops_of(const StatementCode& statement, const Cell& cell, Slots& found) {
  for (std::size_t i = 0; i < statement.extents.size(); ++i) found[i] = -1;
  for (const DirectSubscript& subscript : statement.direct) {
    std::int64_t value = cell.at[subscript.number] - subscript.constant;
    if (subscript.slot == kNone) {
      if (value != 0) return false;
      continue;
    }
    if (subscript.is_digit && value >= 0) {
      value /= subscript.weight;
      if (subscript.modulus != 0) value %= subscript.modulus;
    }
    if (value < 0 || value >= statement.extents[subscript.slot]) return false;
    if (found[subscript.slot] >= 0 && found[subscript.slot] != value) return false;
    found[subscript.slot] = value;
  }
  return true;
}

bool WriteSearch::directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                           bool& is_decided) const {
  const StatementCode& statement = code_.statements[writer.statement];
  if (!loops_of(statement, cell, found)) return false;
  bool is_tight = true;
  bool has_free = false;
  for (std::size_t i = 0; i < statement.extents.size(); ++i) {
    if (i >= writer.shared_loops) is_tight = false;
    if (found[i] < 0) {
      found[i] = is_tight ? now[i] : statement.extents[i] - 1;
      has_free = true;
    } else if (is_tight && found[i] != now[i]) {
      if (found[i] > now[i]) {
        is_decided = !has_free;
        return false;
      }
      is_tight = false;
    }
  }
  return true;
}

bool WriteSearch::last_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found) {
  const StatementCode& statement = code_.statements[writer.statement];
  if (!writer.stands_first && writer.shared_loops == 0) return false;
  if (statement.is_direct && writer.stands_first) {
    bool is_decided = true;
    const bool exists = directly(writer, cell, now, found, is_decided);
    if (is_decided) return exists;
  }
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* slots) { return writes_cell_(statement, cell, slots); };
  return solver_.last_before(query, now, writer.shared_loops, !writer.stands_first, check, found.data());
}

bool WriteSearch::last(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now, Instance& found) {
  budget_.spend(1);
  Instance candidate;
  for (const Writer& writer : writers) {
    Instance& target = found.statement == kNone ? found : candidate;
    if (!last_of(writer, cell, now, target.slots)) continue;
    target.statement = writer.statement;
    target.is_partial = writer.shared_loops > code_.statements[writer.statement].private_from;
    if (&target == &candidate && is_later(candidate, found)) found = candidate;
  }
  return found.statement != kNone;
}

void WriteSearch::undefined(const Access& access, const Cell& cell) const {
  std::string at;
  for (std::size_t i = 0; i < cell.size; ++i) append(at, i > 0 ? "," : "", cell.at[i]);
  fail(FailureKind::undefined_read, concat(code_.tensors[access.tensor].name, "[", at, "] is not defined when read"));
}

}  // namespace steptp::certify
