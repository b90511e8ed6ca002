// Which single elements have to win a maximum for an omission to show.
#include <algorithm>
#include <set>

#include "steptp/analysis/box_search.h"
#include "steptp/certify/coverage.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kMostPeaks = 48;
constexpr int kMostDepth = 4;
constexpr int kMostVisits = 20'000;
constexpr std::uint64_t kBoxes = 20'000;

void collect_accesses_of(const Code& code, std::uint32_t node, std::vector<std::uint32_t>& out) {
  const Node& at = code.nodes[node];
  if (at.op == Op::real_read) out.push_back(at.payload);
  for (const std::uint32_t operand : {at.first, at.second, at.third}) {
    if (operand != kNone) collect_accesses_of(code, operand, out);
  }
}

std::optional<std::int64_t> value_at(const IndexCode& index, const std::vector<std::int64_t>& iteration) {
  std::vector<Range> box;
  box.reserve(iteration.size());
  for (const std::int64_t value : iteration) box.push_back({value, value});
  const Range range = range_of(index, box);
  return range.is_point() ? std::optional(range.low) : std::nullopt;
}

/// The place of an element in its tensor; nothing where it lies outside.
std::optional<std::int64_t> position_of(const Access& access, const std::vector<std::int64_t>& shape,
                                        const std::vector<std::int64_t>& iteration) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto at = value_at(access.subscripts[d], iteration);
    if (!at || *at < 0 || *at >= shape[d]) return std::nullopt;
    position = position * shape[d] + *at;
  }
  return position;
}

/// The iteration of a direct statement that writes a cell; loops that the cell does not name are at their first round
/// in an accumulation, which has them all, and otherwise at the last, which is what remains.
std::optional<std::vector<std::int64_t>> writer_of(const StatementCode& statement,
                                                   const std::vector<std::int64_t>& cell) {
  std::vector<std::int64_t> iteration(statement.extents.size());
  for (std::size_t i = 0; i < iteration.size() && !statement.accumulates; ++i) iteration[i] = statement.extents[i] - 1;
  for (const DirectSubscript& direct : statement.direct) {
    if (direct.slot == kNone || direct.number >= cell.size()) continue;
    std::int64_t& at = iteration[direct.slot] = cell[direct.number] - direct.constant;
    if (direct.is_digit && at >= 0) {
      at /= direct.weight;
      if (direct.modulus != 0) at %= direct.modulus;
    }
    if (iteration[direct.slot] < 0 || iteration[direct.slot] >= statement.extents[direct.slot]) return std::nullopt;
  }
  return iteration;
}

}  // namespace

bool Coverage::has_running_extremum() const {
  for (std::uint32_t i = 0; i < code_.statements.size(); ++i) {
    const StatementCode& statement = code_.statements[i];
    if (statement.accumulates &&
        (statement.accumulation == ArithmeticOp::max || statement.accumulation == ArithmeticOp::min)) {
      return true;
    }
    // A recurrence may hold one.
    const std::vector<std::uint32_t>& readers = readers_[statement.tensor];
    if (code_.has_order && !statement.accumulates &&
        std::any_of(readers.begin(), readers.end(), [&](std::uint32_t read) { return owner_[read] == i; })) {
      return true;
    }
  }
  return false;
}

