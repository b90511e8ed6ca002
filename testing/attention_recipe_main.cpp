// The recipe that makes one kernel of the attention in a program, for `steptp replay`, or what the judge says of every
// step of the recipes of the zoo's attention types (all, where none is named) at their published shapes:
//
//   attention_recipe FILE > recipe.json
//   attention_recipe --judge [--small] [TYPE...]
#include <iostream>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/text/document.h"
#include "testing/attention_judging.h"
#include "testing/attention_recipe.h"

namespace steptp::testing {
namespace {

int print_recipe(const char* path) {
  const auto text = read_file(path);
  const auto document = text ? read_document(path, *text) : Document();
  if (!document.ok) {
    std::cerr << path << " is not a program\n";
    return 2;
  }
  const auto recipe = derive_attention(document.program, {});
  if (!recipe) {
    std::cerr << recipe.error() << "\n";
    return 1;
  }
  std::cout << to_json(recipe->steps).dump() << "\n";
  return 0;
}

/// 0: every step is equal, 1: one is wrong, 3: one is undecided.
int judge(std::vector<std::string> types, bool is_small) {
  if (types.empty()) types = attention_types();
  std::cout << table_header() << "\n";
  JudgedRecipe all;
  for (const std::string& type : types) {
    if (!zoo::find_type(type)) {
      std::cerr << type << " is not a type of the zoo\n";
      return 2;
    }
    const auto root = zoo_program(type, is_small ? small_attention(type) : zoo::Arguments(), DType::f32);
    const auto recipe = root ? derive_attention(root->program, is_small ? AttentionTiles{2, 2} : AttentionTiles())
                             : Result<AttentionRecipe, std::string>(root.error().message);
    if (!recipe) {
      std::cerr << type << ": " << recipe.error() << "\n";
      return 1;
    }
    const JudgedRecipe judged = judge_steps(root->program, recipe->steps, {});
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
  std::vector<std::string> given(words + 1, words + count);
  if (!given.empty() && given[0] == "--judge") {
    given.erase(given.begin());
    const bool is_small = std::erase(given, "--small") > 0;
    return steptp::testing::judge(std::move(given), is_small);
  }
  if (given.size() != 1) {
    std::cerr << "usage: attention_recipe FILE\n       attention_recipe --judge [--small] [TYPE...]\n";
    return 2;
  }
  return steptp::testing::print_recipe(words[1]);
}
