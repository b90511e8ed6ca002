#include "steptp/optimize/changed_section.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/optimize/numbers_only.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/judge_worker.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

constexpr std::string_view kHead = "@input A f32[8,6]\n@input F f32[6]\n@output E f32[8]\n";
constexpr std::string_view kFirst = "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];";
constexpr std::string_view kMiddle = "B(tx,8)[C[tx]=D[tx,0]+D[tx,1];];";
constexpr std::string_view kLast = "B(tx,8)[E[tx]=C[tx]*C[tx];];";

Program whole(std::string_view first, std::string_view middle, std::string_view last) {
  return program_of(concat(kHead, first, middle, last));
}

TEST(ChangedSections, AreWhatDiffersWithWhatGoesInAndOut) {
  const auto made =
      changed_sections(whole(kFirst, kMiddle, kLast), whole(kFirst, "B(tx,8)[C[tx]=D[tx,1]+D[tx,0];];", kLast));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->first.nests.size(), 1U);
  EXPECT_EQ(made->second.nests.size(), 1U);
  EXPECT_EQ(made->first.signature, made->second.signature);
  ASSERT_EQ(made->first.signature.variables.size(), 2U);
  EXPECT_EQ(made->first.signature.find("C")->role, Role::output);
  EXPECT_EQ(made->first.signature.find("D")->role, Role::input);
  EXPECT_EQ(made->first.signature.find("D")->shape, (std::vector<std::int64_t>{8, 6}));
}

/// Each of these would make the whole programs differ although some cut of them is equal, or says nothing by itself.
TEST(ChangedSections, AreNoneWhereTheyWouldSayNothingOfTheWhole) {
  const Program before = whole(kFirst, kMiddle, kLast);
  // Another tensor is written that is used outside: D, too late to be the one that C was made of.
  EXPECT_FALSE(
      changed_sections(before, whole(kFirst, "B(tx,8)[C[tx]=D[tx,0]+D[tx,1];];B(tx,8)[D[tx,0]=C[tx];];", kLast)));
  // What goes out of one does not go out of the other.
  const Program twice = program_of(concat(kHead, kFirst, "B(tx,8)[G[tx]=D[tx,0];];B(tx,8)[E[tx]=D[tx,2];];"));
  const Program other = program_of(concat(kHead, kFirst, "B(tx,8)[H[tx]=D[tx,0];];B(tx,8)[E[tx]=D[tx,2];];"));
  EXPECT_TRUE(changed_sections(twice, other));  // nobody reads G or H
  // A tensor that is changed in place.
  const std::string_view in_place = "B(tx,8)[C[tx]=C[tx]+F[0];];";
  EXPECT_FALSE(changed_sections(whole(concat(kFirst, kMiddle), in_place, kLast),
                                whole(concat(kFirst, kMiddle), "B(tx,8)[C[tx]=F[0]+C[tx];];", kLast)));
  // Nothing differs.
  EXPECT_FALSE(changed_sections(before, before));
}

TEST(ChangedSections, AreNoneWhereInfinityMayComeIn) {
  const auto with = [](std::string_view value) {
    const std::string first = concat("B(tx,8)L(a,6)[D[tx,a]=", value, ";];");
    return changed_sections(whole(first, kMiddle, kLast), whole(first, "B(tx,8)[C[tx]=D[tx,1]+D[tx,0];];", kLast));
  };
  EXPECT_TRUE(with("A[tx,a]+1"));
  EXPECT_TRUE(with("A[tx,a]/F[a]"));  // zero almost nowhere
  EXPECT_TRUE(with("A[tx,a]/sqrt(A[tx,a]**2+0.1)"));
  EXPECT_TRUE(with("A[tx,a]/(exp(A[tx,a])+max(A[tx,a],0))"));  // above zero
  EXPECT_TRUE(with("log(1+exp(A[tx,a]))"));
  EXPECT_FALSE(with("if_then_else(A[tx,a]<F[a],A[tx,a],-inf)"));
  EXPECT_FALSE(with("A[tx,a]/max(A[tx,a],0)"));  // zero for half of all inputs
  EXPECT_FALSE(with("log(A[tx,a])"));
  EXPECT_FALSE(with("log(max(A[tx,a],0))"));
  EXPECT_FALSE(with("sqrt(A[tx,a])"));
  EXPECT_FALSE(with("max(A[tx,a],0)**-1"));
}

/// The judge sees in the sections what it would see in the whole.
TEST(ChangedSections, AreJudgedAsTheWholeIs) {
  const auto verdict = [](std::string_view changed) {
    const auto made = changed_sections(whole(kFirst, kMiddle, kLast), whole(kFirst, changed, kLast));
    const auto document = [](const Program& program) {
      return read_document("section", print_document(program, Profile::paper));
    };
    return verify_apart(make_pair(document(made->first), document(made->second)), {}).verdict;
  };
  EXPECT_EQ(verdict("B(tx,8)[C[tx]=D[tx,1]+D[tx,0];];"), Grade::proved);
  EXPECT_EQ(verdict("B(tx,8)[C[tx]=D[tx,1]-D[tx,0];];"), Grade::differs);
  EXPECT_EQ(verdict("B(tx,8)[C[tx]=D[tx,0]+D[tx,2];];"), Grade::differs);
  // The last one is missing.
  EXPECT_EQ(verdict("B(tx,7)[C[tx]=D[tx,0]+D[tx,1];];"), Grade::invalid);
}

/// What an accumulation begins with counts too.
TEST(Numbers, SeeWhatIsFoldedAndWhatItBeginsWith) {
  const auto of = [](std::string_view fold, std::string_view divisor) {
    const Program program =
        program_of(concat("@input A f32[8,6]\n@output E f32[8]\n", fold, "B(tx,8)[E[tx]=A[tx,0]/", divisor, ";];"));
    const AccessTable table = collect_accesses(program);
    return Numbers(table).are_in("E");
  };
  EXPECT_TRUE(of("B(tx,8)L(a,6)[D[tx]=D[tx]+exp(A[tx,a]);];", "D[tx]"));
  // A sum of what is not negative may be zero.
  EXPECT_FALSE(of("B(tx,8)L(a,6)[D[tx]=D[tx]+max(A[tx,a],0);];", "D[tx]"));
  EXPECT_FALSE(of("B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];", "D[tx]"));
  // Nothing may be let through.
  EXPECT_FALSE(of("B(tx,8)L(a,6)?{tx*6+a<20}[D[tx]=D[tx]+exp(A[tx,a]);];", "D[tx]"));
  EXPECT_FALSE(of("B(tx,8)L(a,6)?{tx*6+a<20}[D[tx]=max(D[tx],A[tx,a]);];", "2+0*D[tx]"));
}

}  // namespace
}  // namespace steptp::testing
