#pragma once

#include <cstdint>

namespace steptp::certify {

/// What counts where rounding errors leave open how a comparison of data, or a conversion to integer, is decided.
enum class Outcomes : std::uint8_t {
  as_computed,  ///< the outcome in the declared types alone; `is_unsure` tells that there was such a decision
  both,         ///< whichever of the two: bounds are made to hold for both, which needs no proof that they meet
};

/// The decisions of an arithmetic with error bounds that are open (machine/open_choices.h).
class OpenDecisions {
 public:
  explicit OpenDecisions(Outcomes outcomes) : outcomes_(outcomes) {}

  /// One is open, and nobody has covered it.
  [[nodiscard]] bool is_unsure() const { return is_unsure_; }
  /// Some bound holds for both outcomes of one.
  [[nodiscard]] bool has_covered() const { return has_covered_; }
  void leave_open() { is_unsure_ = true; }
  void forget() { is_unsure_ = false; }
  void note_covered() { has_covered_ = true; }
  /// Of a result that leaps, like floor, with an error as large as the leap.
  void note_leap() { (outcomes_ == Outcomes::both ? has_covered_ : is_unsure_) = true; }

  /// Looks at the decisions that are made while it lives apart from those before. An exception leaves them open.
  class Watch {
   public:
    explicit Watch(OpenDecisions& decisions) : decisions_(decisions), before_(decisions.is_unsure_) {
      if (decisions_.outcomes_ == Outcomes::both) decisions_.is_unsure_ = false;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { decisions_.is_unsure_ = decisions_.is_unsure_ || before_; }
    /// Whether one is open, which is then the caller's to cover; never where only computed outcomes count.
    [[nodiscard]] bool take_open() {
      const bool is_open = decisions_.outcomes_ == Outcomes::both && decisions_.is_unsure_;
      if (is_open) decisions_.is_unsure_ = false;
      return is_open;
    }

   private:
    OpenDecisions& decisions_;
    bool before_;
  };

 private:
  Outcomes outcomes_;
  bool is_unsure_ = false;
  bool has_covered_ = false;
};

}  // namespace steptp::certify
