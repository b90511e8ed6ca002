#include "cli/search_text.h"

#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"
#include "steptp/search/row.h"

namespace steptp::cli {

namespace {

void append_node(const search::SearchResult& result, const search::Node& node, std::string& out) {
  append(out, std::string(2 * node.depth, ' '), node.number, " ", node.candidate.edge, ": ", word_of(node.outcome));
  if (node.is) append(out, " as node ", *node.is);
  if (node.is_fresh()) {
    append(out, ", ", seconds_text(node.seconds));
    if (node.seconds > 0) append(out, ", ", times_text(result.tree.at(0).seconds / node.seconds));
  }
  if (!node.reason.empty() && !node.is_fresh()) append(out, ", ", node.reason);
  if (result.winner == node.number) append(out, "  <- the winner");
  append(out, "\n");
  for (const std::size_t child : node.children) append_node(result, result.tree.at(child), out);
}

/// Why it ended, and after how many samples.
std::string stop_text(const search::SearchResult& result) {
  using search::Stop;
  const std::string samples = concat(result.samples, result.samples == 1 ? " sample" : " samples");
  switch (result.stop) {
    case Stop::samples: return samples + " used";
    case Stop::device_seconds: return concat("device seconds used, after ", samples);
    case Stop::tokens: return concat("tokens used, after ", samples);
    case Stop::finished: return concat("all iterations made, after ", samples);
    case Stop::exhausted: return concat("nothing left to ask about, after ", samples);
    case Stop::no_progress: return concat("no new program in many asks, after ", samples);
    case Stop::interrupted: return concat("interrupted, after ", samples);
    case Stop::no_proposer: return concat("the proposer failed, after ", samples);
    case Stop::no_device: return concat("the device failed, after ", samples);
    case Stop::no_journal: return concat("the journal failed, after ", samples);
  }
  return samples;
}

}  // namespace

std::string times_text(double ratio) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.3g times as fast", ratio);
  return buffer;
}

std::string search_summary(const std::string& name, const search::SearchSettings& settings,
                           const search::SearchResult& result) {
  std::string out = concat(name, ": ", word_of(settings.algorithm), " with ", word_of(settings.proposer), " on ",
                           search::device_words(settings), ", stopped: ", stop_text(result), "\n");
  if (result.curve.empty()) return out;
  const double before = result.root_seconds();
  const double after = result.best_seconds();
  append(out, "  as it came ", seconds_text(before), ", now ", seconds_text(after));
  if (after > 0) append(out, ": ", times_text(before / after));
  append(out, "; ", result.verdict, result.safe.as_bool() && *result.safe.as_bool() ? ", safe" : ", not shown safe",
         "\n");
  if (settings.device == search::DeviceWord::analytic) append(out, "  times are expected, nothing was measured\n");
  for (const std::string& flag : result.flags) append(out, "  note: ", flag, "\n");
  const Json path = search::path_of(result);
  for (const Json& step : *path.as_array()) {
    const std::string* edge = step.find("edge")->as_string();
    append(out, "  node ", *step.find("node")->as_integer(), ", ", seconds_text(step.find("seconds")->number()), ": ",
           *edge, "\n");
  }
  return out;
}

std::string tree_text(const search::SearchResult& result) {
  std::string out;
  if (!result.tree.nodes().empty()) append_node(result, result.tree.at(0), out);
  return out;
}

}  // namespace steptp::cli
