// Races by pairs of accesses. For each way in which two statements can run at the same time (concurrency.h),
// coincidence.h first says which loops must agree; most pairs end there. What is left is a set of integer points,
// two iterations that touch one element, and isl says whether it is empty or gives its least point, which is the
// witness. Work is bounded; beyond the bounds the answer is `possible`, never silence. Decision 0009.
#include "steptp/analysis/races.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace steptp {

namespace {

constexpr std::size_t kMaxPairs = 100'000;  // of accesses, per program
constexpr std::size_t kMaxQueries = 400;    // to isl, per program

bool uses_index(const Statement& statement, const std::string& index) {
  bool found = false;
  const auto note = [&](const std::string& name) { found = found || name == index; };
  for (const Index& subscript : statement.equation->left->subscripts) for_each_variable(subscript, note);
  for_each_variable(*statement.equation->right, note);
  for (const ExprPtr& guard : statement.guards) for_each_variable(*guard, note);
  return found;
}

bool mentions(const Index& subscript, const std::string& index) {
  bool found = false;
  for_each_variable(subscript, [&](const std::string& name) { found = found || name == index; });
  return found;
}

/// The number of the nest that holds a loop of a statement.
std::size_t nest_of_loop(const Statement& statement, std::size_t position) {
  std::size_t nest = 0;
  for (std::size_t loops = statement.nests[0]->loops.size(); loops <= position;) {
    loops += statement.nests[++nest]->loops.size();
  }
  return nest;
}

/// From the nest of that loop down, the equation is all there is.
bool stands_alone(const Statement& statement, std::size_t position) {
  const auto begin = statement.nests.begin() + static_cast<std::ptrdiff_t>(nest_of_loop(statement, position));
  return std::all_of(begin, statement.nests.end(), [](const Nest* nest) { return nest->items.size() == 1; });
}

class RaceChecker {
 public:
  RaceChecker(const AccessTable& table, const ValueFacts& facts, const RaceOptions& options)
      : table_(table), facts_(facts), options_(options) {}

  std::vector<Race> run() {
    for (const Statement& statement : table_.statements) {
      meets_others_.push_back(std::any_of(statement.loops.begin(), statement.loops.end(), [](const Loop* loop) {
        return loop->kind != LoopKind::serial && loop->kind != LoopKind::unrolled;
      }));
    }
    for (const auto& [name, tensor] : table_.tensors) {
      const std::vector<const Access*> writes = in_question(tensor.writes);
      const std::vector<const Access*> reads = in_question(tensor.reads);
      for (std::size_t i = 0; i < writes.size(); ++i) {
        for (std::size_t j = i; j < writes.size(); ++j) check_pair(*writes[i], *writes[j]);
        for (const Access* read : reads) check_pair(*writes[i], *read);
        if (options_.only_one && !(races_.empty() && unknowns_.empty())) return std::move(found_);
      }
    }
    return std::move(found_);
  }

 private:
  enum class Outcome : std::uint8_t { none, possible, certain };

  [[nodiscard]] const Statement& statement_of(const Access& access) const {
    return table_.statements[access.statement];
  }

  /// Those inside loops that may run at the same time as others. The read of an accumulator touches what its own write
  /// touches.
  [[nodiscard]] std::vector<const Access*> in_question(const std::vector<std::size_t>& numbers) const {
    std::vector<const Access*> chosen;
    for (const std::size_t number : numbers) {
      const Access& access = table_.accesses[number];
      if (!meets_others_[access.statement] || access.is_accumulator) continue;
      if (options_.expression && statement_of(access).items[0] != *options_.expression) continue;
      chosen.push_back(&access);
    }
    return chosen;
  }

  void check_pair(const Access& write, const Access& other) {
    const Statement& first = statement_of(write);
    const Statement& second = statement_of(other);
    if (first.items[0] != second.items[0]) return;  // one expression ends before the next begins
    if (pairs_ > kMaxPairs || have_different_constants(*write.ref, *other.ref)) return;
    for (const Concurrency& way : concurrency_of(first, second)) {
      if (is_apart(write, way)) continue;
      if (races_.contains(key(write, way))) continue;
      if (++pairs_ > kMaxPairs) return report_unknown(write, other, way, "the work budget is spent");
      Coincidence coincidence = coincide(table_, write, other, pair_loops(first, second, way));
      if (coincidence.impossible) continue;
      if (write.statement == other.statement) {
        check_one_statement(write, other, way, coincidence);
      } else {
        check_two_statements(write, other, way, coincidence);
      }
    }
  }

