// A tensor in `s` or `l` that several kernels touch is treated as `g`. This is wrong only if a read would see
// another value in its own scope. For each read and write the question to isl is: is there an iteration in which
// this write is the last one before the read, and belongs to another thread, block or launch? Pairs with a later
// write in between are taken out. A point that is left over is an error, unless both copies surely got the same
// value.
#include "steptp/safety/ambiguity.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "steptp/analysis/concurrency.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kMaxWriters = 50;   // of one tensor
constexpr std::size_t kMaxQueries = 200;  // to isl, per program
constexpr std::array kAllAxes = {Axis::bx, Axis::by, Axis::bz, Axis::tx, Axis::ty,
                                 Axis::tz, Axis::wx, Axis::wy, Axis::wz};

/// The literal that leaves an accumulator as it is.
bool is_identity(const Expr& value, ArithmeticOp op) {
  const auto* literal = std::get_if<Literal>(&value.node);
  if (op == ArithmeticOp::add) return literal && literal->real == 0;
  if (op == ArithmeticOp::multiply) return literal && literal->real == 1;
  const auto* call = std::get_if<Call>(&value.node);
  const bool negated = call && call->function == Function::negate;
  const bool infinite = std::holds_alternative<Infinity>(negated ? call->argument->node : value.node);
  return infinite && negated == (op == ArithmeticOp::max);
}

class AmbiguityChecker {
 public:
  AmbiguityChecker(const AccessTable& table, const ValueFacts& facts, Findings& findings)
      : table_(table), facts_(facts), findings_(findings) {}

  void run() {
    for (const auto& [name, tensor] : table_.tensors) {
      if (!tensor.demoted) continue;
      for (const std::size_t number : tensor.reads) {
        // One report for a tensor is enough to have it declared in g.
        if (check_read(table_.accesses[number], tensor)) break;
      }
    }
  }

 private:
  [[nodiscard]] const Statement& statement_of(const Access& access) const {
    return table_.statements[access.statement];
  }

  /// True where something was reported.
  bool check_read(const Access& read, const TensorFacts& tensor) {
    const Statement& reader = statement_of(read);
    if (tensor.writes.size() > kMaxWriters) return unknown(read, tensor, "too many writers");
    for (const std::size_t number : tensor.writes) {
      const Access& write = table_.accesses[number];
      const Statement& writer = statement_of(write);
      // What an earlier kernel left is what demotion is for, unless an accumulator would not see it.
      if (!read.is_accumulator && writer.kernel != reader.kernel) continue;
      if (read.is_accumulator && is_identity(*writer.equation->right, *reader.accumulates)) continue;
      if (check_last_write(read, write, tensor)) return true;
    }
    return false;
  }

  /// A read and a write, as the points of a set: the loops of the read, then those of the write.
  struct Pair {
    Instance read;
    Instance write;
    [[nodiscard]] bool certain() const { return read.certain && write.certain; }
  };
  std::optional<Pair> add_pair(IntegerSet& set, const Access& read, const Access& write, bool where) const {
    std::vector<std::size_t> coordinates(statement_of(read).loops.size() + statement_of(write).loops.size());
    // First of all, because quotients bring in variables of their own.
    for (std::size_t& coordinate : coordinates) coordinate = set.add_variable();
    set.dimensions = coordinates.size();
    auto reader = add_instance(set, table_, facts_, read, where);
    auto writer = reader ? add_instance(set, table_, facts_, write, where) : std::nullopt;
    if (!writer) return std::nullopt;
    std::size_t next = 0;
    for (const auto& [instance, access] : {std::pair(&*reader, &read), std::pair(&*writer, &write)}) {
      const std::size_t loops = statement_of(*access).loops.size();
      instance->certain = instance->certain && instance->variables.size() == loops;
      for (std::size_t i = 0; i < loops; ++i) {
        set.require(equals(Linear::variable(coordinates[next++]), Linear::variable(instance->variables[i])));
      }
    }
    return Pair{*std::move(reader), *std::move(writer)};
  }

