#pragma once

#include <cstdint>
#include <optional>

#include "steptp/certify/branch_coverage.h"
#include "steptp/certify/certify.h"
#include "steptp/certify/draws.h"
#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Judges one pair: in which order its parts look for a difference, and what has to be shown before the programs are
/// called equal.
class Judge {
 public:
  /// `kept`: of the changed window only, with so many layers around it (window.h); nothing for the whole programs.
  Judge(const Program& before, const Program& after, const CertifyOptions& options, std::optional<int> kept = {})
      : inquiry_(before, after, options, kept), draws_(inquiry_), branches_(inquiry_, draws_) {}

  /// Something was cut off, and what is left stands for the whole.
  [[nodiscard]] bool has_window() const { return inquiry_.pair.window.is_cut && inquiry_.pair.window.is_usable; }

  [[nodiscard]] CertifiedAnswer run();

 private:
  [[nodiscard]] Progress decide();
  [[nodiscard]] Progress look_first();
  /// Special draws, and the branches.
  [[nodiscard]] Progress look_around();

  // The changed window (judge_window.cpp).

  /// Programs that are expensive to evaluate share most of it: are they equal whatever its values are? A wider window
  /// is tried only where the narrow one differs almost everywhere, so that a real difference would show in the wider
  /// one too. One that shows only here and there (one element that wins a maximum, a tie) might not: then an answer
  /// `equal` of the whole programs would not be believed either.
  [[nodiscard]] Progress compare_windows();
  [[nodiscard]] std::optional<CertifiedAnswer> in_window(int kept, std::uint64_t seed);
  [[nodiscard]] bool differs_everywhere(int kept, const CertifiedAnswer& answer);

  Inquiry inquiry_;
  Draws draws_;
  BranchCoverage branches_;
};

}  // namespace steptp::certify
