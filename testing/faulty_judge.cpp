// A process that judges, and fails on pairs whose names ask for it. Started by judge_worker_test.
#include <csignal>
#include <vector>

#include "steptp/verify/judge_worker.h"

namespace {

/// Deeper than any stack; the sum keeps the calls from becoming a loop.
// NOLINTNEXTLINE(misc-no-recursion): that is what it is for
std::uint64_t sink_into(std::uint64_t depth) {
  volatile std::uint64_t here = depth;
  return depth == UINT64_MAX ? here : here + sink_into(depth + 1);
}

std::string answer(const std::string& request) {
  const auto asks_for = [&](const char* word) { return request.find(word) != std::string::npos; };
  if (asks_for("\"id\":\"signal\"")) std::raise(SIGSEGV);
  if (asks_for("\"id\":\"stack\"") && sink_into(0) == 1) return {};
  if (asks_for("\"id\":\"memory\"")) {
    std::vector<std::vector<char>> all;
    while (true) all.emplace_back(std::size_t{64} << 20, 'x');
  }
  if (asks_for("\"id\":\"garbage\"")) return "no answer";
  return steptp::answer_judge_request(request);
}

}  // namespace

int main() { return steptp::serve_requests(steptp::Worker::kDescriptor, {std::uint64_t{2} << 30}, answer); }
