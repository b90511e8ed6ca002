// The fuzz targets without libFuzzer, for every build: the seeds, and inputs made from them by a fixed number of
// changes that depend on nothing but the seeds. It finds what breaks at once; `make fuzz` looks further.
//
//   TARGET FOLDER INPUTS
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// Where a target knows better than to change bytes.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                     std::size_t max_size, unsigned int seed);

namespace {

using steptp::Random;

constexpr std::size_t kLongest = 4096;

void change(std::string& text, Random& random) {
  const std::size_t place = random.below(text.size() + 1);
  const std::size_t length = std::min<std::size_t>(1 + random.below(8), text.size() - place);
  switch (random.below(5)) {
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(random.below(256));
      break;
    case 1: text.erase(place, length); break;
    case 2: text.insert(place, std::string(1, static_cast<char>(random.below(256)))); break;
    case 3: text.insert(place, text.substr(random.below(text.size() + 1), 1 + random.below(32))); break;
    default:
      if (place < text.size()) text[place] = static_cast<char>(text[place] ^ (1 << random.below(8)));
      break;
  }
  if (text.size() > kLongest) text.resize(kLongest);
}

Random& bytes_random() {
  static Random random(1);
  return random;
}

/// The input at hand, for whoever has to look at it.
const std::string* current = nullptr;
constexpr const char* kInputFile = "fuzz_input.bin";

void keep_input(int signal) {
  if (std::FILE* file = current ? std::fopen(kInputFile, "wb") : nullptr) {
    std::fwrite(current->data(), 1, current->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is in %s\n", kInputFile);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const std::string& text) {
  current = &text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::vector<std::string> seeds_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

}  // namespace

/// What a mutator of a target calls for a change of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  change(text, bytes_random());
  text.resize(std::min(text.size(), max_size));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + 1, words + count);
  std::size_t inputs = 0;
  const bool is_usable = arguments.size() == 2 && std::filesystem::is_directory(arguments[0]) &&
                         std::from_chars(arguments[1].begin(), arguments[1].end(), inputs).ptr == arguments[1].end();
  if (!is_usable) {
    std::cerr << "usage: " << words[0] << " FOLDER INPUTS\n";
    return 2;
  }
  const std::vector<std::string> seeds = seeds_in(arguments[0]);
  if (seeds.empty()) {
    std::cerr << "no seeds in " << arguments[0] << "\n";
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, keep_input);
  for (const std::string& seed : seeds) run(seed);
  for (std::size_t i = 0; i < inputs; ++i) {
    Random random(i + 1);
    std::string text = seeds[random.below(seeds.size())];
    if (LLVMFuzzerCustomMutator != nullptr) {
      std::size_t size = std::min(text.size(), kLongest);
      text.resize(kLongest);
      auto* bytes = reinterpret_cast<std::uint8_t*>(text.data());
      size = LLVMFuzzerCustomMutator(bytes, size, kLongest, static_cast<unsigned int>(i));
      text.resize(size);
    } else {
      for (std::size_t changes = 1 + random.below(4); changes-- > 0;) change(text, random);
    }
    run(text);
  }
  std::cout << seeds.size() << " seeds and " << inputs << " inputs made of them\n";
  return 0;
}
