#pragma once

#include <cstdint>
#include <vector>

#include "steptp/certify/draws.h"
#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Which outcomes of the branches of both programs have been seen, and which are missing.
class BranchCoverage {
 public:
  BranchCoverage(Inquiry& inquiry, Draws& draws) : inquiry_(inquiry), draws_(draws) {}

  /// Tries to see every outcome that was not seen, or to show that it does not exist. Undecided where one is left.
  [[nodiscard]] Progress cover();

 private:
  struct Missing {
    std::uint32_t branch = 0;
    bool outcome = false;
    bool in_before = false;
  };
  [[nodiscard]] std::vector<Missing> missing() const;
  [[nodiscard]] bool is_missing(bool in_before, std::uint32_t branch, bool outcome) const;
  /// The other program has the same fold, and it never went this way there either. What went the other way has shown
  /// the folded value, so that the two agree up to the fold and beyond it as analytic functions, and where one goes
  /// this way, so does the other. A clamp shows the value only where the number does not win; rounding never shows it.
  [[nodiscard]] bool is_folded_alike(const Branch& branch, bool outcome, bool in_before) const;

  /// Elements that may lead to what is missing; what does not exist is settled.
  [[nodiscard]] std::vector<OutputPoint> find_witnesses();
  [[nodiscard]] Progress directed_draws(const std::vector<OutputPoint>& witnesses);
  /// Solves for inputs at which comparisons go the other way.
  [[nodiscard]] Progress explore();

  Inquiry& inquiry_;
  Draws& draws_;
};

}  // namespace steptp::certify