  /// D_{tx,0} and D_{tx,1}: unrolled programs have many such pairs.
  static bool have_different_constants(const Ref& first, const Ref& second) {
    for (std::size_t i = 0; i < first.subscripts.size(); ++i) {
      const Index& a = first.subscripts[i];
      const Index& b = second.subscripts[i];
      if (a.is_constant() && b.is_constant() && a.constant_term() != b.constant_term()) return true;
    }
    return false;
  }

  /// Threads have their own `l` data, and blocks their own `s` data.
  [[nodiscard]] bool is_apart(const Access& access, const Concurrency& way) const {
    const Scope scope = table_.tensors.at(access.ref->tensor).effective_scope();
    switch (way.kind) {
      case Concurrency::Kind::iterations: return false;
      case Concurrency::Kind::threads: return is_private(scope);
      case Concurrency::Kind::blocks: return scope != Scope::global;
    }
    return false;
  }

  /// One report for a tensor and a loop, or the threads or blocks of a kernel.
  using Key = std::tuple<std::string, Concurrency::Kind, std::vector<std::uint32_t>, std::size_t>;
  [[nodiscard]] Key key(const Access& access, const Concurrency& way) const {
    const Statement& statement = statement_of(access);
    if (way.kind != Concurrency::Kind::iterations) return {access.ref->tensor, way.kind, statement.kernel.root, 0};
    const std::size_t nest = nest_of_loop(statement, way.loop);
    return {access.ref->tensor,
            way.kind,
            {statement.items.begin(), statement.items.begin() + static_cast<std::ptrdiff_t>(nest + 1)},
            way.loop};
  }

  void check_one_statement(const Access& write, const Access& other, const Concurrency& way,
                           const Coincidence& coincidence) {
    const Statement& statement = statement_of(write);
    for (const LoopPair& pair : coincidence.pairs) {
      if (races_.contains(key(write, way))) return;
      if (pair.equal || !may_differ(statement, pair, way) || statement.loops[pair.first]->extent == 1) continue;
      if (other.is_write && statement.accumulates) {
        if (way.kind == Concurrency::Kind::iterations || stands_alone(statement, pair.first)) continue;
      }
      const auto only = static_cast<std::int64_t>(pair.first);
      if (other.is_write && is_redundant(write, pair.first)) {
        note_redundant(write, way, coincidence, pair.first);
        continue;
      }
      ask(write, other, way, coincidence, only);
    }
  }

  void check_two_statements(const Access& write, const Access& other, const Concurrency& way,
                            const Coincidence& coincidence) {
    const Statement& first = statement_of(write);
    const Statement& second = statement_of(other);
    bool open = has_lone_axis(first, second, way);
    for (const LoopPair& pair : coincidence.pairs) open = open || (!pair.equal && may_differ(first, pair, way));
    if (open) ask(write, other, way, coincidence, -1);
  }

  /// An axis over which only one of them has a loop: the other runs where that index is 0.
  static bool has_lone_axis(const Statement& first, const Statement& second, const Concurrency& way) {
    if (way.kind == Concurrency::Kind::iterations) return false;
    const auto axes = [&](const Statement& statement) {
      std::set<Axis> found;
      for (const Loop* loop : statement.loops) {
        const auto axis = axis_of(loop->index);
        if (axis && is_thread_axis(*axis) == (way.kind == Concurrency::Kind::threads)) found.insert(*axis);
      }
      return found;
    };
    return axes(first) != axes(second);
  }

  void ask(const Access& write, const Access& other, const Concurrency& way, const Coincidence& coincidence,
           std::int64_t only) {
    std::vector<std::int64_t> point;
    std::string_view why;
    const auto add = [&](IntegerSet& set, const Instance& a, const Instance& b) {
      require_concurrent(set, statement_of(write), a, statement_of(other), b, way, only);
    };
    switch (touch_one_element(write, other, coincidence.pairs, add, point, why)) {
      case Outcome::none: return;
      case Outcome::possible: return report_unknown(write, other, way, why);
      case Outcome::certain: return report_race(write, other, way, std::move(point));
    }
  }

