#include "steptp/cursor/sentence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cursor/numbers.h"
#include "steptp/cursor/space.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/ir/canonical.h"
#include "steptp/text/document.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::cursor {
namespace {

using testing::soak_seed;
using testing::soaked;

Program program_of(std::string_view text) { return testing::shorthand_program(text, {{"T", "f32"}}); }

SpacePtr space_of(const Program& program) {
  auto space = open_space(program, *find_target("nvidia-h200"));
  EXPECT_TRUE(space.ok()) << (space ? "" : space.error());
  return *space;
}

constexpr std::string_view kExp =
    "@input A f32[100,6]\n@output C f32[100,6]\nB(tx,100)L(a,6)[C[tx,a]=exp(A[tx,a]);];\n";

TEST(Numbers, AreWrittenInOneWay) {
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-6}, std::int64_t{1000},
                                    std::int64_t{INT64_MAX}, std::int64_t{INT64_MIN}, std::int64_t{17889}}) {
    std::vector<Token> tokens;
    write_integer(number, tokens);
    std::size_t place = 0;
    EXPECT_EQ(read_integer(tokens, place), number);
    EXPECT_EQ(place, tokens.size());
  }
  for (const double number : {0.0, -0.0, 0.5, -1e-300, 5e-324, 1.7976931348623157e308, 0.1, 3.0}) {
    std::vector<Token> tokens;
    write_real(number, tokens);
    std::size_t place = 0;
    const auto read = read_real(tokens, place);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, number);
    EXPECT_EQ(std::signbit(*read), std::signbit(number));
    EXPECT_EQ(place, tokens.size());
  }
  // An even mantissa, a leading zero, a negative zero, too many digits, no power, a real beyond all.
  for (const char* text : {"d2 x0", "d0 d1 x0", "NEG d0 x0", "d1 x63",
                           "d31 d31 d31 d31 d31 d31 d31 d31 d31 d31 d31 d31 "
                           "d31 d31 x0",
                           "d1", "x3", ""}) {
    std::size_t place = 0;
    EXPECT_FALSE(read_integer(*tokens_of_text(text), place)) << text;
  }
  for (const char* text : {"REAL d1 x0 d1 x11", "REAL d1 x1 d0 x0", "REAL d1 x0", "d1 x0"}) {
    std::size_t place = 0;
    EXPECT_FALSE(read_real(*tokens_of_text(text), place)) << text;
  }
}

TEST(Sentence, IsWhatThePageShows) {
  const auto words = encode_program(program_of(kExp));
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(sentence_text(*words),
            "role:input f32 d25 x2 d3 x1 role:output f32 d25 x2 d3 x1 OPEN tx d25 x2 L d3 x1 EQUATION T1 j0 j1 fn:exp "
            "T0 j0 j1 CLOSE");
}

/// Everything that a program can have: encoded, decoded, encoded again.
TEST(Sentence, SaysWholePrograms) {
  for (const char* text : {
           kExp.data(),
           "@input A f16[4,8] positive\n@input C i64[4] [0,8)\n@const D f32[]\n@output E bf16[4]\n"
           "B(tx,4)[E:bf16[tx]=if_then_else(A:f16[tx,C:i64[tx]]<=D[],A:f16[tx,C:i64[tx]]*2.5,-D[]);];\n",
           "@input A f32[64] masked\n@output C f32[64]\nB(bx,2)B(tx,8)V(a,4)?{bx*32+tx*4+a<64}[C[bx*32+tx*4+a]="
           "max(A[bx*32+tx*4+a],0)**2-A[(tx*4+a)%32+bx//2];];\n",
       }) {
    const Program program = program_of(text);
    const auto words = encode_program(program);
    ASSERT_TRUE(words.ok()) << words.error();
    const auto decoded = decode_program(*words);
    ASSERT_TRUE(decoded.ok()) << decoded.error() << "\n" << sentence_text(*words);
    EXPECT_EQ(*encode_program(*decoded), *words);
    ASSERT_EQ(decoded->signature.variables.size(), program.signature.variables.size());
    // The same up to names: with the same names for what is known it is the same program.
    Program named = canonical(*decoded);
    EXPECT_EQ(named.nests.size(), program.nests.size());
    for (std::size_t i = 0; i < program.signature.variables.size(); ++i) {
      Variable variable = decoded->signature.variables[i];
      variable.name = program.signature.variables[i].name;
      EXPECT_TRUE(variable == program.signature.variables[i]);
    }
  }
}

