// Which elements of the outputs show what a condition does? Iterations at which it just holds and just fails are found
// in boxes, and followed forward through the readers of what they write until they reach an output. Iterations that
// reach none do not matter, and outcomes that no iteration has need not be seen.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/coverage.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "steptp/analysis/box_search.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/base/text.h"
#include "steptp/machine/solver.h"

namespace steptp::certify {

namespace {

constexpr std::uint64_t kBoxes = 200'000;
constexpr std::uint64_t kSteps = 2'000'000;
constexpr std::size_t kMostPoints = 4;
constexpr std::size_t kMostEdges = 48;

bool is_infinite(const Expr& expr) {
  if (std::holds_alternative<Infinity>(expr.node)) return true;
  const auto* call = std::get_if<Call>(&expr.node);
  return call && call->function == Function::negate && is_infinite(*call->argument);
}

/// x==-inf and the like: exact values are infinite because of where they stand, not because of the inputs.
bool asks_for_infinity(const Expr& condition) {
  const auto* compare = std::get_if<Compare>(&condition.node);
  return compare && std::any_of(compare->operands.begin(), compare->operands.end(),
                                [](const ExprPtr& operand) { return is_infinite(*operand); });
}

std::string_view text_of(Fold::Kind kind) {
  switch (kind) {
    case Fold::Kind::to_bool: return "a real that becomes a bool (not zero)";
    case Fold::Kind::clamp: return "a clamp (the first operand at least the second)";
    case Fold::Kind::absolute: return "an abs (its operand not negative)";
    case Fold::Kind::rounding: return "a rounding (beyond -1, 0, 1)";
  }
  return "a fold";
}

/// The differences right - left at which a comparison just holds and just fails.
std::vector<std::int64_t> edges_of(CompareOp op) {
  switch (op) {
    case CompareOp::less:
    case CompareOp::less_equal:
      return op == CompareOp::less ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0, -1};
    case CompareOp::greater:
    case CompareOp::greater_equal:
      return op == CompareOp::greater ? std::vector<std::int64_t>{-1, 0} : std::vector<std::int64_t>{0, 1};
    case CompareOp::equal:
    case CompareOp::not_equal: return {0, 1, -1};
  }
  return {};
}

void collect_accesses_of(const Code& code, std::uint32_t node, std::vector<std::uint32_t>& out) {
  const Node& at = code.nodes[node];
  if (at.op == Op::real_read || at.op == Op::integer_read) out.push_back(at.payload);
  for (const std::uint32_t operand : {at.first, at.second, at.third}) {
    if (operand != kNone) collect_accesses_of(code, operand, out);
  }
}

std::vector<std::int64_t> iteration_of(const StatementCode& statement, const Point& point) {
  std::vector<std::int64_t> iteration;
  for (const std::string& loop : statement.loops) {
    const auto at = point.find(loop);
    iteration.push_back(at == point.end() ? 0 : at->second);
  }
  return iteration;
}

std::optional<std::int64_t> value_at(const IndexCode& index, const std::vector<std::int64_t>& iteration) {
  std::vector<Range> box;
  box.reserve(iteration.size());
  for (const std::int64_t value : iteration) box.push_back({value, value});
  const Range range = range_of(index, box);
  return range.is_point() ? std::optional(range.low) : std::nullopt;
}

}  // namespace

Coverage::Coverage(const Code& code, const InputModel& model)
    : code_(code),
      model_(model),
      live_(code.tensors.size()),
      readers_(code.tensors.size()),
      owner_(code.accesses.size()),
      read_in_subscripts_(code.tensors.size()),
      steps_(kSteps) {
  for (std::uint32_t i = 0; i < code.statements.size(); ++i) {
    std::vector<std::uint32_t> accesses;
    collect_accesses_of(code, code.statements[i].right, accesses);
    for (const std::uint32_t access : accesses) {
      owner_[access] = i;
      readers_[code.accesses[access].tensor].push_back(access);
    }
  }
  for (const steptp::Access& access : code.table.accesses) {
    for (const Index& subscript : access.ref->subscripts) {
      for_each_read(subscript, [this](const RefPtr& read) {
        read_in_subscripts_[code_.tensor_numbers.find(read->tensor)->second] = true;
      });
    }
  }
  mark_live();
}

