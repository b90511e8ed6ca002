#include "steptp/measure/machine_load.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"

namespace steptp {

std::optional<int> runnable_tasks(const std::string& text) {
  std::size_t at = 0;
  for (int averages = 0; averages < 3; ++averages) {
    at = text.find(' ', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  int out = 0;
  const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), out);
  const bool is_count = problem == std::errc() && end != text.data() + text.size() && *end == '/' && out >= 0;
  return is_count ? std::optional(out) : std::nullopt;
}

LoadWatch::LoadWatch(std::string source) : source_(std::move(source)) { load_.cores = default_jobs(); }

void LoadWatch::look() {
  const auto text = read_file(source_);
  const auto tasks = text ? runnable_tasks(*text) : std::nullopt;
  if (!tasks) return;
  // Who looks is running itself.
  const double others = std::max(0, *tasks - 1);
  load_.others = (load_.others * load_.looks + others) / (load_.looks + 1);
  ++load_.looks;
}

}  // namespace steptp
