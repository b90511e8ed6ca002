// A chain: one candidate at a time, of the newest success. Six asks in a row that brought nothing but known programs
// end it as published; otherwise the chain goes on from the best node.
#include "steptp/search/frontier.h"

namespace steptp::search {

namespace {

constexpr std::size_t kIterations = 20;
constexpr std::size_t kMostRepeats = 6;

class Chain : public Frontier {
 public:
  Chain(bool shows_parent, bool published) : shows_parent_(shows_parent), published_(published) {}

  std::optional<Ask> next(const Tree& tree) override {
    if (is_finished()) return std::nullopt;
    if (repeats_ >= kMostRepeats) {
      repeats_ = 0;
      current_ = tree.best().value_or(0);
    }
    return Ask{current_, 1, shows_parent_};
  }

  void learn(const Tree& tree, const Ask&, const std::vector<std::size_t>& nodes) override {
    ++iterations_;
    bool repeats = nodes.empty();
    for (const std::size_t node : nodes) {
      const Outcome outcome = tree.at(node).outcome;
      if (outcome == Outcome::fresh) current_ = node;
      repeats = repeats || outcome == Outcome::known || outcome == Outcome::same;
    }
    repeats_ = repeats ? repeats_ + 1 : 0;
  }

  [[nodiscard]] bool is_finished() const override {
    return published_ && (iterations_ >= kIterations || repeats_ >= kMostRepeats);
  }

 private:
  bool shows_parent_;
  bool published_;
  std::size_t current_ = 0;
  std::size_t iterations_ = 0;
  std::size_t repeats_ = 0;
};

}  // namespace

std::unique_ptr<Frontier> make_chain(bool shows_parent, bool published) {
  return std::make_unique<Chain>(shows_parent, published);
}

}  // namespace steptp::search
