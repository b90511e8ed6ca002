#include "testing/certificate_sweep.h"

#include <utility>

#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/text/document.h"
#include "steptp/verify/certificate.h"
#include "testing/attacker.h"
#include "testing/equal_pairs.h"
#include "testing/mutator.h"

namespace steptp::testing {

namespace {

Pair pair_of(const std::string& id, const Program& before, const Program& after) {
  Pair pair = make_pair(read_document("before", print_document(before, Profile::paper)),
                        read_document("after", print_document(after, Profile::paper)));
  pair.id = id;
  return pair;
}

}  // namespace

bool ConfirmedPair::is_open() const { return verdict == "numeric" || verdict == "undecided" || verdict == "invalid"; }

ConfirmedPair judge_and_confirm(const Pair& pair, std::uint64_t seed) {
  VerifyOptions options;
  options.seed = seed;
  options.keep_record = true;
  options.budget = 20'000'000;
  options.safety_budget = 0;
  const Judgement judgement = verify_pair(pair, options);
  ConfirmedPair out;
  out.id = pair.id;
  out.verdict = name_of(judgement.verdict);
  out.reason = judgement.reason;
  if (out.is_open()) return out;
  out.certificate = certificate(pair, judgement).dump();
  out.report = replayer::replay_certificate(out.certificate, {.seed = seed});
  return out;
}

void for_each_pair_of_file(const std::string& file, std::uint64_t every, std::uint64_t start,
                           const PairVisitor& visit) {
  std::uint64_t number = 0;
  const auto take = [&](const std::string& line) {
    if (++number % every != start % every) return;
    const Pair pair = read_pair(concat(file.substr(file.rfind('/') + 1), ":", number), line);
    if (pair.problem.empty()) visit(pair);
  };
  const auto drain = [&](auto reader) {
    while (reader) {
      auto line = reader->next();
      if (!line || !line->has_value()) return;
      take(**line);
    }
  };
  if (file.ends_with(".zst")) {
    drain(JsonlReader::open(file));
  } else {
    drain(LineReader::open(file));
  }
}

void for_each_equal_pair(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit) {
  const Random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    Random draw = random.fork(i);
    const EqualPair pair = make_equal_pair(draw);
    visit(pair_of(concat("equal:", seed, ":", i), pair.before, pair.after));
  }
}

void for_each_mutant(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit) {
  const Random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    Random draw = random.fork(i);
    const Program before = written_program(draw);
    const auto mutant = mutate(before, draw);
    if (!mutant || !(mutant->program.signature == before.signature)) continue;
    visit(pair_of(concat("mutant:", seed, ":", i), before, mutant->program));
  }
}

void for_each_attack(std::uint64_t seed, std::uint64_t count, const PairVisitor& visit) {
  const Random random(seed);
  const std::vector<AttackClass>& classes = attack_classes();
  for (std::uint64_t i = 0; i < count; ++i) {
    Random draw = random.fork(i);
    const AttackClass& one = classes[static_cast<std::size_t>(draw.below(classes.size()))];
    auto attack = one.make(draw);
    if (!attack) continue;
    disguise(*attack, draw);
    visit(pair_of(concat("attack:", seed, ":", i, ":", attack->name), attack->before, attack->after));
  }
}

PairVisitor Sweep::visitor() {
  return [this](const Pair& pair) {
    ConfirmedPair one = judge_and_confirm(pair);
    if (one.is_open()) {
      counts["open"] += 1;
      return;
    }
    counts[concat(one.verdict, " ", name_of(one.report.outcome))] += 1;
    if (!one.is_confirmed()) not_confirmed.push_back(std::move(one));
  };
}

std::uint64_t Sweep::confirmed() const {
  std::uint64_t out = 0;
  for (const auto& [name, count] : counts) out += name.ends_with(" confirmed") ? count : 0;
  return out;
}

std::string Sweep::text() const {
  std::string out;
  for (const auto& [name, count] : counts) append(out, out.empty() ? "" : ", ", name, " ", count);
  for (const ConfirmedPair& one : not_confirmed) {
    append(out, "\n", one.id, " ", one.verdict, " ", name_of(one.report.outcome), ": ", one.report.reason, "  [",
           one.reason, "]");
  }
  return out;
}

}  // namespace steptp::testing
