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

}  // namespace

std::string times_text(double ratio) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.3g times as fast", ratio);
  return buffer;
}

std::string search_summary(const std::string& name, const search::SearchSettings& settings,
                           const search::SearchResult& result) {
  std::string out =
      concat(name, ": ", word_of(settings.algorithm), " with ", word_of(settings.proposer), " on ",
             search::device_words(settings), ", ", result.samples, " samples, ended by ", word_of(result.stop), "\n");
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
