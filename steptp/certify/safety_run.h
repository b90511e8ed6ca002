#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/arithmetic/bound_arithmetic.h"
#include "steptp/certify/candidate.h"
#include "steptp/certify/comparison.h"
#include "steptp/machine/code.h"
#include "steptp/machine/machine.h"
#include "steptp/machine/sharing.h"

namespace steptp::certify {

/// What two programs do at one input, in bits: above zero is a fault of the second one.
struct SafetyMeasure {
  bool is_finished = true;  ///< false: the budget of operations, or something that is not supported
  std::string unfinished_because;
  double badness = 0;                      ///< how far the input is from a good one; 0: it is one
  double loss = RunEvents::kNever;         ///< the bound of `after` against what `before` allows
  double instability = RunEvents::kNever;  ///< the same, with the inputs off by half a unit
  double guide = RunEvents::kNever;        ///< the same where the programs meet again, on the way to the outputs
  RunEvents after;
  bool is_open = false;              ///< an integer or a bool that rounding may decide otherwise
  bool has_no_value = false;         ///< an access or an integer division that `before` does not do
  std::size_t point = 0;             ///< of the greatest loss
  std::optional<std::size_t> event;  ///< the first point at which has_event() holds
  bool is_same = true;      ///< `after` does at each element what `before` does, and nothing that may go two ways
  std::uint64_t path = 0;   ///< which way everything went, in both programs, and how much was done for it
  double before_units = 0;  ///< bounds there, in units of the last place
  double after_units = 0;

  [[nodiscard]] bool is_good() const { return is_finished && badness <= 0; }
  /// An overflow, a NaN, a zero divisor or another branch, for sure or within the error bound.
  [[nodiscard]] bool has_event() const;
  [[nodiscard]] std::string fault() const;
  /// The point of the fault.
  [[nodiscard]] std::size_t place() const { return event.value_or(point); }
};

/// Both programs at chosen inputs and elements.
class SafetyRun {
 public:
  SafetyRun(const Code& before, const Code& after, const InputModel& model, const Signature& signature,
            const SafeRange& range, Budget& budget);

  std::vector<OutputPoint> points;
  /// From this one on, points are on the way to the outputs: a loss there says where to look, and is no fault.
  std::size_t first_guide = SIZE_MAX;
  /// Values that are read on the way to a point, in both programs.
  [[nodiscard]] std::vector<InputRead> reads(const Candidate& candidate, std::size_t point, std::size_t most);
  /// All of them; nothing where there are more.
  [[nodiscard]] std::optional<std::vector<InputRead>> all_reads(const Candidate& candidate, std::size_t point,
                                                                std::size_t most);
  [[nodiscard]] SafetyMeasure measure(const Candidate& candidate, const std::vector<std::size_t>& which,
                                      bool tracks_inputs);

  /// What can go two ways by data, in either program: the condition of a selection, the greater of two values.
  struct Condition {
    bool is_after = false;
    std::uint32_t node = 0;
    std::size_t seen[2] = {0, 0};  ///< how often: false, true
  };
  [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }
  /// How far the last measured input was from an outcome, in bits; 0 where it had it.
  [[nodiscard]] double distance(const Condition& condition, bool outcome) const;

 private:
  void log_reads(const Candidate& candidate, std::size_t point, ReadLog& log);
  using BoundMachine = Machine<BoundArithmetic>;
  struct Old {
    BoundArithmetic::Value value;
    BoundArithmetic::Converted converted;
    bool is_real = true;
  };
  /// Some decision on the way to an integer is open, other than the conversion that makes it.
  [[nodiscard]] bool is_in_doubt(const Code& code, const OutputPoint& point) const;
  [[nodiscard]] bool run_before(BoundMachine& machine, const std::vector<std::size_t>& which, std::vector<Old>& found,
                                SafetyMeasure& measure);
  void run_after(BoundMachine& machine, const std::vector<std::size_t>& which, const std::vector<Old>& old,
                 SafetyMeasure& measure);
  void compare(std::size_t point, DType dtype, const BoundArithmetic::Value& before,
               const BoundArithmetic::Value& after, SafetyMeasure& measure);
  void note_outcomes(SafetyMeasure& measure);
  [[nodiscard]] bool has_outcome(const Code& code, const std::vector<BoundArithmetic::Sides>& sides, std::uint32_t node,
                                 bool outcome) const;
  [[nodiscard]] double distance_of(const Code& code, const std::vector<BoundArithmetic::Sides>& sides,
                                   std::uint32_t node, bool outcome) const;

  const Code& before_;
  const Code& after_;
  const InputModel& model_;
  const Signature& signature_;
  const SafeRange& range_;
  Budget& budget_;
  Sharing shared_;
  BoundArithmetic arithmetic_;
  BoundArithmetic tracking_{true};
  BoundArithmetic* current_ = nullptr;
  std::vector<Condition> conditions_;
  std::vector<BoundArithmetic::Sides> sides_[2];
};

}  // namespace steptp::certify
