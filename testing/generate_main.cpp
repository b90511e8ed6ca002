// leir_generate --seed S --count N [--affine] [--published]: generated programs as JSON records, one per line.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "testing/generator.h"

namespace {

constexpr std::string_view kUsage =
    "usage: leir_generate [--seed S] [--count N] [--affine] [--published] [--compact]\n";

bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace steptp;
  std::uint64_t seed = 0;
  std::uint64_t count = 1;
  Profile profile = Profile::paper;
  testing::GeneratorOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--affine") {
      options.affine_only = true;
    } else if (flag == "--published") {
      options.published_only = true;
    } else if (flag == "--compact") {
      profile = Profile::compact;
    } else if ((flag != "--seed" && flag != "--count") || i + 1 >= argc ||
               !parse_number(argv[++i], flag == "--seed" ? seed : count)) {
      std::cerr << kUsage;
      return 2;
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    // Each program has its own stream, so that seed S of a long run is the first program of --seed S.
    Random random(seed + i);
    Program program = testing::generate_program(random, options);
    program.name = concat("generated_", seed + i);
    std::cout << to_json(program, profile).dump() << '\n';
  }
  return std::cout.good() ? 0 : 1;
}