std::vector<std::vector<std::int64_t>> Coverage::turning_points(std::uint32_t number) const {
  const StatementCode& statement = code_.statements[number];
  std::set<std::vector<std::int64_t>> found;
  const auto add_with_neighbours = [&](const std::vector<std::int64_t>& iteration) {
    found.insert(iteration);
    for (std::size_t slot = 0; slot < iteration.size(); ++slot) {
      for (const std::int64_t step : {-1, 1}) {
        std::vector<std::int64_t> beside = iteration;
        beside[slot] += step;
        found.insert(beside);
      }
    }
  };
  const std::vector<std::int64_t> first(statement.extents.size(), 0);
  add_with_neighbours(first);
  for (std::size_t slot = 0; slot < first.size(); ++slot) {
    std::vector<std::int64_t> last = first;
    last[slot] = statement.extents[slot] - 1;
    add_with_neighbours(last);
  }
  for (const Branch& branch : code_.branches) {
    // A fold has no condition in the text.
    const auto* compare = branch.condition ? std::get_if<Compare>(&branch.condition->node) : nullptr;
    if (branch.statement != number || branch.is_selection || !branch.on_indices || !compare) continue;
    const auto left = to_index(*compare->operands[0]);
    const auto right = to_index(*compare->operands[1]);
    const auto difference = left && right ? Index::subtract(*right, *left) : std::nullopt;
    if (!difference) continue;
    SearchProblem problem{box_of(number), {}, &*difference, {0, 0}};
    const SearchAnswer answer = find_inside(problem, kBoxes);
    if (answer.kind != SearchAnswer::Kind::found) continue;
    std::vector<std::int64_t> iteration;
    for (const std::string& loop : statement.loops) {
      const auto at = answer.point.find(loop);
      iteration.push_back(at == answer.point.end() ? 0 : at->second);
    }
    add_with_neighbours(iteration);
  }
  return {found.begin(), found.end()};
}

void Coverage::collect_reads(std::uint32_t number, const std::vector<std::int64_t>& iteration, int depth, int& visits,
                             std::vector<std::pair<std::size_t, std::int64_t>>& out) const {
  // A tensor that many statements overwrite in turn has many times many ways back to its inputs.
  if (++visits > kMostVisits) return;
  std::vector<std::uint32_t> accesses;
  collect_accesses_of(code_, code_.statements[number].right, accesses);
  for (const std::uint32_t access : accesses) {
    const TensorCode& tensor = code_.tensors[code_.accesses[access].tensor];
    if (tensor.known) {
      const auto input = model_.numbers.find(tensor.name);
      if (input == model_.numbers.end() || !is_float(tensor.dtype)) continue;
      if (const auto position = position_of(code_.accesses[access], tensor.known->shape, iteration)) {
        out.emplace_back(input->second, *position);
      }
      continue;
    }
    if (depth >= kMostDepth) continue;
    std::vector<std::int64_t> cell;
    for (const IndexCode& subscript : code_.accesses[access].subscripts) {
      const auto value = value_at(subscript, iteration);
      if (!value) break;
      cell.push_back(*value);
    }
    if (cell.size() != code_.accesses[access].subscripts.size()) continue;
    for (const std::uint32_t writer : tensor.writers) {
      if (!code_.statements[writer].is_direct || writer == number) continue;
      if (const auto from = writer_of(code_.statements[writer], cell))
        collect_reads(writer, *from, depth + 1, visits, out);
    }
  }
}

std::vector<Coverage::Peak> Coverage::peaks() {
  std::vector<Peak> found;
  if (!has_running_extremum()) return found;
  for (std::uint32_t number = 0; number < code_.statements.size(); ++number) {
    const StatementCode& statement = code_.statements[number];
    if (!live_[statement.tensor] || statement.is_outside) continue;
    for (const std::vector<std::int64_t>& iteration : turning_points(number)) {
      if (found.size() >= kMostPeaks) return found;
      std::vector<std::pair<std::size_t, std::int64_t>> reads;
      int visits = 0;
      collect_reads(number, iteration, 0, visits, reads);
      if (reads.empty()) continue;
      // An iteration beside the loops is read by another statement; what it leads to is what the nearest one does.
      std::vector<std::int64_t> inside = iteration;
      for (std::size_t slot = 0; slot < inside.size(); ++slot) {
        inside[slot] = std::clamp<std::int64_t>(inside[slot], 0, statement.extents[slot] - 1);
      }
      std::vector<OutputPoint> points;
      reach(number, inside, points);
      if (points.empty()) continue;
      for (const auto& [input, position] : reads) found.push_back({input, position, points[0]});
    }
  }
  return found;
}

}  // namespace steptp::certify