TEST(Sentence, DoesNotDependOnNames) {
  const auto first = encode_program(program_of(kExp));
  const auto second = encode_program(
      program_of("@input X f32[100,6]\n@output Y f32[100,6]\nB(txq,100)L(k,6)[Y[txq,k]=exp(X[txq,k]);];\n"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(Sentence, HasNoWordsForSomePrograms) {
  std::string sum = "A[tx]";
  for (int i = 0; i < 400; ++i) sum += "+A[tx]";
  const auto is_long =
      encode_program(program_of(concat("@input A f32[8]\n@output C f32[8]\nB(tx,8)[C[tx]=", sum, ";];\n")));
  ASSERT_FALSE(is_long.ok());
  EXPECT_NE(is_long.error().find("at most 512 words"), std::string::npos) << is_long.error();
  Program with_data = program_of(kExp);
  with_data.signature.variables[0].values = {1};
  EXPECT_FALSE(encode_program(with_data).ok());
  Program unbound = program_of("@input A f32[8]\n@output C f32[8]\nB(tx,8)[C[tx]=A[q];];\n");
  EXPECT_FALSE(encode_program(unbound).ok());
}

TEST(Sentence, FindsTheTargetByItsFigures) {
  for (const char* name : {"nvidia-h200", "plain-cpu"}) {
    const auto target = find_target(name);
    ASSERT_TRUE(target.ok());
    const auto found = decode_target(encode_target(*target));
    ASSERT_TRUE(found.ok()) << found.error();
    EXPECT_EQ(found->rates.name, name);
  }
  EXPECT_FALSE(decode_target(*tokens_of_text("target:cuda d1 x0")).ok());
}

/// A drawn sentence replays to the same decisions, and to the same program up to names; both from the words alone.
void expect_bijection(const SpacePtr& space, std::uint64_t number) {
  const Cursor cursor = drawn_cursor(space, soak_seed(5), number);
  const Quality quality = number % 3 == 0 ? Quality() : Quality(static_cast<int>(number % 11) - 1);
  const auto words = sentence_of(cursor, quality);
  ASSERT_TRUE(words.ok()) << words.error();
  const auto parts = split_sentence(*words);
  ASSERT_TRUE(parts.ok()) << parts.error();
  EXPECT_EQ(parts->quality, quality);
  EXPECT_EQ(parts->decisions, cursor.decisions());
  EXPECT_EQ(*tokens_of_text(sentence_text(*words)), *words);
  const auto again = replay_sentence(space, *words);
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_EQ(again->decisions(), cursor.decisions());
  if (number % 4 != 0) return;
  const auto alone = replay_sentence(*words);
  ASSERT_TRUE(alone.ok()) << alone.error() << "\n" << sentence_text(*words);
  EXPECT_EQ(*sentence_of(*alone, quality), *words);
  const auto finished = cursor.finish();
  const auto other = alone->finish();
  ASSERT_TRUE(finished.ok() && other.ok());
  const auto one = encode_program(finished->moved.program);
  const auto two = encode_program(other->moved.program);
  EXPECT_EQ(one.ok(), two.ok());
  if (!one || !two) return;
  EXPECT_EQ(*one, *two);
}

TEST(Sentence, IsABijectionOnTheZoo) {
  const std::size_t step = soaked(1) > 1 ? 1 : 24;
  std::size_t number = 0;
  std::size_t said = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (++number % step != 0) continue;
    const DType dtype = number % 2 == 0 ? DType::f32 : DType::f16;
    for (std::uint64_t draw = 0; draw < soaked(2); ++draw) {
      const auto program =
          draw == 0 ? zoo_program(type.name, {}, dtype) : zoo_program_drawn(type.name, {}, dtype, soak_seed(draw));
      if (!program) continue;
      const auto words = encode_program(program->program);
      if (!words) continue;  // too long
      const auto decoded = decode_program(*words);
      ASSERT_TRUE(decoded.ok()) << type.name << ": " << decoded.error();
      EXPECT_EQ(*encode_program(*decoded), *words) << type.name;
      ++said;
      const auto space = open_space(program->program, *find_target("nvidia-h200"));
      if (!space || words->size() > 350) continue;
      for (std::uint64_t i = 0; i < 3; ++i) expect_bijection(*space, i);
    }
  }
  EXPECT_GT(said, 5U);
}

TEST(Sentence, RefusesWhatIsNoneByItsPlace) {
  const SpacePtr space = space_of(program_of(kExp));
  const auto words = sentence_of(drawn_cursor(space, 1, 0));
  ASSERT_TRUE(words.ok());
  const auto why = [&](const std::vector<Token>& tokens) {
    const auto found = replay_sentence(tokens);
    EXPECT_FALSE(found.ok());
    return found ? std::string() : found.error();
  };
  EXPECT_EQ(why({}), "word 0, the end: BOS is expected");
  std::vector<Token> cut(words->begin(), words->end() - 1);
  EXPECT_NE(why(cut).find("EOS is expected"), std::string::npos) << why(cut);
  std::vector<Token> twice = *words;
  twice.push_back(twice.back());
  EXPECT_NE(why(twice).find("nothing behind EOS is expected"), std::string::npos) << why(twice);
  std::vector<Token> other = *words;
  other[words->size() - 3] = token_of("e7");
  EXPECT_NE(why(other).find("is about"), std::string::npos) << why(other);
  std::vector<Token> illegal = *words;
  illegal[words->size() - 2] = token_of("flash");
  EXPECT_NE(why(illegal).find("flash is no legal value of"), std::string::npos) << why(illegal);
  std::vector<Token> slot = *words;
  *std::find(slot.begin(), slot.end(), token_of("j1")) = token_of("j9");
  EXPECT_NE(why(slot).find("j9: a loop around it is expected"), std::string::npos) << why(slot);
  const SpacePtr another = space_of(program_of("@input A f32[9]\n@output C f32[9]\nB(tx,9)[C[tx]=A[tx];];\n"));
  EXPECT_FALSE(replay_sentence(another, *words).ok());
  EXPECT_FALSE(replay_sentence(std::vector<Token>(600, token_of("BOS"))).ok());
  EXPECT_FALSE(tokens_of_text("BOS nothing").ok());
  EXPECT_FALSE(prompt_of(*space, 10).ok());
}

/// Any words at all: a clear refusal, or a program that is written in just these words.
TEST(Sentence, SurvivesAnything) {
  const auto words = encode_program(
      program_of("@input A f32[64]\n@input C i64[64] [0,8)\n@output D f32[64]\nB(bx,2)B(tx,8)L(a,4)?{bx*32+tx*4+a<64}"
                 "[D[bx*32+tx*4+a]=max(A[C:i64[bx*32+tx*4+a]],0)**2-A[(tx*4+a)%32+bx//2];];\n"));
  ASSERT_TRUE(words.ok()) << words.error();
  const auto count = static_cast<std::uint64_t>(vocabulary().size());
  std::size_t accepted = 0;
  for (std::uint64_t i = 0; i < soaked(5000); ++i) {
    Random random(random_at(soak_seed(9), i));
    std::vector<Token> mutant = *words;
    for (std::uint64_t k = 0; k <= random.below(3); ++k) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(mutant.size()));
      switch (random.below(4)) {
        case 0: mutant[static_cast<std::size_t>(at)] = static_cast<Token>(random.below(count)); break;
        case 1: mutant.insert(mutant.begin() + at, static_cast<Token>(random.below(count))); break;
        case 2: mutant.erase(mutant.begin() + at); break;
        default: std::swap(mutant[static_cast<std::size_t>(at)], mutant[random.below(mutant.size())]); break;
      }
      if (mutant.empty()) mutant.push_back(0);
    }
    const auto decoded = decode_program(mutant);
    if (!decoded) {
      EXPECT_FALSE(decoded.error().empty());
      continue;
    }
    ++accepted;
    EXPECT_EQ(*encode_program(*decoded), mutant);
    std::vector<Token> sentence = {token_of("BOS")};
    sentence.insert(sentence.end(), mutant.begin(), mutant.end());
    EXPECT_FALSE(replay_sentence(sentence).ok());
  }
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace steptp::cursor
