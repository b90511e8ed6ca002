// Elements at which a mistake is likely: first and last rounds of loops and both sides of conditions on indices,
// carried on from intermediates to the outputs that read them.
#include "replay/edges.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <set>

#include "replay/conditions.h"
#include "replay/evaluate.h"
#include "steptp/base/random.h"

namespace steptp::replayer {

namespace {

class Edges {
 public:
  Edges(const Layout& layout, std::uint64_t seed)
      : layout_(layout), random_(seed), numbers_(kPrime), evaluator_(layout, numbers_, sources_, budget_) {
    // Conditions and subscripts of data are not looked into.
    sources_.input = [](const Variable&, const std::vector<std::int64_t>&) -> Value { throw Undecided{"data"}; };
  }

  EdgesFound run() {
    // Single rounds and places first, then what is likely everywhere: what is found first is pushed on first.
    for (const Statement& statement : layout_.statements()) {
      ConditionRounds found = rounds_of_conditions(layout_, statement);
      if (undecided_.empty()) undecided_ = std::move(found.undecided);
      for (const Iteration& round : found.rounds) write(statement, round, false);
    }
    for (const Variable& variable : layout_.program().signature.variables) push_rare_values(variable);
    push_all();
    for (const Statement& statement : layout_.statements()) {
      for (const Iteration& round : rounds_of(statement)) write(statement, round, true);
    }
    push_all();
    return {std::move(found_), std::move(undecided_)};
  }

 private:
  /// Each time.
  static constexpr std::uint64_t kMostSteps = 3000;
  static constexpr std::size_t kMostOfTensor = 160;

  /// First, last and middle rounds, and both sides of conditions on single loops.
  std::vector<Iteration> rounds_of(const Statement& statement) {
    const std::size_t loops = statement.loops.size();
    std::vector<Iteration> out;
    Iteration middle;
    Iteration first(loops, 0);
    Iteration last;
    for (const Loop* loop : statement.loops) {
      last.push_back(loop->extent - 1);
      middle.push_back(random_.between(0, loop->extent - 1));
    }
    out.push_back(first);
    out.push_back(last);
    out.push_back(middle);
    for (std::size_t i = 0; i < loops; ++i) {
      for (const std::int64_t end : {std::int64_t{0}, last[i]}) {
        Iteration round = middle;
        round[i] = end;
        out.push_back(std::move(round));
      }
    }
    std::vector<const Expr*> conditions;
    const std::function<void(const Expr&)> collect = [&](const Expr& expr) {
      if (std::holds_alternative<Compare>(expr.node)) conditions.push_back(&expr);
      for (const ExprPtr* child : children(expr)) collect(**child);
    };
    collect(*statement.equation->right);
    for (const ExprPtr& guard : statement.guards) collect(*guard);
    for (const Expr* condition : conditions) {
      for (std::size_t i = 0; i < loops; ++i) {
        for (const Iteration& start : {middle, first, last}) scan(*condition, statement, start, i, out);
      }
    }
    return out;
  }

  /// Both sides of where a condition changes along a loop.
  void scan(const Expr& condition, const Statement& statement, Iteration round, std::size_t loop,
            std::vector<Iteration>& out) {
    constexpr std::int64_t kMostRounds = 600;
    constexpr int kMostChanges = 3;
    const std::int64_t extent = statement.loops[loop]->extent;
    const std::int64_t stride = std::max<std::int64_t>(1, extent / kMostRounds);
    const auto holds = [&](std::int64_t at) {
      round[loop] = at;
      return truth(condition, statement, round);
    };
    std::optional<bool> before = holds(0);
    std::int64_t last = 0;
    int changes = 0;
    for (std::int64_t at = stride; before && at < extent && changes < kMostChanges; at += stride) {
      const auto now = holds(at);
      if (now && *now != *before) {
        std::int64_t low = last;
        std::int64_t high = at;
        while (high - low > 1) {
          const std::int64_t half = low + (high - low) / 2;
          (holds(half) == before ? low : high) = half;
        }
        for (const std::int64_t side : {low, high}) {
          round[loop] = side;
          out.push_back(round);
        }
        ++changes;
      }
      before = now;
      last = at;
    }
  }

  template <typename Ask>
  auto asked(const Ask& ask) -> decltype(ask()) {
    budget_ = kSteps;
    try {
      return ask();
    } catch (const Undecided&) {
    } catch (const Undefined&) {
    } catch (const Beyond&) {
    }
    return std::nullopt;
  }

