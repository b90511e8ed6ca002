// Prints, for each program of a file with one JSON record per line, how many of its sampled elements have a certified
// value, the narrowest of their bounds relative to the value, and why others have none. Nothing is run.
// Usage: expected_cat cpu|cuda FILE [OPERATIONS [SEED]]
// Exit status: 0 every program has some, 1 not every one, 2 a file that cannot be read.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "steptp/measure/expected.h"
#include "steptp/text/document.h"

int main(int argc, char** argv) {
  using namespace steptp;
  if (argc < 3) {
    std::fputs("usage: expected_cat cpu|cuda FILE [OPERATIONS [SEED]]\n", stderr);
    return 2;
  }
  std::ifstream file(argv[2]);
  if (!file) {
    std::fprintf(stderr, "expected_cat: %s cannot be read\n", argv[2]);
    return 2;
  }
  const std::uint64_t operations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 2'000'000'000;
  const std::uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  const RunOrder order = std::string_view(argv[1]) == "cpu" ? RunOrder::text : RunOrder::threads;
  constexpr std::uint32_t kWanted = 8;
  bool is_complete = true;
  int number = 0;
  for (std::string line; std::getline(file, line); ++number) {
    const Document document = read_document(argv[2], line);
    if (!document.ok) return 2;
    const Expectations expected =
        expected_elements(document.program, document.program, seed, kWanted, operations, order);
    double narrowest = HUGE_VAL;
    for (const ExpectedElement& element : expected.elements) {
      if (element.is_real && element.value != 0 && std::isfinite(element.value)) {
        narrowest = std::min(narrowest, element.allowed / std::fabs(element.value));
      }
    }
    is_complete = is_complete && !expected.elements.empty();
    std::printf("%3d %-60s %3zu certified, narrowest %.2g%s%s\n", number, document.program.name.c_str(),
                expected.elements.size(), narrowest, expected.problem.empty() ? "" : "; ", expected.problem.c_str());
    std::fflush(stdout);
  }
  return is_complete ? 0 : 1;
}
