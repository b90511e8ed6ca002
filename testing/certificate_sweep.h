#pragma once

// Judges pairs of every kind that the tests know, with certificates, and gives these to the replayer.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/replay.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::testing {

/// A pair, its certificate and what the replayer says.
struct ConfirmedPair {
  std::string id;
  std::string verdict;
  std::string reason;
  std::string certificate;
  replayer::Report report;
  /// Nothing was decided, so that there is nothing to confirm.
  [[nodiscard]] bool is_open() const;
  [[nodiscard]] bool is_confirmed() const { return report.outcome == replayer::Report::Outcome::confirmed; }
};

/// Judges a pair within a budget that suits tests, and replays its certificate.
[[nodiscard]] ConfirmedPair judge_and_confirm(const Pair& pair, std::uint64_t seed = 1);

using PairVisitor = std::function<void(const Pair&)>;
/// Pairs of a file of lines (.jsonl, .jsonl.zst), one of every so many; lines without texts are left out.
void for_each_pair_of_file(const std::string& file, std::uint64_t every, std::uint64_t start, const PairVisitor& visit);
/// Pairs that are equal by construction, single changes of programs, and unequal pairs of the attacker.
void for_each_equal_pair(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit);
void for_each_mutant(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit);
void for_each_attack(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit);

/// Counts by verdict and outcome, and keeps what was not confirmed.
struct Sweep {
  std::map<std::string, std::uint64_t> counts;  ///< "exact confirmed"
  std::vector<ConfirmedPair> not_confirmed;
  [[nodiscard]] PairVisitor visitor();
  [[nodiscard]] std::uint64_t confirmed() const;
  [[nodiscard]] std::string text() const;
};

}  // namespace steptp::testing
