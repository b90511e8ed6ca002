// What the judge says of every step of the move `flash` on the zoo's attention types (all, where none is named) at
// their published shapes, with one thread for each query, or with several:
//
//   attention_judge [--small] [--threads N] [TYPE...]
#include <cstdlib>
#include <iostream>
#include <vector>

#include "steptp/documents/zoo_program.h"
#include "testing/attention_judging.h"
#include "testing/attention_moves.h"

namespace steptp::testing {
namespace {

/// 0: every step is equal, 1: one is wrong, 3: one is undecided.
int judge(std::vector<std::string> types, bool is_small, std::int64_t threads) {
  if (types.empty()) types = attention_types();
  std::cout << table_header() << "\n";
  JudgedRecipe all;
  for (const std::string& type : types) {
    if (!zoo::find_type(type)) {
      std::cerr << type << " is not a type of the zoo\n";
      return 2;
    }
    const auto root = zoo_program(type, is_small ? small_attention(type) : zoo::Arguments(), DType::f32);
    const FlashSizes most = is_small ? FlashSizes{2, 2, threads, "keys"} : FlashSizes{32, 64, threads, "keys"};
    const auto made =
        root ? make_flash(root->program, most) : Result<FlashAttention, std::string>(root.error().message);
    if (!made) {
      std::cerr << type << ": " << made.error() << "\n";
      return 1;
    }
    const JudgedRecipe judged = judge_steps(root->program, made->moved.recipe, {});
    std::cout << table_line(type, judged) << std::endl;
    for (const std::string& line : judged.not_equal) std::cout << "  " << line << std::endl;
    all.undecided += judged.undecided;
    all.wrong += judged.wrong;
  }
  return all.wrong > 0 ? 1 : all.undecided > 0 ? 3 : 0;
}

}  // namespace
}  // namespace steptp::testing

int main(int count, char** words) {
  std::vector<std::string> types(words + 1, words + count);
  const bool is_small = std::erase(types, "--small") > 0;
  std::int64_t threads = 1;
  if (types.size() > 1 && types[0] == "--threads") {
    threads = std::atoll(types[1].c_str());
    types.erase(types.begin(), types.begin() + 2);
  }
  return steptp::testing::judge(std::move(types), is_small, threads);
}
