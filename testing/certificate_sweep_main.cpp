// Judges pairs of files, or made ones, and replays their certificates: what is not confirmed is listed, with the
// certificate in a file of its own. Or makes lying certificates, and lists those that are confirmed.

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "steptp/base/text.h"
#include "testing/certificate_lies.h"
#include "testing/certificate_sweep.h"

namespace {

/// Writes lies into a folder, and lists those that are believed.
int tell_lies(std::uint64_t seed, std::uint64_t number, const std::string& folder) {
  using namespace steptp;
  std::uint64_t count = 0;
  std::uint64_t believed = 0;
  testing::for_each_attack_lie(seed, number, [&](const std::string& id, const std::string& text) {
    std::ofstream(concat(folder, "/lie-", count++, ".json")) << text << "\n";
    if (replayer::replay_certificate(text, {.seed = seed}).outcome != replayer::Report::Outcome::confirmed) return;
    ++believed;
    std::printf("%llu %s\n", static_cast<unsigned long long>(count - 1), id.c_str());
  });
  std::printf("%llu of %llu lies are confirmed\n", static_cast<unsigned long long>(believed),
              static_cast<unsigned long long>(count));
  return believed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  using namespace steptp;
  if (count < 5) {
    std::printf("usage: certificate_sweep FILE|equal|mutants|attacks|lies SEED COUNT|EVERY FOLDER\n");
    return 2;
  }
  const std::string source = words[1];
  const std::uint64_t seed = std::strtoull(words[2], nullptr, 10);
  const std::uint64_t number = std::strtoull(words[3], nullptr, 10);
  const std::string folder = words[4];
  if (source == "lies") return tell_lies(seed, number, folder);
  testing::Sweep sweep;
  const testing::PairVisitor visit = sweep.visitor();
  if (source == "equal") {
    testing::for_each_equal_pair(seed, number, visit);
  } else if (source == "mutants") {
    testing::for_each_mutant(seed, number, visit);
  } else if (source == "attacks") {
    testing::for_each_attack(seed, number, visit);
  } else {
    testing::for_each_pair_of_file(source, number, seed, visit);
  }
  std::printf("%s\n", sweep.text().c_str());
  for (std::size_t i = 0; i < sweep.not_confirmed.size(); ++i) {
    std::ofstream(concat(folder, "/", i, ".json")) << sweep.not_confirmed[i].certificate << "\n";
  }
  return sweep.not_confirmed.empty() ? 0 : 1;
}
