#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp::testing {

/// A pair of a frozen list, as texts. `strategy` says what made it, or which list it is of.
struct FrozenPair {
  std::string id;
  std::string strategy;
  Json signature;
  std::string before;
  std::string after;
  Json record;  ///< all that the list says of it

  /// What `verify --pairs` reads.
  [[nodiscard]] std::string to_line() const;
};

/// The pairs of a list: a file of lines (.jsonl, .jsonl.zst) or one of the words `examples`, `derivations` and `corpus`
/// (programs of the zoo, and those of the same names that were published), which need ../shared/data. The error says
/// what is missing.
[[nodiscard]] Result<std::vector<FrozenPair>, std::string> read_frozen(const std::string& list);

/// A signature of the same names, types and shapes with the domains that the zoo states today; the old one where the
/// program is none of a type of the zoo.
[[nodiscard]] Json with_todays_domains(const FrozenPair& pair);

/// Draws steps of all strategies over the zoo and writes them, one a line. The same seed gives the same bytes.
[[nodiscard]] int make_frozen(std::uint64_t seed, std::uint64_t count, const std::string& file);

struct JudgeOptions {
  std::string list;
  std::uint64_t jobs = 1;
  std::uint64_t budget = 0;         ///< 0: that of `verify`
  std::uint64_t safety_budget = 0;  ///< likewise
  std::uint64_t every = 1;          ///< judges one of so many pairs, evenly spread
  std::uint64_t limit = 0;          ///< and at most so many of them; 0: all
  double seconds = 120;             ///< after that the judge is ended, and the pair counts as hanging
  double within = 0;                ///< ends after so many seconds with what is judged by then; 0: judges all
  bool todays_domains = false;
  bool renew = false;  ///< forgets what was judged before
  /// Judges against `before` a program one small change away from `after` instead: not 0 is the seed of the changes.
  std::uint64_t mutants = 0;
  std::string out;         ///< one line per pair; what is there already is not judged again
  std::string not_proved;  ///< pairs that are not proved, with verdict, reason and texts
};
/// Judges a list and prints a table by strategies. Each pair is judged in another process: one that crashes or hangs
/// costs only itself, and what was judged before an interruption is kept. Exit status 1 where one crashed or hung, or
/// where a pair that was not changed differs.
[[nodiscard]] int judge_frozen(const JudgeOptions& options);

/// Writes what each strategy offers on every type of the zoo at its default shape and on so many states of a list.
[[nodiscard]] int freeze_offers(const std::string& list, std::uint64_t states, const std::string& file);
/// Lists the same programs again and says which share of each strategy's offers is still there.
[[nodiscard]] int compare_offers(const std::string& file, bool todays_domains, const std::string& lost);

/// Writes the pairs on which two judges are compared: the corpus, the examples of strategies and the derivation targets
/// where they are at hand, then so many generated pairs, each followed by a wrong program made from it.
[[nodiscard]] int write_behaviour_pairs(std::uint64_t seed, std::uint64_t count, const std::string& path);

/// Calls it for every line of a .jsonl or .jsonl.zst file that is a JSON object. Empty, or what is wrong.
[[nodiscard]] std::string for_each_json_line(const std::string& file, const std::function<void(Json)>& visit);

}  // namespace steptp::testing
