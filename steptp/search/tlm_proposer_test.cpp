// Sentences of a tiny model with drawn weights: what a trained one would be asked for, without its skill.
#include "steptp/search/tlm_proposer.h"

#include <gtest/gtest.h>

#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/base/random.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/search/session.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

using search::Journal;
using search::ProposerKind;

/// A file of weights for this program's vocabulary, its numbers drawn.
std::string drawn_weights(const std::string& vocabulary_sha256, std::size_t words) {
  const tlm::ModelShape shape{1, 32, 2, 512, words};
  Json header;
  header.set("layers", 1).set("width", 32).set("heads", 2).set("positions", 512);
  header.set("vocabulary", static_cast<std::int64_t>(words)).set("vocabulary_sha256", vocabulary_sha256);
  header.set("storage", "f32").set("card", Json(Json::Object{}));
  std::string out = concat("steptp-tlm-weights 1\n", header.dump(), "\n");
  Random random(7);
  for (std::size_t i = 0; i < shape.parameters(); ++i) {
    const float number = static_cast<float>(random.between(-1000, 1000)) * 3e-4F;
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return out + sha256_hex(out) + "\n";
}

Document chain() {
  const Program program = shorthand_program(R"(
@input A f32[64,256]
@output E f32[64,256]
B(tx,64)L(a,256)[D[tx,a]=exp(A[tx,a]);];B(tx,64)L(a,256)[E[tx,a]=D[tx,a]*2;];
)",
                                            {{"T", "f32"}});
  return read_document("program.leir", print_document(program, Profile::paper));
}

class TlmSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
    weights_ = folder_->file("tiny.weights");
    ASSERT_TRUE(write_file(weights_, drawn_weights(cursor::vocabulary_hash(), cursor::vocabulary().size())).ok());
  }

  [[nodiscard]] search::SearchSettings settings(const std::string& weights) const {
    search::SearchSettings out;
    EXPECT_TRUE(search::take_device("analytic:nvidia-h200", "", out).ok());
    out.proposer = ProposerKind::tlm;
    out.proposer_source = weights;
    out.algorithm = search::Algorithm::greedy;
    out.budget.samples = 8;
    return out;
  }

  std::optional<TemporaryFolder> folder_;
  std::string weights_;
};

TEST_F(TlmSearch, SentencesAreJudgedTimedAndMadeAgainFromTheJournal) {
  const Document root = chain();
  ASSERT_TRUE(root.ok);
  const std::string journal = folder_->file("journal.jsonl");
  search::SearchMachinery machinery;
  const auto found = search::search_program(root, settings(weights_), machinery, journal, Journal::Mode::write);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->samples, 8) << word_of(found->stop) << " " << found->stop_reason;
  EXPECT_TRUE(found->verdict == "proved" || found->verdict == "exact") << found->verdict;
  EXPECT_LT(found->best_seconds(), found->root_seconds());
  const search::Node& best = found->best();
  ASSERT_TRUE(best.candidate.plan.has_value());
  EXPECT_TRUE(best.candidate.edge.starts_with("the sentence group ")) << best.candidate.edge;
  EXPECT_FALSE(best.candidate.strategies.empty());
  const auto again = search::search_program(root, settings(weights_), machinery, journal, Journal::Mode::read);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->best().key, best.key);
  EXPECT_EQ(again->samples, found->samples);
}

TEST_F(TlmSearch, WeightsOfAnotherVocabularyAndNoWeightsAreRefused) {
  const std::string other = folder_->file("other.weights");
  ASSERT_TRUE(write_file(other, drawn_weights(std::string(64, 'a'), cursor::vocabulary().size())).ok());
  const auto found = search::search_program(chain(), settings(other), {}, "", Journal::Mode::write);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->stop, search::Stop::no_proposer);
  EXPECT_NE(found->stop_reason.find("trained with the vocabulary aaaaaaaaaaaa"), std::string::npos)
      << found->stop_reason;
  const auto missing = search::search_program(chain(), settings("nowhere.weights"), {}, "", Journal::Mode::write);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("nowhere.weights"), std::string::npos) << missing.error().message;
}

}  // namespace
}  // namespace steptp::testing