  /// Is there such a pair of instances? The values of their loops go to `point`, first those of the first.
  template <typename Add>
  Outcome touch_one_element(const Access& first, const Access& second, const std::vector<LoopPair>& pairs,
                            const Add& add_requirements, std::vector<std::int64_t>& point, std::string_view& why) {
    IntegerSet set;
    const auto a = add_instance(set, table_, facts_, first, true);
    const auto b = a ? add_instance(set, table_, facts_, second, true) : std::nullopt;
    why = "the access is not affine";
    if (!a || !b) return Outcome::possible;
    set.dimensions = set.variables();
    why = "the work budget is spent";
    if (++queries_ > kMaxQueries) return Outcome::possible;
    require_same_element(set, *a, *b);
    for (const LoopPair& pair : pairs) {
      if (!pair.equal) continue;
      set.require(equals(Linear::variable(a->variables[pair.first]), Linear::variable(b->variables[pair.second])));
    }
    add_requirements(set, *a, *b);
    const Presburger::Sample sample = isl_.least_point(set);
    if (sample.kind == Presburger::Sample::Kind::empty) return Outcome::none;
    if (sample.kind == Presburger::Sample::Kind::gave_up) return Outcome::possible;
    why = "data decides";
    if (!a->certain || !b->certain) return Outcome::possible;
    for (const Instance* instance : {&*a, &*b}) {
      for (const std::size_t variable : instance->variables) point.push_back(sample.point[variable]);
    }
    return Outcome::certain;
  }

  /// Every iteration of the loop writes the same: the equation uses neither its index nor anything written in it.
  bool is_redundant(const Access& write, std::size_t position) {
    const Statement& statement = statement_of(write);
    if (uses_index(statement, statement.loops[position]->index)) return false;
    const auto before = [](const Access& access, std::size_t number) { return access.statement < number; };
    auto read = std::lower_bound(table_.accesses.begin(), table_.accesses.end(), write.statement, before);
    for (; read->statement == write.statement && !read->is_write; ++read) {
      // A thread's or a block's own data is another in each of them.
      const std::vector<Index> hidden = hidden_subscripts(table_, *read);
      const std::string& index = statement.loops[position]->index;
      if (std::any_of(hidden.begin(), hidden.end(), [&](const Index& own) { return mentions(own, index); }))
        return false;
      for (const std::size_t number : table_.tensors.at(read->ref->tensor).writes) {
        if (may_be_written(*read, table_.accesses[number], position)) return false;
      }
    }
    return true;
  }

  /// Whether an execution of the loop writes what the access reads in that execution.
  bool may_be_written(const Access& read, const Access& write, std::size_t position) {
    const Statement& reader = statement_of(read);
    const Statement& writer = statement_of(write);
    if (relate(reader, writer).shared_loops <= position) return false;
    const Coincidence coincidence = coincide(table_, read, write, pair_loops(reader, writer, position));
    if (coincidence.impossible) return false;
    std::vector<std::int64_t> point;
    std::string_view why;
    const auto nothing_more = [](IntegerSet&, const Instance&, const Instance&) {};
    return touch_one_element(read, write, coincidence.pairs, nothing_more, point, why) != Outcome::none;
  }

  void note_redundant(const Access& write, const Concurrency& way, const Coincidence& coincidence,
                      std::size_t position) {
    const Statement& statement = statement_of(write);
    if (redundant_.contains(key(write, way))) return;
    if (!statement.guards.empty()) {
      // Guards may leave one iteration, or none.
      std::vector<std::int64_t> point;
      std::string_view why;
      const auto add = [&](IntegerSet& set, const Instance& a, const Instance& b) {
        require_concurrent(set, statement, a, statement, b, way, static_cast<std::int64_t>(position));
      };
      if (touch_one_element(write, write, coincidence.pairs, add, point, why) != Outcome::certain) return;
    }
    redundant_.insert(key(write, way));
    found_.push_back({Race::Kind::redundant, &write, &write, way, {}, {}, position});
  }

  void report_race(const Access& write, const Access& other, const Concurrency& way, std::vector<std::int64_t> point) {
    if (!races_.insert(key(write, way)).second) return;
    found_.push_back({Race::Kind::certain, &write, &other, way, std::move(point), {}, 0});
  }

  void report_unknown(const Access& write, const Access& other, const Concurrency& way, std::string_view why) {
    if (!unknowns_.insert(key(write, way)).second) return;
    found_.push_back({Race::Kind::possible, &write, &other, way, {}, why, 0});
  }

  const AccessTable& table_;
  const ValueFacts& facts_;
  const RaceOptions& options_;
  std::vector<Race> found_;
  Presburger isl_;
  std::vector<bool> meets_others_;  ///< by statement
  std::set<Key> races_;
  std::set<Key> unknowns_;
  std::set<Key> redundant_;
  std::size_t pairs_ = 0;
  std::size_t queries_ = 0;
};

}  // namespace

std::vector<Race> find_races(const AccessTable& table, const ValueFacts& facts, const RaceOptions& options) {
  return RaceChecker(table, facts, options).run();
}

}  // namespace steptp
