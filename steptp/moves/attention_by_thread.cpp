// One thread for each query: what it makes is in registers.
#include <algorithm>

#include "steptp/moves/attention_steps.h"

namespace steptp {

namespace {

/// What only this block's threads use: cached, and not written back.
bool keep(AttentionSteps& steps, const AttentionSteps::Items& nest, std::size_t loop, const std::string& tensor,
          std::string_view scope) {
  return steps.cache(nest, loop, "write", tensor, scope) && steps.drop(tensor);
}

/// What a round makes stays with its threads.
bool keep_round(AttentionSteps& steps) {
  const AttentionNames& names = steps.names();
  const AttentionSteps::Items round = below(steps.rounds(), {2});
  std::vector<std::string> tensors = names.scores;
  for (const std::string& tensor : {names.maximum, names.factor, names.weights, names.sum}) tensors.push_back(tensor);
  for (const std::string& tensor : tensors) {
    if (!keep(steps, round, 0, tensor, "l")) return false;
  }
  if (!steps.layout().outputs_in_s) return keep(steps, round, 0, names.share, "l");
  if (!keep(steps, steps.rounds(), 0, names.share, "s")) return false;
  // It begins anew with each round, by the thread that adds to it.
  const bool is_serial = steps.nest_at(round).loops[0].kind == LoopKind::serial;
  return !is_serial || steps.bind(round, 0, "tx");
}

/// Keys and values are fetched by all threads.
bool fetch(AttentionSteps& steps) {
  for (const std::uint32_t number : {0, 1}) {
    const AttentionSteps::Items nest = below(steps.rounds(), {number});
    if (!steps.is_nest(nest)) continue;  // one element
    if (!steps.fuse_all(nest)) return false;
    const bool is_short = steps.nest_at(nest).loops[0].extent < steps.layout().queries;
    if (!is_short && !steps.split(nest, 0, steps.layout().queries)) return false;
    if (!steps.bind(nest, is_short ? 0 : 1, "tx")) return false;
  }
  return true;
}

/// The recurrences keep their latest value and the one before, and these go into registers.
bool roll(AttentionSteps& steps) {
  const std::vector<std::string>& running = steps.names().running;
  std::vector<std::pair<std::string, std::string_view>> state;
  for (const std::string& tensor : running) {
    const std::string_view home = tensor == running.back() && steps.layout().outputs_in_s ? "s" : "l";
    const std::vector<std::string> rolled = steps.roll(tensor);
    if (rolled.empty()) return false;
    for (const std::string& made : rolled) state.emplace_back(made, home);
  }
  return std::all_of(state.begin(), state.end(), [&](const auto& one) {
    return keep(steps, steps.kernel(), steps.blocks(), one.first, one.second);
  });
}

}  // namespace

bool finish_by_thread(AttentionSteps& steps) {
  const AttentionLayout& layout = steps.layout();
  const AttentionSteps::Items queries = below(steps.kernel(), {0});
  if (layout.queries_in_s && layout.queries > 1 && !steps.bind(queries, 0, "tx")) return false;
  return keep_round(steps) && fetch(steps) && roll(steps);
}

}  // namespace steptp
