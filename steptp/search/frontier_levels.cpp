// Breadth first and depth first: every node down to some depth is asked about once. Both end when that is done.
#include <deque>

#include "steptp/search/frontier.h"

namespace steptp::search {

namespace {

class Levels : public Frontier {
 public:
  Levels(bool depth_first, bool published) : depth_first_(depth_first), published_(published) {}

  std::optional<Ask> next(const Tree&) override {
    if (open_.empty()) return std::nullopt;
    const std::size_t node = open_.front();
    return Ask{node, published_ ? std::size_t{2} : std::size_t{3}};
  }

  void learn(const Tree& tree, const Ask& ask, const std::vector<std::size_t>& nodes) override {
    open_.pop_front();
    const std::size_t deepest = published_ ? 4 : 6;
    if (tree.at(ask.node).depth + 1 >= deepest) return;
    std::vector<std::size_t> fresh;
    for (const std::size_t node : nodes) {
      if (tree.at(node).is_fresh()) fresh.push_back(node);
    }
    open_.insert(depth_first_ ? open_.begin() : open_.end(), fresh.begin(), fresh.end());
  }

  [[nodiscard]] bool is_finished() const override { return open_.empty(); }

 private:
  bool depth_first_;
  bool published_;
  std::deque<std::size_t> open_ = {0};
};

}  // namespace

std::unique_ptr<Frontier> make_levels(bool depth_first, bool published) {
  return std::make_unique<Levels>(depth_first, published);
}

}  // namespace steptp::search