  /// Is there an iteration in which this writer wrote last, and not the reader's own copy?
  bool check_last_write(const Access& read, const Access& write, const TensorFacts& tensor) {
    if (++queries_ > kMaxQueries) return unknown(read, tensor, "the work budget is spent");
    IntegerSet whole;
    const auto pair = add_pair(whole, read, write, true);
    if (!pair) return unknown(read, tensor, "the access is not affine");
    require_same_element(whole, pair->write, pair->read);
    whole.require(runs_before(table_, write, pair->write, read, pair->read));
    whole.require(of_another_copy(read, write, *pair, tensor.scope));
    bool certain = pair->certain();
    std::vector<IntegerSet> between;
    for (const std::size_t number : tensor.writes) {
      auto part = written_between(read, write, table_.accesses[number]);
      certain = certain && part;
      if (part) between.push_back(*std::move(part));
    }
    const Presburger::Answer answer = isl_.covered(whole, between);
    if (answer.kind == Presburger::Answer::Kind::covered) return false;
    if (answer.kind == Presburger::Answer::Kind::gave_up) return unknown(read, tensor, "the work budget is spent");
    if (!certain) return unknown(read, tensor, "data decides which write is the last");
    return compare_values(read, write, tensor, answer.point);
  }

  /// The write is not what the reader's own copy holds: it is of another launch, or at another place of the axes that
  /// the scope counts.
  [[nodiscard]] Formula of_another_copy(const Access& read, const Access& write, const Pair& pair, Scope scope) const {
    const Statement& reader = statement_of(read);
    const Statement& writer = statement_of(write);
    if (reader.kernel != writer.kernel) return {{}};
    Formula different;
    const auto differ = [&different](const Linear& a, const Linear& b) {
      different.push_back({less(a, b)});
      different.push_back({less(b, a)});
    };
    if (read.is_accumulator) {  // a plain read does not mind what an earlier launch left
      for (std::size_t i = 0; i < reader.kernel.host_loops; ++i) {
        differ(Linear::variable(pair.read.variables[i]), Linear::variable(pair.write.variables[i]));
      }
    }
    for (const Axis axis : kAllAxes) {
      if (is_thread_axis(axis) && scope == Scope::shared) continue;
      differ(axis_value(reader, pair.read, axis), axis_value(writer, pair.write, axis));
    }
    if (read.is_accumulator || reader.kernel.host_loops == 0) return different;
    for (Clause& clause : different) {
      for (std::size_t i = 0; i < reader.kernel.host_loops; ++i) {
        clause.push_back(equals(Linear::variable(pair.read.variables[i]), Linear::variable(pair.write.variables[i])));
      }
    }
    return different;
  }

  /// The pairs between which this writer writes the element; nothing where it cannot be said.
  std::optional<IntegerSet> written_between(const Access& read, const Access& write, const Access& other) const {
    IntegerSet set;
    const auto pair = add_pair(set, read, write, false);
    const auto later = pair ? add_instance(set, table_, facts_, other, true) : std::nullopt;
    if (!later || !later->certain || !pair->certain()) return std::nullopt;
    require_same_element(set, *later, pair->read);
    set.require(runs_before(table_, write, pair->write, other, *later));
    set.require(runs_before(table_, other, *later, read, pair->read));
    return set;
  }

  /// Another copy wrote last. It does not matter where that is the value of the own copy too.
  bool compare_values(const Access& read, const Access& write, const TensorFacts& tensor,
                      const std::vector<std::int64_t>& point) {
    if (!read.is_accumulator && is_only_writer(write, tensor) && reads_constants(write)) {
      const Truth same = writes_the_same(write, tensor.scope);
      const Truth own = same == Truth::no ? Truth::no : own_copy_is_written(read, write);
      if (same == Truth::yes && own == Truth::yes) return false;
      if (own != Truth::no) return unknown(read, tensor, "two threads or blocks may have written the same value");
    }
    const Statement& reader = statement_of(read);
    Point at;
    for (std::size_t i = 0; i < reader.loops.size(); ++i) at[reader.loops[i]->index] = point[i];
    findings_.report("scope-ambiguous", Severity::error, &read.site,
                     concat(read.ref->tensor, " is treated as g, but differs in its scope ", code(tensor.scope), " at ",
                            describe(at, reader.loops), ": ",
                            read.is_accumulator ? "there it would start afresh or hold its own value"
                                                : "another thread or block wrote it last"),
                     "declare it in scope g");
    return true;
  }

