// The recipe that makes one kernel of the attention in a program, for `steptp replay`:
//
//   attention_recipe FILE > recipe.json
#include <iostream>

#include "steptp/base/file.h"
#include "steptp/text/document.h"
#include "testing/attention_recipe.h"

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: attention_recipe FILE\n";
    return 2;
  }
  const auto text = steptp::read_file(words[1]);
  const auto document = text ? steptp::read_document(words[1], *text) : steptp::Document();
  if (!document.ok) {
    std::cerr << words[1] << " is no program\n";
    return 2;
  }
  const auto recipe = steptp::testing::derive_attention(document.program, {});
  if (!recipe) {
    std::cerr << recipe.error() << "\n";
    return 1;
  }
  std::cout << steptp::to_json(recipe->steps).dump() << "\n";
  return 0;
}
