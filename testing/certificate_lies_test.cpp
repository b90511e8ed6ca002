// Certificates of proved pairs with another program in place of the one that was judged: none may be confirmed.

#include <gtest/gtest.h>

#include "replay/replay.h"
#include "source_dir.h"
#include "steptp/base/json.h"
#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/verify/verify_pair.h"
#include "testing/certificate_lies.h"
#include "testing/soak.h"

namespace steptp::testing {

namespace {

using Outcome = replayer::Report::Outcome;

// Made by hand: one index of a billion, ties of data at decimals, thresholds above a million, integers, poles, what is
// below the precision of long doubles, losses of precision, branches behind branches; squares, conjunctions of signs,
// steps, peaks, magnitudes, one index that a hash picks; divisors, poles, powers of zero, factors of infinities,
// conversions and roundings at roots that nothing leads to.
TEST(CertificateLies, MadeByHand) {
  auto reader = LineReader::open(STEPTP_SOURCE_DIR "/testing/data/certificate_lies.jsonl");
  ASSERT_TRUE(reader);
  int count = 0;
  while (auto line = reader->next()) {
    if (!line->has_value()) break;
    const auto record = parse_json(**line);
    ASSERT_TRUE(record) << **line;
    const auto program = [&](const char* key) {
      return read_document(key, concat(*record->find("header")->as_string(), *record->find(key)->as_string(), "\n"));
    };
    SCOPED_TRACE(*record->find("id")->as_string());
    const Document instead = program("lie");
    ASSERT_TRUE(instead.ok);
    const auto text = lying_certificate(make_pair(program("before"), program("after")), instead.program);
    ASSERT_TRUE(text) << "the honest pair is not shown to be equal";
    for (const std::uint64_t seed : {1, 2}) {
      const replayer::Report report = replayer::replay_certificate(*text, {.seed = seed});
      // Where no input was found, that is said; a certificate is not confirmed on what was never looked at.
      const bool may_be_open = record->find("may_be_open") != nullptr;
      const bool is_right = report.outcome == Outcome::refused || (may_be_open && report.outcome == Outcome::undecided);
      EXPECT_TRUE(is_right) << name_of(report.outcome) << ": " << report.reason;
    }
    ++count;
  }
  EXPECT_GE(count, 195);
}

// What the attacker makes is behind fronts, branches and sums: a few are believed, such as two equations that must hold
// at once for a branch to be taken, and those whose elements cost too much to be looked at often.
TEST(CertificateLies, MadeByTheAttacker) {
  constexpr std::uint64_t kOneIn = 50;
  std::uint64_t count = 0;
  std::uint64_t confirmed = 0;
  std::string believed;
  for_each_attack_lie(soak_seed(91), soaked(400), [&](const std::string& id, const std::string& text) {
    ++count;
    const replayer::Report report = replayer::replay_certificate(text, {.seed = 1});
    if (report.outcome != Outcome::confirmed) return;
    ++confirmed;
    append(believed, id, "\n");
  });
  EXPECT_GE(count, soaked(400) / 4);
  EXPECT_LE(confirmed * kOneIn, count) << believed;
}

}  // namespace

}  // namespace steptp::testing
