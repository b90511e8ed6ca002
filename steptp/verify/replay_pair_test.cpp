#include "steptp/verify/replay_pair.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"

namespace steptp {

namespace {

struct Case {
  const char* draw;  ///< what the name of the draw begins with that tells the two apart
  const char* header;
  const char* before;
  const char* after;
};

constexpr const char* kThree = "@input A f32[4]\n@input C f32[4]\n@input D f32[4]\n@output E f32[4]\n";

constexpr Case kCases[] = {
    {"generic", kThree, "tx4 E(tx)=A(tx)*C(tx)+D(tx);", "tx4 E(tx)=A(tx)*D(tx)+C(tx);"},
    {"generic", kThree, "tx4 E(tx)=exp(A(tx))+C(tx)+D(tx);", "tx4 E(tx)=exp(A(tx))*1.0000001+C(tx)+D(tx);"},
    {"", kThree, "tx4 E(tx)=where(A(tx)<C(tx),A(tx),D(tx));", "tx4 E(tx)=where(A(tx)<=C(tx),A(tx),D(tx));"},
    {"", kThree, "tx4 E(tx)=where(A(tx)<1000,A(tx),C(tx)+D(tx));", "tx4 E(tx)=A(tx);"},
    {"line", kThree, "tx4 E(tx)=where(A(tx)*C(tx)+0.37<D(tx),A(tx),C(tx));",
     "tx4 E(tx)=where(A(tx)*C(tx)+0.37<1.000001*D(tx),A(tx),C(tx));"},
    {"", "@input A f32[9]\n@input C i64[4] [0,9)\n@output E f32[4]\n", "tx4 E(tx)=A(C^i64(tx));",
     "tx4 E(tx)=where(C^i64(tx)==8,0,A(C(tx)));"},
    {"", kThree, "tx4 E(tx)=A(tx);", "tx4 E(tx)=sqrt(A(tx))**2;"},
    // More elements than are written out; a row that is masked whole is NaN and spreads.
    {"pattern 1 ", "@input A f32[64,128]\n@input M bool[64,128]\n@output E f32[64]\n",
     "tx64a128 C(tx)+=where(M^bool(tx,a),0,1);tx64a128 D(tx)+=where(M(tx,a),0,A(tx,a));tx64 E(tx)=D(tx)/C(tx);",
     "tx64a128 C(tx)+=where(M^bool(tx,a),0,1);tx64a128 D(tx)+=where(M(tx,a),0,A(tx,a));"
     "tx64 E(tx)=D(tx)/C(tx)+(C(0)/C(0)-1);"},
};

Document read(const Case& item, const char* text) { return read_document("test", concat(item.header, text, "\n")); }

TEST(ReplayPair, EveryCounterexampleIsReproduced) {
  for (const Case& item : kCases) {
    SCOPED_TRACE(item.after);
    const Pair pair = make_pair(read(item, item.before), read(item, item.after));
    for (const std::uint64_t seed : {1, 2, 3}) {
      VerifyOptions options;
      options.seed = seed;
      const Judgement judgement = verify_pair(pair, options);
      ASSERT_EQ(judgement.verdict, Grade::differs) << judgement.reason;
      ASSERT_TRUE(judgement.counterexample.has_value());
      EXPECT_TRUE(judgement.counterexample->draw.starts_with(item.draw)) << judgement.counterexample->draw;
      EXPECT_FALSE(judgement.counterexample->before.empty() || judgement.counterexample->after.empty());
      const std::string record = replay_record(pair, *judgement.counterexample).dump();
      const ReplayAnswer answer = replay_pair(read_replay_record("test", record));
      EXPECT_TRUE(answer.reproduced) << judgement.counterexample->draw << ": " << answer.reason;
    }
  }
}

TEST(ReplayPair, ACertificateIsSentToTheProgramThatReadsIt) {
  const ReplayAnswer answer = replay_pair(read_replay_record("test", R"({"format":"steptp-certificate-2"})"));
  EXPECT_TRUE(answer.unusable);
  EXPECT_NE(answer.reason.find("steptp-replay"), std::string::npos) << answer.reason;
}

TEST(ReplayPair, WhatIsNotSoIsNotReproduced) {
  const Case& item = kCases[0];
  const Pair pair = make_pair(read(item, item.before), read(item, item.after));
  const auto found = *verify_pair(pair).counterexample;
  const auto replayed = [&](auto change, const Pair& programs) {
    certify::Counterexample example = found;
    change(example);
    return replay_pair(read_replay_record("test", replay_record(programs, example).dump()));
  };
  const auto nothing = [](certify::Counterexample&) {};
  EXPECT_TRUE(replayed(nothing, pair).reproduced);
  // The inputs are written out: they count, and the draw is only where they were found.
  ASSERT_TRUE(found.given.has_value() && found.is_representable);
  EXPECT_TRUE(replayed([](auto& example) { example.seed += 1; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.given->fill.begin()->second.real = {3, 1}; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.given.reset(); }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.index[0] += 4; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.before += "1"; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.index = {4}; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.index = {}; }, pair).reproduced);
  EXPECT_FALSE(replayed([](auto& example) { example.output = "A"; }, pair).reproduced);
  for (const char* draw : {"", "line", "line ", "line -1", "line 68719476737", "line 3x", "generic ", "pattern",
                           "pattern 0", "pattern x 0"}) {
    EXPECT_FALSE(replayed([&](auto& example) { example.draw = draw; }, pair).reproduced) << draw;
  }
  for (const char* draw : {"pattern 0 1", "pattern 9 0", "pattern 0 99"}) {
    const auto drawn = [&](auto& example) {
      example.draw = draw;
      example.given.reset();
    };
    EXPECT_FALSE(replayed(drawn, pair).reproduced) << draw;
  }
  // Programs that agree have no counterexample.
  EXPECT_FALSE(replayed(nothing, make_pair(pair.before, pair.before)).reproduced);
}

TEST(ReplayPair, ARecordThatCannotBeUsedSaysWhy) {
  for (const char* record : {"", "[]", "{}", R"({"signature":[],"before":"","after":""})"}) {
    const ReplayAnswer answer = replay_pair(read_replay_record("test", record));
    EXPECT_TRUE(answer.unusable && !answer.reproduced && !answer.reason.empty()) << record;
  }
}

}  // namespace

}  // namespace steptp
