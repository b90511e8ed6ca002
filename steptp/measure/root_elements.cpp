// A stored entry is found by the text of the root, the seed, what was asked for, and the build that evaluated it:
// another build may draw other inputs or know narrower bounds, and what it stored would be compared with runs of this
// one.
#include "steptp/measure/root_elements.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/execution/object_cache.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

/// The file that this code is in, by size and time. Nothing where that cannot be told; then nothing is kept.
std::optional<std::string> this_build() {
  Dl_info info = {};
  std::string path = "/proc/self/exe";
  const auto address = reinterpret_cast<const void*>(&this_build);
  if (dladdr(address, &info) != 0 && info.dli_fname && std::string_view(info.dli_fname).ends_with(".so")) {
    path = info.dli_fname;
  }
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  const auto number = [](auto value) { return static_cast<long long>(value); };
  return concat(number(about.st_size), " ", number(about.st_mtim.tv_sec), " ", number(about.st_mtim.tv_nsec));
}

std::int64_t elements_of(const Variable& variable) {
  std::int64_t out = 1;
  for (const std::int64_t extent : variable.shape) out *= extent;
  return out;
}

}  // namespace

RootElements::RootElements(Program root, std::uint64_t seed, std::uint64_t operations, const std::string& cache)
    : root_(std::move(root)), seed_(seed) {
  const auto build = cache.empty() ? std::nullopt : this_build();
  const ObjectCache folder(build ? cache : std::string());
  const std::string asked = concat("seed ", seed, ", ", operations, " operations, ", kElements, " elements");
  const CacheKey key =
      cache_key({"expected elements", build.value_or(""), to_json(root_, Profile::paper).dump(), asked});
  if (const auto stored = folder.find(key); stored && take(*stored)) {
    is_from_cache_ = true;
    return;
  }
  expectations_ = expected_elements(root_, root_, seed, kElements, operations, RunOrder::any);
  std::map<std::string, std::uint32_t> counts;
  for (ExpectedElement& element : expectations_.elements) element.each_run = counts[element.output]++ < kEachRun;
  Json entry;
  entry.set("elements", to_json(expectations_)).set("problem", expectations_.problem);
  folder.put(key, entry.dump());
  cache_problem_ = folder.problem();
}

/// False where the text is no entry for this root.
bool RootElements::take(const std::string& stored) {
  const auto entry = parse_json(stored);
  if (!entry || !entry->as_object()) return false;
  const Json* elements = entry->find("elements");
  const Json* problem = entry->find("problem");
  if (!elements || !problem || !problem->as_string()) return false;
  auto read = expectations_from_json(*elements);
  if (!read) return false;
  for (const ExpectedElement& element : *read) {
    const auto is_of = [&element](const Variable& variable) {
      return variable.role == Role::output && variable.name == element.output && element.position >= 0 &&
             element.position < elements_of(variable);
    };
    if (std::none_of(root_.signature.variables.begin(), root_.signature.variables.end(), is_of)) return false;
  }
  expectations_ = {*std::move(read), *problem->as_string()};
  return true;
}

bool RootElements::covers(const std::string& output) const {
  return std::any_of(expectations_.elements.begin(), expectations_.elements.end(),
                     [&output](const ExpectedElement& element) { return element.output == output; });
}

}  // namespace steptp
