// Monte Carlo tree search. Every iteration goes down from the root and asks for one child of the node where it ends. A
// node may have so many children as the square root of its visits allows, so that promising nodes branch and others do
// not. Failures are children that are worth nothing: they count, and nobody goes below them. A node's value is the mean
// of its mean and its maximum, because what is wanted is one good program and not a good average.
#include <algorithm>
#include <cmath>
#include <map>

#include "steptp/search/frontier.h"

namespace steptp::search {

namespace {

constexpr std::size_t kIterations = 20;
constexpr double kPublishedExploration = 1.414;
constexpr double kExploration = 1.25;
constexpr double kChildren = 1.5;

class TreeSearch : public Frontier {
 public:
  TreeSearch(bool published, std::function<double(const Node&)> reward)
      : published_(published), reward_(std::move(reward)) {}

  std::optional<Ask> next(const Tree& tree) override {
    if (is_finished()) return std::nullopt;
    std::size_t node = 0;
    while (!may_branch(tree, node)) {
      const auto child = favourite(tree, node);
      if (!child) break;
      node = *child;
    }
    return Ask{node, 1};
  }

  void learn(const Tree& tree, const Ask& ask, const std::vector<std::size_t>& nodes) override {
    ++iterations_;
    double reward = 0;
    for (const std::size_t number : nodes) {
      const Node& node = tree.at(number);
      if (!node.is_fresh()) continue;
      const double own = reward_(node);
      // A new node brings its own visit; what it is worth is known before anybody asks about it.
      visits_[number] = {1, own, own};
      most_ = std::max(most_, own);
      reward = std::max(reward, own);
    }
    for (std::optional<std::size_t> at = ask.node; at; at = tree.at(*at).parent) {
      Visits& visits = visits_[*at];
      visits.count += 1;
      visits.sum += reward;
      visits.most = std::max(visits.most, reward);
    }
  }

  [[nodiscard]] bool is_finished() const override { return published_ && iterations_ >= kIterations; }

 private:
  struct Visits {
    double count = 0;
    double sum = 0;
    double most = 0;
  };

  [[nodiscard]] Visits visits(std::size_t node) const {
    const auto at = visits_.find(node);
    return at == visits_.end() ? Visits{} : at->second;
  }

  [[nodiscard]] bool may_branch(const Tree& tree, std::size_t node) const {
    const double visited = std::max(1.0, visits(node).count);
    return static_cast<double>(tree.at(node).asks) < std::ceil(kChildren * std::sqrt(visited));
  }

  [[nodiscard]] double value(std::size_t node) const {
    const Visits seen = visits(node);
    if (seen.count == 0) return 0;
    const double mean = seen.sum / seen.count;
    return published_ ? mean : (mean + seen.most) / 2;
  }

  /// Values as a share of what lies between the root and the best so far, so that exploring costs the same on programs
  /// that are near their floor and on those that are far from it. As published: the value itself.
  [[nodiscard]] double scaled(double value) const { return published_ || most_ <= 0 ? value : value / most_; }

  /// The child to go on with: the first of the best ones.
  [[nodiscard]] std::optional<std::size_t> favourite(const Tree& tree, std::size_t node) const {
    double priors = 0;
    for (const std::size_t child : tree.at(node).children) priors += tree.at(child).candidate.prior;
    const double visited = std::max(1.0, visits(node).count);
    std::optional<std::size_t> out;
    double most = 0;
    for (const std::size_t child : tree.at(node).children) {
      if (!tree.at(child).is_fresh()) continue;
      const double count = visits(child).count;
      const double share = priors > 0 ? tree.at(child).candidate.prior / priors : 0;
      const double wish = published_ ? kPublishedExploration * std::sqrt(std::log(visited + 1) / std::max(1.0, count))
                                     : kExploration * share * std::sqrt(visited) / (1 + count);
      const double score = scaled(value(child)) + wish;
      if (!out || score > most) {
        out = child;
        most = score;
      }
    }
    return out;
  }

  bool published_;
  std::function<double(const Node&)> reward_;
  std::map<std::size_t, Visits> visits_;
  std::size_t iterations_ = 0;
  double most_ = 0;  ///< the best reward so far
};

}  // namespace

std::unique_ptr<Frontier> make_tree_search(bool published, std::function<double(const Node&)> reward) {
  return std::make_unique<TreeSearch>(published, std::move(reward));
}

}  // namespace steptp::search
