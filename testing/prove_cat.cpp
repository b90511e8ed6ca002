// What the prover makes of pairs, for whoever works on it: one line per pair, and the forms that differ. With --judge
// the whole judge is asked, and its verdict and reason are printed.
//
//   prove_cat [--judge] PAIRS.jsonl [ID]
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "steptp/prove/prove.h"
#include "steptp/verify/verify_pair.h"

namespace {

/// Whether the pair was found equal.
bool report_judgement(const steptp::Pair& pair) {
  const auto start = std::chrono::steady_clock::now();
  const steptp::Judgement judgement = steptp::verify_pair(pair);
  const auto spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start);
  std::cout << pair.id << " " << steptp::to_json(pair.id, judgement).dump() << " " << spent.count() << " ms\n";
  return steptp::is_equal(judgement.verdict);
}

bool report_proof(const steptp::Pair& pair, std::size_t most_text) {
  const auto start = std::chrono::steady_clock::now();
  const steptp::Proof proof = steptp::prove(pair.before.program, pair.after.program, {.keep_forms = true});
  const auto spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start);
  const bool is_equal = proof.proved || proof.shown;
  std::cout << pair.id
            << (proof.proved  ? " proved "
                : proof.shown ? " shown "
                              : " not proved ")
            << spent.count() << " ms, work " << proof.work << " " << (is_equal ? "" : proof.reason) << "\n";
  if (!is_equal) {
    std::cout << "  before " << proof.before_form.substr(0, most_text) << "\n";
    std::cout << "  after  " << proof.after_form.substr(0, most_text) << "\n";
  }
  return is_equal;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool judges = !words.empty() && words[0] == "--judge";
  if (judges) words.erase(words.begin());
  if (words.empty()) {
    std::cerr << "usage: prove_cat [--judge] PAIRS.jsonl [ID]\n";
    return 2;
  }
  std::ifstream file(words[0]);
  const std::string wanted = words.size() > 1 ? words[1] : "";
  std::size_t equal = 0;
  std::size_t all = 0;
  for (std::string line; std::getline(file, line);) {
    const steptp::Pair pair = steptp::read_pair(words[0], line);
    if (!wanted.empty() && pair.id != wanted) continue;
    ++all;
    if (judges) {
      equal += report_judgement(pair) ? 1 : 0;
    } else if (const std::string problem = steptp::problem_of(pair); !problem.empty()) {
      std::cout << pair.id << " " << problem << "\n";
    } else {
      equal += report_proof(pair, wanted.empty() ? 400 : 100'000) ? 1 : 0;
    }
    std::cout << std::flush;
  }
  std::cout << equal << " of " << all << " equal\n";
  return 0;
}
