// From entries to rows. Caps and shares are applied in the order of a hash of seed and id, so the choice depends
// neither on who made an entry nor on the order of making. The mix of difficulties is reached by leaving out medium
// and easy answers, multi-answer rows first, because a single-answer row is lost with its answer. Test splits are
// not filtered.
#include "steptp/dataset/select.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/dataset/subsets.h"
#include "steptp/recipe/registry.h"

namespace steptp::dataset {

namespace {

constexpr std::string_view kSimplifying[] = {"operator_fission", "factorization", "cancellation", "powsimp",
                                             "logsimp",          "collect",       "together"};
constexpr int kMixSteps = 14;  ///< of a bisection: finer than one row in 10,000

enum class Class : std::uint8_t { difficult, medium, easy };

Class class_of(std::string_view difficulty) {
  if (difficulty == "difficult") return Class::difficult;
  return difficulty == "medium" ? Class::medium : Class::easy;
}

void count(DifficultyCounts& counts, Class one) {
  ++(one == Class::difficult ? counts.difficult : (one == Class::medium ? counts.medium : counts.easy));
}

/// Which share of medium and of easy entries the mix leaves. Multi-answer rows can do without an answer; a row with
/// one answer is lost with it, and goes last.
struct Kept {
  double medium = 1;         ///< in multi-answer rows
  double medium_single = 1;  ///< in rows with one answer
  double easy = 1;
};

/// The rows of one group: a split, with entries that start from roots or from later states.
class Group {
 public:
  Group(const std::vector<Candidate>& all, const Configuration& configuration, Split split, bool is_deep)
      : all_(all), configuration_(configuration), split_(split), is_deep_(is_deep) {
    std::map<std::string, std::size_t> states;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].split != split || all[i].is_deep != is_deep) continue;
      const Strategy* strategy = find_strategy(all[i].strategy);
      members_.push_back({i, combine(mix(configuration.seed), hash_text(all[i].id)),
                          strategy ? class_of(strategy->difficulty()) : Class::difficult,
                          states.emplace(all[i].state, states.size()).first->second});
    }
    states_ = states.size();
    rank();
  }

  [[nodiscard]] bool empty() const { return members_.empty(); }

  /// Without difficulties: every entry alone, and subsets of all.
  void add_unfiltered(std::vector<SelectedRow>& rows) const {
    std::vector<std::size_t> everything;
    for (std::size_t i = 0; i < members_.size(); ++i) everything.push_back(i);
    add_single(everything, false, rows);
    add_multi(subsets(everything), false, rows);
  }

  void add_filtered(const Kept& kept, std::vector<SelectedRow>& rows) const {
    add_single(single(kept), true, rows);
    add_multi(subsets(pool(kept)), true, rows);
  }

  [[nodiscard]] DifficultyCounts occurrences(const Kept& kept) const {
    DifficultyCounts out;
    for (const std::size_t member : single(kept)) count(out, members_[member].difficulty);
    for (const auto& of_state : subsets(pool(kept))) {
      for (const auto& subset : of_state) {
        for (const std::size_t member : subset) count(out, members_[member].difficulty);
      }
    }
    return out;
  }

  /// The shares of medium and easy entries for which the mix is right, or as near as dropping them brings it.
  [[nodiscard]] Kept fit_mix() const {
    const ByDifficulty& wanted = configuration_.mix;
    Kept kept;
    const double sum = wanted.difficult + wanted.medium + wanted.easy;
    if (sum == 0) return kept;
    // Each share changes the other a little: twice is enough.
    for (int round = 0; round < 2; ++round) {
      kept.medium_single = 1;
      kept.medium = bisect(kept, &Kept::medium, &ByDifficulty::medium, 100 * wanted.medium / sum);
      if (kept.medium == 0) {
        kept.medium_single = bisect(kept, &Kept::medium_single, &ByDifficulty::medium, 100 * wanted.medium / sum);
      }
      kept.easy = bisect(kept, &Kept::easy, &ByDifficulty::easy, 100 * wanted.easy / sum);
    }
    return kept;
  }

  [[nodiscard]] bool is_near(const DifficultyCounts& counts) const {
    const ByDifficulty& wanted = configuration_.mix;
    const double sum = wanted.difficult + wanted.medium + wanted.easy;
    if (sum == 0 || counts.sum() == 0) return true;
    const ByDifficulty percent = counts.percent();
    const auto differs = [&](double have, double want) {
      return std::abs(have - 100 * want / sum) > configuration_.mix_tolerance;
    };
    return !differs(percent.difficult, wanted.difficult) && !differs(percent.medium, wanted.medium) &&
           !differs(percent.easy, wanted.easy);
  }

  [[nodiscard]] DifficultyCounts raw() const {
    DifficultyCounts out;
    for (const Member& member : members_) count(out, member.difficulty);
    return out;
  }

 private:
  struct Member {
    std::size_t candidate = 0;
    Hash rank = 0;
    Class difficulty = Class::difficult;
    std::size_t state = 0;
    std::uint64_t place = 0;  ///< among the entries of its strategy, by rank
    double share = 0;         ///< the same among those, in [0, 1)
  };

  void rank() {
    std::map<std::string_view, std::vector<std::size_t>> by_strategy;
    for (std::size_t i = 0; i < members_.size(); ++i) by_strategy[at(i).strategy].push_back(i);
    for (auto& [strategy, list] : by_strategy) {
      std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(members_[a].rank, at(a).id) < std::pair(members_[b].rank, at(b).id);
      });
      // Each strategy begins at a place of its own, so that entries leave one by one as a share falls, and not one of
      // every strategy at once.
      const double begin = std::ldexp(static_cast<double>(hash_text(strategy) >> 11U), -53);
      for (std::size_t i = 0; i < list.size(); ++i) {
        members_[list[i]].place = i;
        members_[list[i]].share = (static_cast<double>(i) + begin) / static_cast<double>(list.size());
      }
      sizes_[strategy] = list.size();
    }
  }

  [[nodiscard]] const Candidate& at(std::size_t member) const { return all_[members_[member].candidate]; }

  /// Test splits are not filtered: they are what models are measured on.
  [[nodiscard]] bool is_filtered() const { return split_ == Split::train; }

  [[nodiscard]] static bool is_left_by_mix(const Member& member, double medium, double easy) {
    if (member.difficulty == Class::difficult) return true;
    return member.share < (member.difficulty == Class::medium ? medium : easy);
  }

  [[nodiscard]] std::vector<std::size_t> single(const Kept& kept) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!is_filtered() || (is_kept_single(i) && is_left_by_mix(members_[i], kept.medium_single, kept.easy)))
        out.push_back(i);
    }
    return out;
  }

  [[nodiscard]] bool is_kept_single(std::size_t i) const {
    const Member& member = members_[i];
    const std::uint64_t cap = configuration_.single_cap;
    if (member.place >= cap) return false;
    if (member.difficulty != Class::easy) return true;
    const double share =
        is_simplifying(at(i).strategy) ? configuration_.easy_simplifying : configuration_.easy_expanding;
    const auto capped = static_cast<double>(std::min<std::uint64_t>(cap, sizes_.at(at(i).strategy)));
    return static_cast<double>(member.place) < std::ceil(share * capped);
  }

  [[nodiscard]] std::vector<std::size_t> pool(const Kept& kept) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      if (is_filtered()) {
        if (member.difficulty == Class::easy || !is_left_by_mix(member, kept.medium, kept.easy)) continue;
        if (member.difficulty == Class::medium && member.place >= configuration_.medium_cap) continue;
      }
      out.push_back(i);
    }
    return out;
  }

  [[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> subsets(
      const std::vector<std::size_t>& members) const {
    std::vector<Pool> pools(states_);
    for (const std::size_t member : members) {
      Pool& pool = pools[members_[member].state];
      pool.state = hash_text(at(member).state);
      pool.entries.push_back(member);
    }
    for (Pool& pool : pools) {
      std::sort(pool.entries.begin(), pool.entries.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(members_[a].rank, at(a).id) < std::pair(members_[b].rank, at(b).id);
      });
    }
    return draw_subsets(pools, states_, configuration_);
  }

  void add_single(const std::vector<std::size_t>& members, bool filtered, std::vector<SelectedRow>& rows) const {
    for (const std::size_t member : members) {
      rows.push_back({SelectedRow::Kind::single, filtered, is_deep_, split_, at(member).program, {at(member).id}});
    }
  }

  void add_multi(const std::vector<std::vector<std::vector<std::size_t>>>& subsets, bool filtered,
                 std::vector<SelectedRow>& rows) const {
    for (const auto& of_state : subsets) {
      for (const auto& subset : of_state) {
        SelectedRow row{SelectedRow::Kind::multi, filtered, is_deep_, split_, at(subset.front()).program, {}};
        for (const std::size_t member : subset) row.entries.push_back(at(member).id);
        rows.push_back(std::move(row));
      }
    }
  }

  [[nodiscard]] double bisect(Kept kept, double Kept::*share, double ByDifficulty::*part, double wanted) const {
    kept.*share = 1;
    if (occurrences(kept).percent().*part <= wanted) return 1;
    double low = 0;
    double high = 1;
    for (int step = 0; step < kMixSteps; ++step) {
      kept.*share = (low + high) / 2;
      (occurrences(kept).percent().*part > wanted ? high : low) = kept.*share;
    }
    // Of few rows one entry more or less changes much, and which answers stand together changes with it: where the
    // share that was found is not near enough, the nearest of those around it is taken.
    constexpr int kAround = 24;
    double best = low;
    double least = 100;
    for (int step = 0; step <= 2 * kAround && least > configuration_.mix_tolerance / 2; ++step) {
      const int away = (step + 1) / 2 * (step % 2 == 0 ? -1 : 1);
      kept.*share = std::clamp(low + 0.01 * away, 0.0, 1.0);
      const double miss = std::abs(occurrences(kept).percent().*part - wanted);
      if (miss >= least) continue;
      least = miss;
      best = kept.*share;
    }
    return best;
  }

  const std::vector<Candidate>& all_;
  const Configuration& configuration_;
  Split split_;
  bool is_deep_;
  std::vector<Member> members_;
  std::size_t states_ = 0;
  std::map<std::string_view, std::uint64_t> sizes_;  ///< entries of each strategy
};

}  // namespace

void DifficultyCounts::add(std::string_view difficulty) { count(*this, class_of(difficulty)); }

ByDifficulty DifficultyCounts::percent() const {
  if (sum() == 0) return {};
  const double all = static_cast<double>(sum()) / 100;
  return {static_cast<double>(difficult) / all, static_cast<double>(medium) / all, static_cast<double>(easy) / all};
}

bool is_simplifying(std::string_view strategy) {
  return std::find(std::begin(kSimplifying), std::end(kSimplifying), strategy) != std::end(kSimplifying);
}

Selection select_rows(const std::vector<Candidate>& candidates, const Configuration& configuration) {
  Selection out;
  for (const Split split : kAllSplits) {
    for (const bool is_deep : {false, true}) {
      const Group group(candidates, configuration, split, is_deep);
      if (group.empty()) continue;
      const Kept kept = split == Split::train ? group.fit_mix() : Kept();
      group.add_filtered(kept, out.rows);
      group.add_unfiltered(out.rows);
      if (split == Split::train && !is_deep) {
        out.raw = group.raw();
        out.filtered = group.occurrences(kept);
        out.is_mix_reached = group.is_near(out.filtered);
      }
    }
  }
  return out;
}

}  // namespace steptp::dataset
