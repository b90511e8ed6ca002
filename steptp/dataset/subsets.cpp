// Draws the subsets of multi-answer rows: so many for each state, different from each other, of the wanted size on
// average. Small pools give what they can, and larger ones make up for them.
#include "steptp/dataset/subsets.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/random.h"

namespace steptp::dataset {

namespace {

/// Sizes differ by up to this much from each other before pools bound them.
constexpr double kSpread = 3;
constexpr int kTries = 48;
constexpr int kTriesOfOneSize = 6;
constexpr int kSteps = 30;
constexpr int kRounds = 4;
constexpr double kNear = 0.02;

/// In [0, 1), with 53 bits.
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

/// How many subsets a pool of so many entries has, of at least so many entries each; bounded.
std::uint64_t subset_count(std::size_t entries, std::uint64_t least) {
  constexpr std::size_t kEnough = 16;
  if (entries > kEnough) return std::uint64_t{1} << kEnough;
  std::uint64_t sum = 0;
  std::uint64_t ways = 1;
  for (std::uint64_t size = 0; size <= entries; ++size) {
    if (size >= least) sum += ways;
    ways = ways * (entries - size) / (size + 1);
  }
  return sum;
}

class Drawer {
 public:
  Drawer(const std::vector<Pool>& pools, std::size_t states, const Configuration& configuration)
      : pools_(pools), configuration_(configuration) {
    decide_numbers(static_cast<double>(states) * configuration.subsets);
  }

  std::vector<std::vector<std::vector<std::size_t>>> draw() {
    std::vector<std::vector<std::vector<std::size_t>>> out;
    // Where subsets meet, one is drawn smaller: the mean comes out lower than it was aimed at, and is aimed at again.
    double aim = configuration_.subset_size;
    for (int round = 0; round < kRounds; ++round) {
      const double shift = fitting_shift(aim);
      out.clear();
      double answers = 0;
      double count = 0;
      for (std::size_t i = 0; i < pools_.size(); ++i) {
        out.push_back(subsets_of(i, shift));
        for (const auto& subset : out.back()) answers += static_cast<double>(subset.size());
        count += static_cast<double>(out.back().size());
      }
      if (count == 0) break;
      const double missed = configuration_.subset_size - answers / count;
      if (std::abs(missed) < kNear) break;
      aim += missed;
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_large_enough(const Pool& pool) const {
    return pool.entries.size() >= configuration_.subset_least;
  }
  [[nodiscard]] std::uint64_t key(std::size_t pool, std::uint64_t what) const {
    return combine(combine(mix(configuration_.seed), pools_[pool].state), what);
  }

  /// The wanted sum, spread evenly; what small pools cannot give the others give.
  void decide_numbers(double sum) {
    numbers_.assign(pools_.size(), 0);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      if (is_large_enough(pools_[i])) open.push_back(i);
    }
    while (!open.empty() && sum > 0) {
      const double share = sum / static_cast<double>(open.size());
      std::vector<std::size_t> left;
      for (const std::size_t pool : open) {
        const std::uint64_t most = subset_count(pools_[pool].entries.size(), configuration_.subset_least);
        if (static_cast<double>(most) > share) {
          left.push_back(pool);
          continue;
        }
        numbers_[pool] = most;
        sum -= static_cast<double>(most);
      }
      if (left.size() < open.size()) {
        open = std::move(left);
        continue;
      }
      for (const std::size_t pool : open) {
        const double whole = std::floor(share);
        numbers_[pool] = static_cast<std::uint64_t>(whole) + (unit(key(pool, 1)) < share - whole ? 1 : 0);
      }
      return;
    }
  }

  [[nodiscard]] std::size_t size_of(std::size_t pool, std::uint64_t number, double shift) const {
    const double drawn = std::floor(shift + kSpread * unit(key(pool, 2 + number)));
    const double most = static_cast<double>(pools_[pool].entries.size());
    return static_cast<std::size_t>(std::clamp(drawn, static_cast<double>(configuration_.subset_least), most));
  }

  [[nodiscard]] double mean_size(double shift) const {
    double sum = 0;
    double count = 0;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      for (std::uint64_t number = 0; number < numbers_[pool]; ++number) {
        sum += static_cast<double>(size_of(pool, number, shift));
        ++count;
      }
    }
    return count == 0 ? 0 : sum / count;
  }

  /// The shift of drawn sizes for which their mean is the wanted one, pools being as small as they are.
  [[nodiscard]] double fitting_shift(double aim) const {
    double low = 0;
    double high = 64;
    for (int step = 0; step < kSteps; ++step) {
      const double middle = (low + high) / 2;
      (mean_size(middle) < aim ? low : high) = middle;
    }
    return high;
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> subsets_of(std::size_t pool, double shift) const {
    std::vector<std::vector<std::size_t>> out;
    std::set<std::vector<std::size_t>> seen;
    const std::vector<std::size_t>& entries = pools_[pool].entries;
    for (std::uint64_t number = 0; number < numbers_[pool]; ++number) {
      Random random(key(pool, number) + 1);
      std::size_t size = size_of(pool, number, shift);
      for (int attempt = 0; attempt < kTries; ++attempt) {
        // Where all subsets of a size are taken, one entry less will do.
        if (attempt > 0 && attempt % kTriesOfOneSize == 0) {
          size = size > configuration_.subset_least ? size - 1 : entries.size();
        }
        std::vector<std::size_t> drawn = entries;
        for (std::size_t i = 0; i < size; ++i) std::swap(drawn[i], drawn[i + random.below(drawn.size() - i)]);
        drawn.resize(size);
        std::vector<std::size_t> sorted = drawn;
        std::sort(sorted.begin(), sorted.end());
        if (!seen.insert(std::move(sorted)).second) continue;
        out.push_back(std::move(drawn));
        break;
      }
    }
    return out;
  }

  const std::vector<Pool>& pools_;
  const Configuration& configuration_;
  std::vector<std::uint64_t> numbers_;  ///< of subsets, of each pool
};

}  // namespace

std::vector<std::vector<std::vector<std::size_t>>> draw_subsets(const std::vector<Pool>& pools, std::size_t states,
                                                                const Configuration& configuration) {
  return Drawer(pools, states, configuration).draw();
}

}  // namespace steptp::dataset
