#pragma once

#include <cstdint>
#include <string>

#include "steptp/ir/program.h"
#include "steptp/measure/expected.h"

namespace steptp {

/// Expected elements for many candidates: those of the program that all of them are known to be equal to, their root.
/// They are evaluated once for a root and a seed, with bounds that hold in any order, and kept beside compiled code in
/// the cache, so that no candidate needs an evaluation of its own. There are more of them than for a single program,
/// half of them on edges, because a candidate is not evaluated itself.
class RootElements {
 public:
  /// Of each output; the first kEachRun of them are compared after every run.
  static constexpr std::uint32_t kElements = 32;
  static constexpr std::uint32_t kEachRun = 8;

  /// `operations`: what the evaluation may take. `cache`: a folder, or empty, which keeps nothing. An entry that is
  /// damaged, or that another build of this program wrote, is as if it were not there.
  RootElements(Program root, std::uint64_t seed, std::uint64_t operations, const std::string& cache);

  [[nodiscard]] const Program& root() const { return root_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const Expectations& expectations() const { return expectations_; }
  /// Whether an output has elements. Long sums of halves have none: no digit of them is certain in every order.
  [[nodiscard]] bool covers(const std::string& output) const;
  [[nodiscard]] bool is_from_cache() const { return is_from_cache_; }
  /// Why the elements were not kept; empty where they were.
  [[nodiscard]] const std::string& cache_problem() const { return cache_problem_; }

 private:
  bool take(const std::string& stored);

  Program root_;
  std::uint64_t seed_;
  Expectations expectations_;
  bool is_from_cache_ = false;
  std::string cache_problem_;
};

}  // namespace steptp
