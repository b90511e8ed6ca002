// Prints the programs that back ends are tested with, one JSON record per line, for tests written in Python.
// Each has the features of the language that occur in it.
// Usage: lowering_cat written|zoo DTYPE STEP FIRST|recipes STEP|generated SEED COUNT|derived SEED COUNT
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "steptp/base/json.h"
#include "steptp/text/document.h"
#include "testing/features.h"
#include "testing/lowering_support.h"

int main(int argc, char** argv) {
  using namespace steptp;
  using namespace steptp::testing;
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int at) { return argc > at ? std::strtoull(argv[at], nullptr, 10) : 1; };
  std::vector<Judged> all;
  if (what == "written") {
    all = written_kernels();
  } else if (what == "zoo" && argc == 5) {
    const auto dtype = parse_dtype(argv[2]);
    if (!dtype) return 2;
    all = small_zoo(*dtype, number(3), number(4));
  } else if (what == "recipes") {
    all = recipe_states(number(2));
  } else if (what == "generated" && argc == 4) {
    all = generated(number(2), number(3));
  } else if (what == "derived" && argc == 4) {
    all = derived_states(number(2), number(3));
  } else {
    std::fputs(
        "usage: lowering_cat written|zoo DTYPE STEP FIRST|recipes STEP|generated SEED COUNT|derived SEED COUNT\n",
        stderr);
    return 2;
  }
  for (Judged& one : all) {
    one.program.name = one.name;
    Json record = to_json(one.program, Profile::paper);
    Json::Array features;
    for (const std::string& feature : features_of(one.program)) features.emplace_back(feature);
    std::printf("%s\n", record.set("features", std::move(features)).dump().c_str());
  }
  return 0;
}
