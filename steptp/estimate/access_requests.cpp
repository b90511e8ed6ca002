// What an instruction of a warp touches, counted from the addresses of its 32 threads at two iterations: the first, and
// one in the middle, where rows of odd lengths begin somewhere else.
#include "steptp/estimate/access_requests.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace steptp::estimation {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kSector = 32;
constexpr std::int64_t kLine = 128;
constexpr std::int64_t kBanks = 32;
constexpr std::int64_t kBankBytes = 4;

/// The byte addresses at which the threads of the first warp begin, those that take part.
std::vector<std::int64_t> addresses(const std::vector<LoopSummary>& loops, const std::array<std::int64_t, 3>& block,
                                    const AccessSummary& access, std::vector<std::int64_t> point) {
  std::vector<std::int64_t> out;
  const auto bytes = static_cast<std::int64_t>(access.element_bytes);
  for (std::int64_t thread = 0; thread < kWarp; ++thread) {
    const std::array<std::int64_t, 3> position = {thread % block[0], thread / block[0] % block[1],
                                                  thread / (block[0] * block[1])};
    if (position[2] >= block[2]) break;
    std::array<bool, 3> has_loop = {false, false, false};
    bool takes_part = true;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (!loops[i].axis || !is_thread_axis(*loops[i].axis)) continue;
      const auto axis = static_cast<std::size_t>(*loops[i].axis) - 3;
      has_loop[axis] = true;
      point[i] = position[axis];
      takes_part = takes_part && position[axis] < loops[i].extent;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) takes_part = takes_part && (has_loop[axis] || position[axis] == 0);
    if (takes_part) out.push_back(access.offset.at(point) * bytes);
  }
  return out;
}

/// Of the busiest block.
std::size_t active_threads(const StatementSummary& statement) {
  double threads = statement.busiest_share > 0 ? statement.block_share / statement.busiest_share : 1;
  for (const LoopSummary& loop : statement.loops) {
    if (loop.axis && is_thread_axis(*loop.axis)) threads *= static_cast<double>(loop.extent);
  }
  return static_cast<std::size_t>(std::max(1.0, std::ceil(threads - 1e-6)));
}

double distinct(const std::vector<std::int64_t>& begins, std::int64_t bytes, std::int64_t unit) {
  std::vector<std::int64_t> units;
  for (const std::int64_t begin : begins) {
    for (std::int64_t at = floor_quotient(begin, unit); at <= floor_quotient(begin + bytes - 1, unit); ++at) {
      units.push_back(at);
    }
  }
  std::sort(units.begin(), units.end());
  return static_cast<double>(std::unique(units.begin(), units.end()) - units.begin());
}

/// Rounds through the banks: so many threads as fill 128 bytes go at once, and of those with different words in one
/// bank, one after another.
double bank_rounds(const std::vector<std::int64_t>& begins, std::int64_t bytes) {
  const std::int64_t words = std::max<std::int64_t>(1, bytes / kBankBytes);
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, kWarp / words));
  double rounds = 0;
  for (std::size_t first = 0; first < begins.size(); first += at_once) {
    std::vector<std::int64_t> touched;
    for (std::size_t i = first; i < std::min(begins.size(), first + at_once); ++i) {
      for (std::int64_t word = 0; word < words; ++word) {
        touched.push_back(floor_quotient(begins[i], kBankBytes) + word);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::array<int, kBanks> in_bank{};
    int most = 1;
    for (const std::int64_t word : touched) {
      most = std::max(most, ++in_bank[static_cast<std::size_t>(floor_remainder(word, kBanks))]);
    }
    rounds += most;
  }
  return rounds;
}

}  // namespace

void add_requests(const StatementSummary& statement, const std::array<std::int64_t, 3>& block, AccessSummary& access) {
  const std::vector<LoopSummary>& loops = statement.loops;
  const std::size_t active = active_threads(statement);
  std::vector<std::int64_t> first(loops.size(), 0);
  std::vector<std::int64_t> middle(loops.size(), 0);
  for (std::size_t i = 0; i < loops.size(); ++i) middle[i] = loops[i].extent / 2;
  // A vector begins at lane 0.
  if (access.lanes > 1) middle.back() = 0;
  const auto bytes = static_cast<std::int64_t>(access.element_bytes) * access.lanes;
  double sectors = 0;
  double lines = 0;
  double conflicts = 0;
  double samples = 0;
  for (const auto& point : {first, middle}) {
    std::vector<std::int64_t> begins = addresses(loops, block, access, point);
    if (begins.size() > active) begins.resize(active);
    if (begins.empty()) continue;
    samples += 1;
    conflicts += bank_rounds(begins, bytes);
    sectors += distinct(begins, bytes, kSector);
    lines += distinct(begins, bytes, kLine);
  }
  if (samples == 0) return;
  access.sectors = sectors / samples;
  access.lines = lines / samples;
  access.conflicts = conflicts / samples;
}

}  // namespace steptp::estimation
