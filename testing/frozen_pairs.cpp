// Lists of pairs that are frozen before the judge or the strategies change, so that "it still decides" and "it is still
// offered" are numbers.
//
//   frozen_pairs make SEED COUNT FILE                      draws steps of all strategies over the zoo
//   frozen_pairs judge LIST --out RESULT [--jobs N] [--budget N] [--safety-budget N] [--every N] [--limit N]
//                [--seconds S] [--within S] [--todays-domains] [--mutants SEED] [--renew] [--not-proved FILE]
//   frozen_pairs offers LIST STATES FILE                   writes what strategies offer
//   frozen_pairs compare-offers FILE [--todays-domains] [--lost FILE]
//   frozen_pairs behaviour SEED COUNT FILE                 pairs for tools/compare_behaviour.py
//
// LIST is a .jsonl or .jsonl.zst file, or one of the words examples, derivations and corpus.
#include "testing/frozen_pairs.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

namespace steptp::testing {

namespace {

std::uint64_t number_of(const std::string& word) { return std::strtoull(word.c_str(), nullptr, 10); }

int usage() {
  std::cerr
      << "usage: frozen_pairs make SEED COUNT FILE | judge LIST --out RESULT [OPTIONS] | offers LIST STATES FILE | "
         "compare-offers FILE [OPTIONS] | behaviour SEED COUNT FILE\n";
  return 2;
}

/// Options with their values; nothing where a word is none.
std::optional<std::map<std::string, std::string>> read_options(const std::vector<std::string>& words) {
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) return std::nullopt;
    const bool is_flag = words[i] == "--todays-domains" || words[i] == "--renew";
    if (!is_flag && i + 1 == words.size()) return std::nullopt;
    out[words[i].substr(2)] = is_flag ? "1" : words[i + 1];
    i += is_flag ? 0 : 1;
  }
  return out;
}

int judge(const std::string& list, std::map<std::string, std::string> given) {
  if (!given.contains("out")) return usage();
  JudgeOptions options;
  options.list = list;
  options.out = given["out"];
  options.not_proved = given["not-proved"];
  options.todays_domains = given.contains("todays-domains");
  options.renew = given.contains("renew");
  if (given.contains("jobs")) options.jobs = number_of(given["jobs"]);
  if (given.contains("budget")) options.budget = number_of(given["budget"]);
  if (given.contains("safety-budget")) options.safety_budget = number_of(given["safety-budget"]);
  if (given.contains("every")) options.every = number_of(given["every"]);
  if (given.contains("mutants")) options.mutants = number_of(given["mutants"]);
  if (given.contains("limit")) options.limit = number_of(given["limit"]);
  if (given.contains("seconds")) options.seconds = std::strtod(given["seconds"].c_str(), nullptr);
  if (given.contains("within")) options.within = std::strtod(given["within"].c_str(), nullptr);
  return judge_frozen(options);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "make") return make_frozen(number_of(words[1]), number_of(words[2]), words[3]);
  if (words.size() == 4 && words[0] == "offers") return freeze_offers(words[1], number_of(words[2]), words[3]);
  if (words.size() == 4 && words[0] == "behaviour") {
    return write_behaviour_pairs(number_of(words[1]), number_of(words[2]), words[3]);
  }
  if (words.size() < 2) return usage();
  auto given = read_options({words.begin() + 2, words.end()});
  if (!given) return usage();
  if (words[0] == "judge") return judge(words[1], *std::move(given));
  if (words[0] == "compare-offers") {
    return compare_offers(words[1], given->contains("todays-domains"), (*given)["lost"]);
  }
  return usage();
}

}  // namespace

}  // namespace steptp::testing

int main(int count, char** words) { return steptp::testing::run({words + 1, words + count}); }