bool Coverage::is_output(std::uint32_t tensor) const {
  const auto at = code_.table.tensors.find(code_.tensors[tensor].name);
  const Variable* known = at == code_.table.tensors.end() ? nullptr : at->second.known;
  return known && known->role == Role::output;
}

std::string Coverage::goal_of(const StatementCode& statement) const {
  if (code_.is_window) return statement.goal;
  return is_output(statement.tensor) ? code_.tensors[statement.tensor].name : std::string();
}

void Coverage::mark_live() {
  for (std::uint32_t i = 0; i < code_.tensors.size(); ++i) live_[i] = is_output(i);
  for (bool changed = true; changed;) {
    changed = false;
    // From the end, so that a long chain takes one round.
    const auto& statements = code_.table.statements;
    for (auto at = statements.rbegin(); at != statements.rend(); ++at) {
      const Statement& statement = *at;
      const std::uint32_t target = code_.tensor_numbers.find(statement.equation->left->tensor)->second;
      if (!live_[target]) continue;
      const auto mark = [&](const RefPtr& ref) {
        const std::uint32_t read = code_.tensor_numbers.find(ref->tensor)->second;
        if (!live_[read]) changed = live_[read] = true;
      };
      for_each_ref(*statement.equation->right, mark);
      for_each_ref(statement.equation->left, mark);
    }
  }
}

bool Coverage::matters(std::uint32_t number) const {
  const Branch& branch = code_.branches[number];
  const StatementCode& statement = code_.statements[branch.statement];
  if (branch.in_guard || !live_[statement.tensor] || statement.is_outside) return false;
  return !branch.condition || !asks_for_infinity(*branch.condition);
}

std::string Coverage::text(std::uint32_t number) const {
  const Branch& branch = code_.branches[number];
  const std::string_view what = branch.fold           ? text_of(branch.fold->kind)
                                : branch.is_selection ? "the condition of an if_then_else"
                                                      : "a comparison";
  return concat(what, " in statement ", code_.statements[branch.statement].text);
}

Ranges Coverage::box_of(std::uint32_t statement) const {
  Ranges ranges = loop_box(code_.table.statements[statement]);
  for (const InputFacts& facts : model_.inputs) {
    if (is_float(facts.variable->dtype)) continue;
    if (facts.is_bounded) ranges.tensors[facts.variable->name] = {facts.low, facts.high};
    if (facts.domain.kind == Domain::Kind::range && std::abs(facts.domain.low) < 0x1p60 &&
        std::abs(facts.domain.high) < 0x1p60) {
      ranges.tensors[facts.variable->name] = {static_cast<std::int64_t>(std::ceil(facts.domain.low)),
                                              static_cast<std::int64_t>(std::ceil(facts.domain.high)) - 1};
    }
  }
  return ranges;
}

void Coverage::reach(std::uint32_t start, const std::vector<std::int64_t>& iteration, std::vector<OutputPoint>& out) {
  std::vector<std::pair<std::uint32_t, std::vector<std::int64_t>>> queue = {{start, iteration}};
  std::set<std::uint32_t> seen = {start};
  Solver solver(steps_);
  for (std::size_t at = 0; at < queue.size() && out.size() < kMostPoints; ++at) {
    const auto [number, point] = queue[at];
    const StatementCode& statement = code_.statements[number];
    std::vector<std::int64_t> cell;
    for (const IndexCode& subscript : statement.left.subscripts) {
      const auto value = value_at(subscript, point);
      if (!value) break;
      cell.push_back(*value);
    }
    if (cell.size() != statement.left.subscripts.size()) continue;
    if (const std::string goal = goal_of(statement); !goal.empty()) out.push_back({goal, cell});
    for (const IndexCode& subscript : statement.left.hidden) cell.push_back(value_at(subscript, point).value_or(0));
    for (const std::uint32_t read : readers_[statement.tensor]) {
      const std::uint32_t owner = owner_[read];
      if (!seen.insert(owner).second) continue;
      std::vector<std::int64_t> found(kMaxLoops);
      const CellQuery query{&code_.statements[owner], &code_.accesses[read], cell.data(), cell.size()};
      const PointCheck maybe = [](const std::int64_t*) { return true; };
      if (!solver.last_before(query, nullptr, 0, false, maybe, found.data())) {
        seen.erase(owner);
        continue;
      }
      found.resize(code_.statements[owner].extents.size());
      queue.emplace_back(owner, found);
    }
  }
}

