// The question to a model. It says nothing that the answer could not use, and always in the same order, so that a
// server can keep what it has computed of the beginning.
#include <cstdio>

#include "steptp/answers/prompt.h"
#include "steptp/base/text.h"
#include "steptp/optimize/optimize.h"
#include "steptp/search/model_proposer.h"
#include "steptp/text/printer.h"
#include "steptp/text/strategy_names.h"

namespace steptp::search {

namespace {

constexpr std::size_t kToldFailures = 8;
constexpr std::size_t kLongestReason = 300;

std::string times_text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", value);
  return buffer;
}

double speedup(const Question& question, const Node& node) {
  return node.seconds > 0 ? question.tree->at(0).seconds / node.seconds : 0;
}

std::string limits_of(const DeviceRates& rates) {
  const Device& device = *plan_target(rates).device;
  std::string out = concat("Device: ", rates.name, ".\n");
  if (!rates.is_gpu()) {
    append(out, "- It runs ", static_cast<std::int64_t>(rates.processors), " threads at a time, each with vectors of ",
           static_cast<std::int64_t>(rates.vector_bytes), " bytes.\n");
    return out;
  }
  append(out, "- A block has at most ", device.threads, " threads, and at most ", device.block[0], " x ",
         device.block[1], " x ", device.block[2], " along tx, ty, tz.\n");
  append(out, "- A grid has at most ", device.grid[0], " x ", device.grid[1], " x ", device.grid[2],
         " blocks along bx, by, bz.\n");
  append(out, "- A block has at most ", device.shared_bytes, " bytes of shared memory, and a thread at most ",
         device.local_bytes, " bytes of data in registers.\n");
  return out;
}

constexpr std::string_view kMemoryRules =
    "Memory: scope g is global memory, which all threads see and which lasts; scope s is shared memory of one block; "
    "scope l belongs to one thread. Data in s or l has to be written before it is read, in the same kernel. Two "
    "threads "
    "may not write one element, and none may read what another one writes at the same time.\n";

std::string state_of(const Question& question) {
  const Node& node = question.about();
  std::string out = concat("Search: ", word_of(question.algorithm), ", depth ", node.depth, ". The program is ",
                           times_text(speedup(question, node)), " times as fast as the first one.");
  if (!node.candidate.strategies.empty()) {
    append(out, " It was made by ", join(node.candidate.strategies, ", ", [](const std::string& name) { return name; }),
           ".");
  }
  append(out, "\n");
  if (question.shows_parent && node.parent) {
    const Node& parent = question.tree->at(*node.parent);
    append(out, "It was made of this program, which is ", times_text(speedup(question, parent)),
           " times as fast as the first one:\n", print(*parent.program), "\nDo not go back to it.\n");
  }
  return out;
}

std::string failures_of(const Question& question) {
  const auto& children = question.about().children;
  std::string out;
  const std::size_t begin = children.size() > kToldFailures ? children.size() - kToldFailures : 0;
  for (std::size_t i = begin; i < children.size(); ++i) {
    const Node& child = question.tree->at(children[i]);
    if (child.is_fresh()) continue;
    std::string reason = child.reason.substr(0, kLongestReason);
    if (child.outcome == Outcome::known) reason = "that program was met before";
    if (child.outcome == Outcome::same) reason = "that is the same program";
    append(out, "- ", child.candidate.strategies.empty() ? "unnamed" : child.candidate.strategies.front(), ": ",
           word_of(child.outcome), reason.empty() ? "" : ", ", reason, "\n");
  }
  return out.empty() ? out : concat("What was answered before and did not work:\n", out);
}

}  // namespace

std::string model_question(const Question& question, const DeviceRates& rates) {
  std::string out = "Goal: make the program below faster by one step that keeps what it computes.\n";
  append(out, limits_of(rates), kMemoryRules,
         "Strategies: ", join(strategy_names(), ", ", [](const std::string& name) { return name; }), ".\n\n");
  append(out, state_of(question), failures_of(question), "\n");
  append(out, prompt_for(*question.about().program, Profile::paper, static_cast<int>(question.wanted)));
  return out;
}

}  // namespace steptp::search