  std::optional<bool> truth(const Expr& condition, const Statement& statement, const Iteration& round) {
    return asked([&] { return std::optional<bool>(evaluator_.holds(condition, statement, round)); });
  }

  void push_all() {
    steps_ = 0;
    while (!open_.empty() && steps_ < kMostSteps) {
      const auto [tensor, cell] = open_.front();
      open_.pop_front();
      push_on(tensor, cell);
    }
  }

  void write(const Statement& statement, const Iteration& round, bool has_neighbours) {
    const auto cell = asked([&] { return evaluator_.target(statement, round); });
    if (!cell) return;
    const std::string& tensor = statement.equation->left->tensor;
    add(tensor, *cell);
    for (std::size_t d = 0; has_neighbours && d < cell->size(); ++d) {
      for (const std::int64_t step : {-1, 1}) {
        Cell beside = *cell;
        beside[d] += step;
        add(tensor, beside);
      }
    }
  }

  void add(const std::string& tensor, const Cell& cell) {
    const Variable* known = layout_.tensor(tensor).known;
    for (std::size_t d = 0; known && d < cell.size(); ++d) {
      if (cell[d] < 0 || cell[d] >= known->shape[d]) return;
    }
    auto& cells = met_[tensor];
    if (cells.size() >= kMostOfTensor || !cells.insert(cell).second) return;
    if (known && known->role == Role::output) found_[tensor].push_back(cell);
    open_.emplace_back(tensor, cell);
  }

  /// Of a table whose values are given: the first and the last place of each of the rarest values.
  void push_rare_values(const Variable& variable) {
    constexpr std::size_t kMostValues = 6;
    struct Places {
      std::size_t count = 0;
      std::size_t first = 0;
      std::size_t last = 0;
    };
    std::map<double, Places> places;
    for (std::size_t i = 0; i < variable.values.size(); ++i) {
      Places& own = places[variable.values[i]];
      if (own.count++ == 0) own.first = i;
      own.last = i;
    }
    std::vector<Places> rarest;
    for (const auto& [value, own] : places) rarest.push_back(own);
    std::stable_sort(rarest.begin(), rarest.end(), [](const Places& a, const Places& b) { return a.count < b.count; });
    if (rarest.size() > kMostValues) rarest.resize(kMostValues);
    for (const Places& own : rarest) {
      for (const std::size_t place : {own.first, own.last}) {
        Cell cell(variable.shape.size());
        auto rest = static_cast<std::int64_t>(place);
        for (std::size_t d = cell.size(); d-- > 0; rest /= variable.shape[d]) cell[d] = rest % variable.shape[d];
        open_.emplace_back(variable.name, std::move(cell));
      }
    }
  }

  /// Rounds that read a cell, and what they write.
  void push_on(const std::string& tensor, const Cell& cell) {
    for (const Statement& statement : layout_.statements()) {
      if (statement.equation->left->tensor == tensor) continue;
      for_each_ref(*statement.equation->right, [&](const RefPtr& ref) {
        if (ref->tensor != tensor) return;
        ++steps_;
        Statement reader = statement;
        reader.left = layout_.storage(*ref, statement);
        if (reader.left.size() != cell.size()) return;
        std::optional<Iteration> found;
        static_cast<void>(asked([&]() -> std::optional<bool> {
          Search search(budget_);
          search.run(
              reader, cell, Before{}, [&](const Iteration& round) { return evaluator_.writes(reader, round, cell); },
              [&](const Iteration& round) {
                found = round;
                return false;
              });
          return true;
        }));
        if (!found) return;
        if (const auto target = asked([&] { return evaluator_.target(statement, *found); })) {
          add(statement.equation->left->tensor, *target);
        }
      });
    }
  }

  static constexpr std::uint64_t kSteps = 20'000;

  const Layout& layout_;
  Random random_;
  Numbers numbers_;
  Sources sources_;
  std::uint64_t budget_ = kSteps;
  Evaluator evaluator_;
  std::uint64_t steps_ = 0;
  std::map<std::string, std::set<Cell>> met_;
  std::deque<std::pair<std::string, Cell>> open_;
  std::map<std::string, std::vector<Cell>> found_;
  std::string undecided_;
};

}  // namespace

EdgesFound edges_of(const Layout& layout, std::uint64_t seed) { return Edges(layout, seed).run(); }

}  // namespace steptp::replayer