std::vector<OutputPoint> Coverage::edges() {
  std::vector<OutputPoint> points;
  for (const Branch& branch : code_.branches) {
    if (!branch.on_indices || code_.statements[branch.statement].is_outside) continue;
    const auto* compare = std::get_if<Compare>(&branch.condition->node);
    if (branch.is_selection || !compare || !live_[code_.statements[branch.statement].tensor]) {
      continue;
    }
    const auto left = to_index(*compare->operands[0]);
    const auto right = to_index(*compare->operands[1]);
    const auto difference = left && right ? Index::subtract(*right, *left) : std::nullopt;
    if (!difference) continue;
    for (const std::int64_t edge : edges_of(compare->operators[0])) {
      if (points.size() >= kMostEdges) return points;
      SearchProblem problem{box_of(branch.statement), branch.path, &*difference, {edge, edge}};
      const SearchAnswer answer = find_inside(problem, kBoxes / 10);
      if (answer.kind != SearchAnswer::Kind::found && answer.kind != SearchAnswer::Kind::possible) continue;
      std::vector<OutputPoint> found;
      reach(branch.statement, iteration_of(code_.statements[branch.statement], answer.point), found);
      points.insert(points.end(), found.begin(), found.end());
    }
  }
  return points;
}

std::vector<OutputPoint> Coverage::regions() {
  std::vector<OutputPoint> points;
  for (std::uint32_t i = 0; i < code_.statements.size(); ++i) {
    const StatementCode& statement = code_.statements[i];
    if (!live_[statement.tensor] || statement.is_outside) continue;
    std::vector<std::int64_t> last;
    for (const std::int64_t extent : statement.extents) last.push_back(extent - 1);
    for (const std::vector<std::int64_t>& iteration : {std::vector<std::int64_t>(last.size(), 0), last}) {
      std::vector<OutputPoint> found;
      reach(i, iteration, found);
      if (!found.empty()) points.push_back(std::move(found.front()));
    }
  }
  return points;
}

std::vector<OutputPoint> Coverage::chosen_elements() {
  std::vector<OutputPoint> points;
  const auto add = [&](const std::vector<OutputPoint>& found) {
    if (!found.empty() && points.size() < kMostEdges) points.push_back(found.front());
  };
  for (std::uint32_t i = 0; i < code_.statements.size(); ++i) {
    const Statement& source = code_.table.statements[i];
    if (source.guards.empty() || !live_[code_.statements[i].tensor] || code_.statements[i].is_outside) continue;
    const Index zero;
    SearchProblem problem{box_of(i), {}, &zero, {0, 0}};
    for (const ExprPtr& guard : source.guards) problem.conditions.push_back({guard, true});
    const SearchAnswer answer = find_inside(problem, kBoxes / 10);
    if (answer.kind != SearchAnswer::Kind::found && answer.kind != SearchAnswer::Kind::possible) continue;
    std::vector<OutputPoint> found;
    reach(i, iteration_of(code_.statements[i], answer.point), found);
    add(found);
  }
  for (std::uint32_t i = 0; i < code_.branches.size() && points.size() < kMostEdges; ++i) {
    if (!code_.branches[i].on_indices || !code_.branches[i].is_selection || !matters(i)) continue;
    for (const bool outcome : {true, false}) add(witness(i, outcome).points);
  }
  return points;
}

std::vector<Range> Coverage::whole_box(std::uint32_t statement) const {
  std::vector<Range> box;
  for (const std::int64_t extent : code_.statements[statement].extents) box.push_back({0, extent - 1});
  return box;
}

