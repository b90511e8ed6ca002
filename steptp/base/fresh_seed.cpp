#include "steptp/base/fresh_seed.h"

#include <random>

namespace steptp {

std::uint64_t fresh_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return ((high << 32) | device()) >> 11;
}

}  // namespace steptp
