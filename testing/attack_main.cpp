// The judge's enemy as a program: makes unequal pairs, confirms each with the reference evaluator, and asks the judge.
//
//   attack SEED COUNT --safe|--boxes [--out FILE]
//   attack SEED COUNT [--class NAME] [--out FILE] [--all FILE] [--unconfirmed FILE] [--budget N]
//
// Prints a table by class. --out writes the pairs that the judge accepted, one JSON object a line; --all writes all;
// --unconfirmed those whose witness showed nothing. With --safe the pairs are equal, and bad at many inputs: --out
// writes those that the judge calls safe. The exit status is 1 if a pair was accepted.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "testing/attacker.h"
#include "testing/safe_attacker.h"

using namespace steptp;
using namespace steptp::testing;

namespace {

int safe_main(SafeAttackMaker maker, const AttackOptions& options, const std::string& path) {
  std::ofstream file(path);
  const auto counts =
      attack_safe(maker, options.seed, options.count, [&](const SafeAttack& attack, const Json& answer) {
        const Json* safe = answer.find("safe");
        const bool called_safe = safe && safe->as_bool() && *safe->as_bool();
        if (called_safe && file.is_open()) file << to_json(attack, answer).dump() << std::endl;
      });
  std::cout << to_table(counts);
  return sum_of(counts).by_proof > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "attack SEED COUNT [--class NAME] [--out FILE] [--all FILE] [--unconfirmed FILE] [--budget N]\n";
    return 2;
  }
  AttackOptions options;
  options.seed = std::strtoull(argv[1], nullptr, 10);
  options.count = std::strtoull(argv[2], nullptr, 10);
  std::ofstream accepted;
  std::ofstream all;
  std::ofstream unconfirmed;
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--class") options.only = argv[i + 1];
    if (option == "--out") accepted.open(argv[i + 1]);
    if (option == "--all") all.open(argv[i + 1]);
    if (option == "--unconfirmed") unconfirmed.open(argv[i + 1]);
    if (option == "--budget") options.budget = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const std::string kind = argc > 3 ? argv[3] : "";
  if (kind == "--safe" || kind == "--boxes") {
    return safe_main(kind == "--safe" ? make_safe_attack : make_safe_box, options, argc > 5 ? argv[5] : "");
  }
  bool failed = false;
  options.seen = [&](const Attack& attack, const MeaningDifference& difference, const Judgement& judgement) {
    const bool equal = judgement.verdict == Grade::proved || judgement.verdict == Grade::exact;
    failed = failed || equal;
    if (equal && accepted.is_open()) accepted << to_json(attack, difference, &judgement).dump() << std::endl;
    if (all.is_open()) all << to_json(attack, difference, &judgement).dump() << std::endl;
  };
  options.unconfirmed = [&](const Attack& attack) {
    if (unconfirmed.is_open()) unconfirmed << to_json(attack, {}, nullptr).dump() << std::endl;
  };
  std::cout << to_table(testing::attack(options));
  return failed ? 1 : 0;
}
