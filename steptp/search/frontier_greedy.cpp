// Greedy: two candidates of the current node, and on to the better one. As published it goes to the best success even
// where that is slower; otherwise only to one that is faster by more than chance, and after three asks that brought
// none it goes on from the best node that was asked about least.
#include "steptp/search/frontier.h"

namespace steptp::search {

namespace {

constexpr std::size_t kCandidates = 2;
constexpr std::size_t kIterations = 20;
constexpr std::size_t kMostEmpty = 3;

class Greedy : public Frontier {
 public:
  explicit Greedy(bool published) : published_(published) {}

  std::optional<Ask> next(const Tree& tree) override {
    if (is_finished()) return std::nullopt;
    if (!published_ && empty_ >= kMostEmpty) {
      empty_ = 0;
      current_ = least_asked(tree);
    }
    return Ask{current_, kCandidates};
  }

  void learn(const Tree& tree, const Ask&, const std::vector<std::size_t>& nodes) override {
    ++iterations_;
    std::optional<std::size_t> best;
    for (const std::size_t node : nodes) {
      if (tree.at(node).is_fresh() && (!best || tree.at(node).seconds < tree.at(*best).seconds)) best = node;
    }
    const bool goes = best && (published_ || is_better(tree.at(*best), tree.at(current_)));
    empty_ = goes ? 0 : empty_ + 1;
    if (goes) current_ = *best;
  }

  [[nodiscard]] bool is_finished() const override { return published_ && iterations_ >= kIterations; }

 private:
  static std::size_t least_asked(const Tree& tree) {
    std::size_t out = 0;
    for (const Node& node : tree.nodes()) {
      const Node& best = tree.at(out);
      if (!node.is_fresh() || node.asks > best.asks) continue;
      if (node.asks < best.asks || node.seconds < best.seconds) out = node.number;
    }
    return out;
  }

  bool published_;
  std::size_t current_ = 0;
  std::size_t iterations_ = 0;
  std::size_t empty_ = 0;
};

}  // namespace

std::unique_ptr<Frontier> make_greedy(bool published) { return std::make_unique<Greedy>(published); }

}  // namespace steptp::search
