// Properties of the reader and the printer, over generated programs, their mutants, and broken texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"
#include "testing/generator.h"
#include "testing/mutator.h"
#include "testing/soak.h"
#include "testing/tracer.h"

namespace steptp::testing {
namespace {

Program generated(std::uint64_t seed) {
  Random random(seed);
  const GeneratorOptions options{.affine_only = seed % 4 == 1, .published_only = seed % 4 == 2};
  return generate_program(random, options);
}

/// The tree that a text stands for; fails the test where it cannot be read.
Program read_back(const std::string& text, const Signature& signature) {
  const Document document = read_program_text("text", text, signature);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source) << text;
  return document.program;
}

void expect_round_trip(const Program& program, const std::string& about) {
  const std::string paper = print(program, Profile::paper);
  const std::string compact = print(program, Profile::compact);
  ASSERT_EQ(recognise_profile(paper), Profile::paper) << about << paper;
  ASSERT_EQ(recognise_profile(compact), Profile::compact) << about << compact;
  const Program from_paper = read_back(paper, program.signature);
  const Program from_compact = read_back(compact, program.signature);
  ASSERT_TRUE(equal(from_paper, program)) << about << paper << "\n" << print(from_paper);
  ASSERT_TRUE(equal(from_compact, program)) << about << paper << "\n" << compact;
  ASSERT_EQ(hash_of(from_paper), hash_of(program)) << about << paper;
  ASSERT_EQ(hash_of(from_compact), hash_of(program)) << about << compact;
  ASSERT_EQ(print(from_paper, Profile::paper), paper) << about;
  ASSERT_EQ(print(from_compact, Profile::compact), compact) << about;
  ASSERT_EQ(print(from_compact, Profile::paper), paper) << about;
}

TEST(TextProperty, GeneratedProgramsRoundTrip) {
  for (std::uint64_t seed = 0; seed < soaked(1500); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(generated(seed), "generated "));
  }
}

TEST(TextProperty, DocumentsRoundTrip) {
  for (std::uint64_t seed = 0; seed < soaked(500); ++seed) {
    Program program = generated(seed);
    program.name = "generated";
    const Document from_json = read_document("record", to_json(program, Profile::paper).dump());
    ASSERT_TRUE(from_json.ok) << render(from_json.diagnostics, *from_json.source);
    ASSERT_TRUE(equal(from_json.program, program)) << to_json(program, Profile::paper).dump();
    ASSERT_EQ(to_json(from_json.program, Profile::paper).dump(), to_json(program, Profile::paper).dump());
    for (Variable& variable : program.signature.variables) variable.values.clear();  // header lines have none
    const Document from_text = read_document("file.leir", print_document(program, Profile::compact));
    ASSERT_TRUE(from_text.ok) << render(from_text.diagnostics, *from_text.source);
    ASSERT_TRUE(equal(from_text.program, program)) << print_document(program, Profile::compact);
  }
}

TEST(TextProperty, MutantsRoundTripAndHashApart) {
  std::map<std::string, std::size_t> labels;
  std::size_t ill_formed = 0;
  for (std::uint64_t seed = 0; seed < soaked(1500); ++seed) {
    const Program program = generated(seed);
    Random random = Random(seed).fork(1);
    const auto mutant = mutate(program, random);
    if (!mutant) continue;
    ++labels[mutant->label];
    ASSERT_FALSE(equal(mutant->program, program)) << mutant->label;
    ASSERT_NE(hash_of(mutant->program), hash_of(program)) << mutant->label << "\n" << print(program);
    ASSERT_NO_FATAL_FAILURE(expect_round_trip(mutant->program, mutant->label + ": "));
    if (seed % 10 == 0) ill_formed += trace(mutant->program, seed).empty() ? 0 : 1;
  }
  EXPECT_GE(labels.size(), 31u);
  // The tracer is there to notice such changes: a good part of them has to show.
  EXPECT_GE(ill_formed, soaked(1500) / 10 / 5);
}

/// Repeated pieces are read only once unless the places of all parts are wanted: the answer must not depend on it.
void expect_same_with_places(const std::string& text) {
  SourceMap map;
  const ReadText plain = read_text(text);
  const ReadText placed = read_text(text, &map);
  ASSERT_TRUE(equal_nests(Program{"", {}, plain.nests}, Program{"", {}, placed.nests})) << text;
  ASSERT_EQ(plain.findings.size(), placed.findings.size()) << text;
  for (std::size_t i = 0; i < plain.findings.size(); ++i) {
    ASSERT_EQ(plain.findings[i].diagnostic.message, placed.findings[i].diagnostic.message) << text;
    ASSERT_EQ(plain.findings[i].span.begin, placed.findings[i].span.begin) << text;
    ASSERT_EQ(plain.findings[i].span.length, placed.findings[i].span.length) << text;
  }
}

