// Beam search: every node of the beam is asked about, then the beam is chosen anew: as published from the children
// alone, otherwise from children and beam together, with at most two that share their first move.
#include <algorithm>
#include <map>

#include "steptp/search/frontier.h"

namespace steptp::search {

namespace {

constexpr std::size_t kIterations = 20;
constexpr std::size_t kMostOfOneMove = 2;

class Beam : public Frontier {
 public:
  explicit Beam(bool published) : published_(published) {}

  std::optional<Ask> next(const Tree& tree) override {
    if (place_ == beam_.size()) renew(tree);
    if (is_finished()) return std::nullopt;
    return Ask{beam_[place_], published_ ? std::size_t{3} : std::size_t{4}};
  }

  void learn(const Tree& tree, const Ask&, const std::vector<std::size_t>& nodes) override {
    ++place_;
    for (const std::size_t node : nodes) {
      if (tree.at(node).is_fresh()) children_.push_back(node);
    }
  }

  [[nodiscard]] bool is_finished() const override { return published_ && iterations_ >= kIterations; }

 private:
  void renew(const Tree& tree) {
    ++iterations_;
    place_ = 0;
    std::vector<std::size_t> all = std::move(children_);
    children_.clear();
    // Without any child the same nodes are asked once more.
    if (!published_ || all.empty()) all.insert(all.end(), beam_.begin(), beam_.end());
    std::stable_sort(all.begin(), all.end(),
                     [&](std::size_t a, std::size_t b) { return tree.at(a).seconds < tree.at(b).seconds; });
    const std::size_t width = published_ ? 2 : 4;
    std::map<std::size_t, std::size_t> of_move;
    beam_.clear();
    for (const std::size_t node : all) {
      if (beam_.size() == width) break;
      if (!published_ && ++of_move[tree.first_move(node)] > kMostOfOneMove) continue;
      beam_.push_back(node);
    }
  }

  bool published_;
  std::vector<std::size_t> beam_ = {0};
  std::vector<std::size_t> children_;
  std::size_t place_ = 0;
  std::size_t iterations_ = 0;
};

}  // namespace

std::unique_ptr<Frontier> make_beam(bool published) { return std::make_unique<Beam>(published); }

}  // namespace steptp::search
