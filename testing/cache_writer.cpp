// Puts one object of so many bytes in a cache and prints what went wrong: cache_writer FOLDER BYTES
#include <cstdio>
#include <cstdlib>
#include <string>

#include "steptp/execution/object_cache.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const steptp::ObjectCache cache(argv[1]);
  cache.put(steptp::cache_key({"text"}), std::string(std::strtoull(argv[2], nullptr, 10), 'o'));
  std::puts(cache.problem().c_str());
  return cache.find(steptp::cache_key({"text"})) ? 1 : 0;
}
