#pragma once

// Bodies of Machine: which write a read sees; included only by the file that makes machines.

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

template <typename A>
bool Machine<A>::is_later(const Instance& one, const Instance& other) const {
  for (const Writer& writer : code_.statements[one.statement].left.writers) {
    if (writer.statement != other.statement) continue;
    for (std::uint32_t i = 0; i < writer.shared_loops; ++i) {
      if (one.slots[i] != other.slots[i]) return one.slots[i] > other.slots[i];
    }
    return one.statement > other.statement;
  }
  return one.statement > other.statement;
}

template <typename A>
bool Machine<A>::writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots) {
  const Frame frame{&statement, slots, nullptr, 0};
  for (const std::uint32_t guard : statement.guards) {
    if (integer(guard, frame) == 0) return false;
  }
  Cell written;
  cell_of(statement.left, frame, written);
  return std::equal(cell.at.begin(), cell.at.begin() + static_cast<std::ptrdiff_t>(cell.size), written.at.begin());
}

/// Of a writer that stands first. Subscripts that are single loops leave nothing to search: the greatest iteration that
/// the shared loops allow, unless that takes a step back in an outer loop, which is the solver's business.
template <typename A>
bool Machine<A>::directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                          bool& is_decided) const {
  const StatementCode& statement = code_.statements[writer.statement];
  const std::size_t loops = statement.extents.size();
  for (std::size_t i = 0; i < loops; ++i) found[i] = -1;
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
  bool is_tight = true;
  bool has_free = false;
  for (std::size_t i = 0; i < loops; ++i) {
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

template <typename A>
bool Machine<A>::last_write_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found) {
  const StatementCode& statement = code_.statements[writer.statement];
  if (!writer.stands_first && writer.shared_loops == 0) return false;
  if (statement.is_direct && writer.stands_first) {
    bool is_decided = true;
    const bool exists = directly(writer, cell, now, found, is_decided);
    if (is_decided) return exists;
  }
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* slots) { return writes_cell(statement, cell, slots); };
  return solver_.last_before(query, now, writer.shared_loops, !writer.stands_first, check, found.data());
}

template <typename A>
bool Machine<A>::last_write(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now,
                            Instance& found) {
  spend(1);
  Instance candidate;
  for (const Writer& writer : writers) {
    Instance& target = found.statement == kNone ? found : candidate;
    if (!last_write_of(writer, cell, now, target.slots)) continue;
    target.statement = writer.statement;
    target.is_partial = writer.shared_loops > code_.statements[writer.statement].private_from;
    if (&target == &candidate && is_later(candidate, found)) found = candidate;
  }
  return found.statement != kNone;
}

template <typename A>
bool Machine<A>::original(const Access& access, const std::int64_t* slots, Instance& found) const {
  if (access.origin == kNone) return false;
  const std::vector<std::int64_t>& extents = code_.statements[access.origin].extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const IndexCode& loop = access.origin_loops[i];
    std::int64_t value = loop.constant;
    for (const LinearPart& part : loop.linear) value += part.coefficient * slots[part.slot];
    if (value < 0 || value >= extents[i]) return false;
    found.slots[i] = value;
  }
  found.statement = access.origin;
  found.is_partial = false;
  return true;
}

template <typename A>
void Machine<A>::undefined(const Access& access, const Cell& cell) const {
  std::string at;
  for (std::size_t i = 0; i < cell.size; ++i) append(at, i > 0 ? "," : "", cell.at[i]);
  fail(FailureKind::undefined_read, concat(code_.tensors[access.tensor].name, "[", at, "] is not defined when read"));
}

}  // namespace steptp::certify