/// Whatever a text is: the reader ends, errors have a place in the text, and what reads prints and reads back equal.
void expect_sound_answer(const std::string& text) {
  const Document document = read_program_text("text", text, {});
  const Source& source = *document.source;
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
  for (const Diagnostic& diagnostic : document.diagnostics) {
    ASSERT_FALSE(diagnostic.id.empty());
    ASSERT_FALSE(diagnostic.message.empty());
    ASSERT_GE(diagnostic.line, 1u) << diagnostic.message << "\n" << text;
    ASSERT_LE(diagnostic.line, lines) << diagnostic.message << "\n" << text;
    ASSERT_GE(diagnostic.column, 1u) << diagnostic.message << "\n" << text;
    // Behind the last character is where a missing one is reported.
    ASSERT_LE(diagnostic.column, source.line(diagnostic.line).size() + 1) << diagnostic.message << "\n" << text;
  }
  ASSERT_FALSE(render(document.diagnostics, source).empty() && !document.ok);
  ASSERT_EQ(document.ok, !has_errors(document.diagnostics));
  ASSERT_NO_FATAL_FAILURE(expect_same_with_places(text));
  if (!document.ok) return;
  ASSERT_FALSE(document.program.nests.empty()) << text;
  ASSERT_NO_FATAL_FAILURE(expect_round_trip(document.program, "from " + text + "\n"));
}

TEST(TextProperty, BrokenTextsAreAnswered) {
  std::size_t readable = 0;
  const std::uint64_t seeds = soaked(800);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Program program = generated(seed);
    Random random = Random(seed).fork(2);
    for (const Profile profile : {Profile::paper, Profile::compact}) {
      std::string text = print(program, profile);
      for (int changes = 0; changes < 3; ++changes) {
        text = mutate_text(text, random);
        ASSERT_NO_FATAL_FAILURE(expect_sound_answer(text)) << "seed " << seed;
        readable += read_text(text).ok ? 1 : 0;
      }
    }
  }
  EXPECT_GT(readable, seeds / 10);  // else the changes are too wild to show anything about accepted texts
}

std::string repeated(const std::string& piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(TextProperty, DeepAndLongTextsAreAnswered) {
  const auto subscripted = [](const std::string& index) { return "B^{4}_{tx=0}[A^{f32,g}_{" + index + "}=1;];"; };
  const auto assigned = [](const std::string& value) { return "B^{4}_{tx=0}[A^{f32,g}_{tx}=" + value + ";];"; };
  for (const int times :
       {1, 10, 31, 32, 33, 62, 63, 64, 65, 120, 124, 125, 126, 240, 245, 246, 247, 248, 249, 250, 251, 3000, 100000}) {
    for (const std::string& text :
         {subscripted("tx" + repeated("//2", times)), subscripted("tx" + repeated("//2*2", times)),
          subscripted("tx" + repeated("*2%3", times)), subscripted("tx" + repeated("+tx", times)),
          subscripted(repeated("(", times) + "tx" + repeated("+1)//2*2", times)),
          subscripted(repeated("D^{i32,g}_{", times) + "tx" + repeated("}//2*2", times)),
          subscripted(repeated("16//(", times) + "tx" + repeated("+1)", times)),
          "tx4 A(tx) max=" + repeated("-", times) + "1;",
          "tx4 A(tx)+=" + repeated("exp(", times) + "1" + repeated(")", times) + ";",
          assigned(repeated("-", times) + "1"), assigned(repeated("2**", times) + "1"),
          assigned(repeated("max(1,", times) + "1" + repeated(")", times)), assigned(repeated("1+", times) + "1"),
          assigned(repeated("(", times) + "1" + repeated("+1)*2", times)),
          repeated("L^{1}_{a=0}[", times) + "A^{f32,g}=1;" + repeated("];", times),
          repeated("L^{1}_{a=0}[A^{f32,g}=1;]", times) + ";", repeated("]", times), repeated("[", times)}) {
      ASSERT_NO_FATAL_FAILURE(expect_sound_answer(text)) << times << " times: " << text.substr(0, 80);
    }
  }
}

TEST(TextProperty, BrokenDocumentsAreAnswered) {
  for (std::uint64_t seed = 0; seed < soaked(500); ++seed) {
    const Program program = generated(seed);
    Random random = Random(seed).fork(3);
    for (std::string text : {print_document(program, Profile::paper), to_json(program, Profile::compact).dump()}) {
      text = mutate_text(text, random);
      const Document document = read_document("text", text);
      ASSERT_EQ(document.ok, !has_errors(document.diagnostics)) << text;
      ASSERT_NE(document.source, nullptr);
      (void)render(document.diagnostics, *document.source);
    }
  }
}

}  // namespace
}  // namespace steptp::testing
