#include "steptp/oracle/statistics.h"

#include <algorithm>
#include <cmath>

#include "steptp/oracle/scalar.h"

namespace steptp {

namespace {

Hash checksum_of(const Array& tensor) {
  Hash hash = hash_text(code(tensor.dtype));
  for (const std::int64_t extent : tensor.shape) hash = combine(hash, static_cast<Hash>(extent));
  for (std::size_t at = 0; at < tensor.data.size(); at += 8) {
    Hash word = 0;
    const std::size_t end = std::min(tensor.data.size(), at + 8);
    for (std::size_t i = at; i < end; ++i) word |= std::to_integer<Hash>(tensor.data[i]) << (8 * (i - at));
    hash = combine(hash, word);
  }
  return hash;
}

}  // namespace

OutputStatistics statistics_of(const Array& tensor) {
  OutputStatistics statistics;
  statistics.checksum = checksum_of(tensor);
  const auto bytes = static_cast<std::size_t>(info(tensor.dtype).bytes);
  std::uint64_t finite = 0;
  double sum = 0;
  for (std::size_t at = 0; at + bytes <= tensor.data.size(); at += bytes) {
    ++statistics.count;
    const double value = convert(load(tensor.dtype, tensor.data.data() + at), DType::f64).as_real();
    if (std::isnan(value)) {
      ++statistics.nans;
    } else if (std::isinf(value)) {
      ++statistics.infinities;
    } else {
      statistics.least = finite == 0 ? value : std::min(statistics.least, value);
      statistics.greatest = finite == 0 ? value : std::max(statistics.greatest, value);
      sum += value;
      ++finite;
    }
  }
  if (finite != 0) statistics.mean = sum / static_cast<double>(finite);
  return statistics;
}

}  // namespace steptp