  [[nodiscard]] bool is_only_writer(const Access& write, const TensorFacts& tensor) const {
    return std::all_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
      const Access& other = table_.accesses[number];
      return other.statement == write.statement || statement_of(other).kernel != statement_of(write).kernel;
    });
  }
  [[nodiscard]] bool reads_constants(const Access& write) const {
    bool good = true;
    for_each_ref(*statement_of(write).equation->right,
                 [&](const RefPtr& ref) { good = good && table_.tensors.at(ref->tensor).writes.empty(); });
    return good;
  }
  /// Whether all copies are given one value: yes without any index of the kernel, no where it depends on each axis that
  /// tells copies apart.
  [[nodiscard]] Truth writes_the_same(const Access& write, Scope scope) const {
    const Statement& statement = statement_of(write);
    std::set<std::string> used;
    for_each_variable(*statement.equation->right, [&used](const std::string& name) { used.insert(name); });
    bool none = true;
    bool each = true;
    for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
      const Loop& loop = *statement.loops[i];
      none = none && !used.contains(loop.index);
      const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
      const bool tells_apart = axis && (is_private(scope) || !is_thread_axis(*axis)) && loop.extent > 1;
      each = each && (!tells_apart || used.contains(loop.index));
    }
    if (none) return Truth::yes;
    return each ? Truth::no : Truth::maybe;
  }

  /// Does every such read find something that its own copy was given in this launch?
  Truth own_copy_is_written(const Access& read, const Access& write) {
    IntegerSet whole;
    const auto reader = add_instance(whole, table_, facts_, read, true);
    IntegerSet part;
    const auto same_reader = add_instance(part, table_, facts_, read, false);
    const auto writer = same_reader ? add_instance(part, table_, facts_, write, true) : std::nullopt;
    if (!reader || !writer) return Truth::maybe;
    whole.dimensions = part.dimensions = reader->variables.size();
    require_same_element(part, *writer, *same_reader);
    part.require(runs_before(table_, write, *writer, read, *same_reader));
    const Statement& statement = statement_of(read);
    for (std::size_t i = 0; i < statement.kernel.host_loops; ++i) {
      part.require(equals(Linear::variable(writer->variables[i]), Linear::variable(same_reader->variables[i])));
    }
    for (const Axis axis : kAllAxes) {
      if (is_thread_axis(axis) && table_.tensors.at(read.ref->tensor).scope == Scope::shared) continue;
      part.require(equals(axis_value(statement_of(write), *writer, axis), axis_value(statement, *same_reader, axis)));
    }
    switch (isl_.covered(whole, {part}).kind) {
      case Presburger::Answer::Kind::covered: return Truth::yes;
      case Presburger::Answer::Kind::missing: return Truth::no;
      case Presburger::Answer::Kind::gave_up: return Truth::maybe;
    }
    return Truth::maybe;
  }

  bool unknown(const Access& read, const TensorFacts& tensor, std::string_view why) {
    findings_.report("scope-ambiguous-unknown", Severity::unknown, &read.site,
                     concat("cannot show that ", read.ref->tensor, " has the same value in scope ", code(tensor.scope),
                            " and as the common array that it is treated as: ", why),
                     "declare it in scope g");
    return true;
  }

  const AccessTable& table_;
  const ValueFacts& facts_;
  Findings& findings_;
  Presburger isl_;
  std::size_t queries_ = 0;
};

}  // namespace

void check_ambiguity(const AccessTable& table, const ValueFacts& facts, Findings& findings) {
  AmbiguityChecker(table, facts, findings).run();
}

}  // namespace steptp