std::vector<Range> Coverage::within(std::uint32_t statement, const Bounds& bounds, std::vector<Range> box) const {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto* list : {&bounds, &code_.statements[statement].guard_bounds}) {
      for (const Bound& bound : *list) {
        if (!narrow(bound.target, {bound.low, bound.high}, box)) return {};
      }
    }
  }
  return box;
}

bool Coverage::leads_nowhere(std::uint32_t start, const std::vector<Range>& start_box) const {
  constexpr std::size_t kMostBoxes = 256;
  std::vector<std::pair<std::uint32_t, std::vector<Range>>> queue = {{start, start_box}};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::vector<Range> box = queue[at].second;
    const StatementCode& statement = code_.statements[queue[at].first];
    if (!goal_of(statement).empty() || read_in_subscripts_[statement.tensor] || at > kMostBoxes) return false;
    for (const std::uint32_t read : readers_[statement.tensor]) {
      Bounds bounds;
      const auto match = [&](const std::vector<IndexCode>& reading, const std::vector<IndexCode>& written) {
        for (std::size_t d = 0; d < reading.size() && d < written.size(); ++d) {
          const Range range = range_of(written[d], box);
          bounds.push_back({reading[d], range.low, range.high});
        }
      };
      match(code_.accesses[read].subscripts, statement.left.subscripts);
      match(code_.accesses[read].hidden, statement.left.hidden);
      const std::uint32_t owner = owner_[read];
      std::pair<std::uint32_t, std::vector<Range>> next = {owner, within(owner, bounds, whole_box(owner))};
      if (!next.second.empty() && std::find(queue.begin(), queue.end(), next) == queue.end()) {
        queue.push_back(std::move(next));
      }
    }
  }
  return true;
}

bool Coverage::all_lead_nowhere(std::uint32_t statement, const Bounds& bounds, const std::vector<Range>& box,
                                int& trials) const {
  const std::vector<Range> inside = within(statement, bounds, box);
  if (inside.empty()) return true;
  if (--trials < 0) return false;
  if (leads_nowhere(statement, inside)) return true;
  // A box is round where the bounds are slanted: smaller boxes fit better.
  std::size_t widest = inside.size();
  for (const Bound& bound : bounds) {
    for (const LinearPart& part : bound.target.linear) {
      const std::int64_t width = inside[part.slot].high - inside[part.slot].low;
      if (width > 0 && (widest == inside.size() || width > inside[widest].high - inside[widest].low)) {
        widest = part.slot;
      }
    }
  }
  if (widest == inside.size()) return false;
  const Range range = inside[widest];
  const std::int64_t middle = range.low + (range.high - range.low) / 2;
  for (const Range half : {Range{range.low, middle}, Range{middle + 1, range.high}}) {
    std::vector<Range> part = inside;
    part[widest] = half;
    if (!all_lead_nowhere(statement, bounds, part, trials)) return false;
  }
  return true;
}

bool Coverage::is_unused(std::uint32_t number, bool outcome) {
  const Branch& branch = code_.branches[number];
  int trials = 200;
  return all_lead_nowhere(branch.statement, outcome ? branch.where_true : branch.where_false,
                          whole_box(branch.statement), trials);
}

Coverage::Witness Coverage::witness(std::uint32_t number, bool outcome) {
  const Branch& branch = code_.branches[number];
  const Index zero;
  SearchProblem problem{box_of(branch.statement), branch.path, &zero, {0, 0}};
  if (branch.condition) problem.conditions.push_back({branch.condition, outcome});
  const SearchAnswer answer = find_inside(problem, kBoxes);
  Witness witness;
  witness.is_infeasible = answer.kind == SearchAnswer::Kind::none;
  if (answer.kind == SearchAnswer::Kind::found || answer.kind == SearchAnswer::Kind::possible) {
    reach(branch.statement, iteration_of(code_.statements[branch.statement], answer.point), witness.points);
  }
  return witness;
}

}  // namespace steptp::certify
