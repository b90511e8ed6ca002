// Pairs on which two judges are compared: whoever takes the judge apart without changing it asks both for all of these
// and compares the answers byte for byte (tools/compare_behaviour.py).
#include <fstream>
#include <iostream>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/equal_pairs.h"
#include "testing/frozen_pairs.h"
#include "testing/mutator.h"

namespace steptp::testing {

namespace {

FrozenPair frozen(std::string id, const Program& before, const Program& after) {
  FrozenPair out;
  out.id = std::move(id);
  out.signature = *to_json(before, Profile::paper).find("signature");
  out.before = print(before);
  out.after = print(after);
  return out;
}

/// A generated pair, and `before` with a program one small change away from `after`.
void write_generated(std::uint64_t seed, std::uint64_t number, std::ofstream& file) {
  Random random(combine(seed, number));
  const EqualPair made = make_equal_pair(random);
  file << frozen(concat("generated:", number), made.before, made.after).to_line() << "\n";
  constexpr int kTries = 8;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto mutant = mutate(made.after, random);
    if (!mutant) continue;
    file << frozen(concat("mutant:", number), made.before, mutant->program).to_line() << "\n";
    return;
  }
}

}  // namespace

int write_behaviour_pairs(std::uint64_t seed, std::uint64_t count, const std::string& path) {
  std::ofstream file(path);
  for (const char* list : {"corpus", "examples", "derivations"}) {
    const auto pairs = read_frozen(list);
    if (!pairs) {
      std::cerr << "behaviour: " << list << " is left out: " << pairs.error() << "\n";
      continue;
    }
    for (const FrozenPair& pair : *pairs) file << pair.to_line() << "\n";
  }
  for (std::uint64_t number = 0; number < count; ++number) write_generated(seed, number, file);
  file.flush();
  if (file) return 0;
  std::cerr << "behaviour: cannot write " << path << "\n";
  return 4;
}

}  // namespace steptp::testing
