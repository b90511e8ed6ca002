// trace_cat SEED STRIDE PER_STRATEGY [compact] [STRATEGY...]: prints traces to read, at most so many of each strategy:
// examples, and steps on every STRIDE-th type of the zoo.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/reasoning/trace.h"
#include "steptp/text/printer.h"
#include "testing/trace_rows.h"

int main(int count, char** words) {
  using namespace steptp;
  if (count < 4) {
    std::cerr << "trace_cat SEED STRIDE PER_STRATEGY [compact] [STRATEGY...]\n";
    return 2;
  }
  testing::TraceRows rows;
  rows.seed = std::strtoull(words[1], nullptr, 10);
  rows.stride = std::strtoull(words[2], nullptr, 10);
  rows.first = rows.stride > 1 ? rows.seed % rows.stride : 0;
  const auto most = std::strtol(words[3], nullptr, 10);
  std::vector<std::string> wanted(words + 4, words + count);
  const bool compact = !wanted.empty() && wanted[0] == "compact";
  if (compact) wanted.erase(wanted.begin());
  const Profile profile = compact ? Profile::compact : Profile::paper;
  std::map<std::string_view, long> told;
  const auto show = [&](const testing::TraceRow& row) {
    const std::string_view name = row.strategy->name;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
    if (told[name]++ >= most) return;
    const Trace trace = make_trace(*row.strategy, row.before, row.choice, row.applied, combine(rows.seed, row.seed));
    std::cout << "=== " << name << " " << row.type << " " << row.choice.to_json().dump() << "\n";
    std::cout << render(trace, row.before, row.applied.program, profile) << "\n\n";
  };
  if (rows.seed % 2 == 0) testing::for_each_example(show);
  testing::for_each_row(rows, show);
}
