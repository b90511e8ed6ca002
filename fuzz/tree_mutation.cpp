// A mutator that changes programs as trees: changes of bytes seldom leave a text that can be read, so that a fuzzer
// alone looks at the reader and hardly at what comes after it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "steptp/base/random.h"
#include "steptp/text/document.h"
#include "testing/generator.h"
#include "testing/mutator.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace steptp;

std::string changed(Program program, Random& random) {
  for (std::size_t i = 1 + random.below(3); i-- > 0;) {
    if (auto mutant = testing::mutate(program, random)) program = std::move(mutant->program);
  }
  return print_document(program, random.chance(1, 2) ? Profile::paper : Profile::compact);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  Random random(seed);
  if (random.chance(1, 8)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text;
  if (random.chance(1, 32)) {
    text = changed(testing::generate_program(random), random);
  } else {
    const Document document = read_document("fuzz", std::string(reinterpret_cast<const char*>(data), size));
    if (!document.ok || !document.has_signature) return LLVMFuzzerMutate(data, size, max_size);
    text = changed(document.program, random);
  }
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
