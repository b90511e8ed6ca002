#include "steptp/search/frontier.h"

namespace steptp::search {

std::unique_ptr<Frontier> make_frontier(const FrontierSettings& settings) {
  const bool published = settings.published;
  switch (settings.algorithm) {
    case Algorithm::greedy: return make_greedy(published);
    case Algorithm::beam: return make_beam(published);
    case Algorithm::bfs: return make_levels(false, published);
    case Algorithm::dfs: return make_levels(true, published);
    case Algorithm::mcts: return make_tree_search(published, settings.reward);
    case Algorithm::chain: return make_chain(true, published);
    case Algorithm::chain_without_parent: return make_chain(false, published);
  }
  return nullptr;
}

}  // namespace steptp::search
