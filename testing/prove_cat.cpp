// What the prover makes of pairs, for whoever works on it: one line of JSON per pair and a line for each normal form
// that differs.
//
//   prove_cat PAIRS.jsonl [ID]
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>

#include "steptp/prove/prove.h"
#include "steptp/verify/verify_pair.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: prove_cat PAIRS.jsonl [ID]\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string wanted = argc > 2 ? argv[2] : "";
  std::size_t proved = 0;
  std::size_t all = 0;
  for (std::string line; std::getline(file, line);) {
    const steptp::Pair pair = steptp::read_pair(argv[1], line);
    if (!wanted.empty() && pair.id != wanted) continue;
    if (const std::string problem = steptp::problem_of(pair); !problem.empty()) {
      std::cout << pair.id << " " << problem << "\n";
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const steptp::Proof proof = steptp::prove(pair.before.program, pair.after.program, {.keep_forms = true});
    const auto spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start);
    ++all;
    proved += proof.proved || proof.shown ? 1 : 0;
    std::cout << pair.id << (proof.proved  ? " proved "
                            : proof.shown ? " shown "
                                          : " not proved ") << spent.count() << " ms, work " << proof.work
              << " " << proof.reason << "\n";
    if (wanted.empty() && (proof.proved || proof.shown)) continue;
    std::cout << "  before " << proof.before_form.substr(0, wanted.empty() ? 400 : 100'000) << "\n";
    std::cout << "  after  " << proof.after_form.substr(0, wanted.empty() ? 400 : 100'000) << "\n";
  }
  std::cout << proved << " of " << all << " proved\n";
  return 0;
}
