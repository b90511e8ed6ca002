#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/asked.h"
#include "replay/check.h"
#include "replay/draws.h"

namespace steptp::replayer {

/// Asks of single elements what equal means: where `before` is a number or an infinity, `after` has that value. Both
/// programs are evaluated from their inputs on, without any cut, at inputs of the replayer's own.
class WholeCheck {
 public:
  explicit WholeCheck(Context& context);

  /// Elements of inputs that are given; all others are drawn.
  struct Given {
    std::map<std::pair<std::string, std::vector<std::int64_t>>, Value> values;
    bool uses_functions = false;  ///< to make them: their residues may be those of unknowns
    bool is_irrational = false;   ///< one of them is made of a square root; a second one may be of another
  };
  /// An element of an output, and the inputs at which it is looked at.
  struct Spot {
    const std::string& output;
    const std::vector<std::int64_t>& element;
    Kind kind = Kind::mixed;
    std::uint64_t seed = 0;
    const Given* given = nullptr;
    bool assumes = true;  ///< what is assumed of inputs holds
    /// Ways of either program that are gone whatever the values say.
    const std::array<std::vector<Met::Way>, 2>* forced = nullptr;
    /// Marks of roundings that come out otherwise.
    const std::set<std::uint64_t>* shifted = nullptr;
    /// Numbers that lie on another side of zero than they do, in both programs.
    const Signs* signs = nullptr;
  };
  /// What a look went by.
  struct Seen {
    struct Read {
      const Variable* variable = nullptr;
      std::vector<std::int64_t> index;
      Value value;
    };
    std::array<std::vector<Real>, 2> turns;  ///< of `before` and of `after`: see Numbers::record_turns
    std::vector<Read> reads;                 ///< of each input the first two elements and the last one
    bool keeps_conditions = false;           ///< asks for what follows
    std::array<AskedConditions, 2> conditions;
    std::vector<Read> all_reads;  ///< the first ones
    bool used_functions = false;
    void read(const Variable& variable, const std::vector<std::int64_t>& index, const Value& value);
  };

  enum class Said : std::uint8_t {
    agrees,
    exempt,     ///< `before` is NaN or has no value
    undecided,  ///< long doubles are too coarse
  };
  /// Throws Refused where the programs differ, or where one has no value and the certificate does not say so.
  Said look(const Spot& spot, std::uint64_t& budget, Seen* seen = nullptr);

  /// Elements at which something of either program begins or ends: found in the programs, not in the certificate.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> edges(const Variable& output);

  struct Tally {
    std::uint64_t agrees = 0;
    std::uint64_t exempt = 0;
    std::uint64_t undecided = 0;
    std::uint64_t obligations = 0;  ///< elements at which the certificate says where there is no value
  };
  [[nodiscard]] const Tally& tally() const { return tally_; }
  /// Throws Undecided where there is an output of which no look told whether the programs agree, though some were had.
  void check_that_looks_tell() const;
  /// Throws Undecided where the looks leave something open: a way through one of the programs that none of them went,
  /// or a condition on indices of which it is not known whether it ever holds.
  void check_that_all_was_met();

 private:
  struct Point;
  /// A look that can be had again.
  struct KeptSpot {
    std::string output;
    std::vector<std::int64_t> element;
    Kind kind = Kind::mixed;
    std::uint64_t seed = 0;
    bool assumes = true;
    Hash ways = 0;  ///< that the program went
    std::array<std::vector<Met::Way>, 2> forced;
    std::set<std::uint64_t> shifted;
    Signs signs;
    std::optional<Given> given;
    [[nodiscard]] Spot spot() const {
      return {output, element, kind, seed, given ? &*given : nullptr, assumes, &forced, &shifted, &signs};
    }
  };
  static constexpr long kFineBits = 4096;
  static constexpr int kMostFineLooks = 12;
  static constexpr std::uint64_t kMostFineSteps = 8000;

  void add_met(const Point& point, const Spot& spot);
  /// Whether the programs agree all the same where this way is gone by force, at one of the inputs at which it is
  /// asked for: what lies behind it is then the same expression.
  [[nodiscard]] bool makes_no_difference(std::size_t program, const Met::Way& way);
  /// The same at one input; nothing where it says nothing.
  [[nodiscard]] std::optional<bool> agrees_by_force(std::size_t program, const Met::Way& way, const KeptSpot& kept);
  /// The same with all questions about the same numbers answered alike, in both programs, at this input and others.
  [[nodiscard]] bool agrees_by_signs(std::size_t program, const Met::Way& way);
  [[nodiscard]] std::optional<bool> agrees_by_sign(std::size_t program, const Met::Way& way, const KeptSpot& kept,
                                                   int sign);
  /// Whether what a look by force says is that the programs agree; nothing where it says nothing.
  [[nodiscard]] std::optional<bool> said_by_force(const Point& point, const Spot& spot, bool may_be_exempt);
  /// Of sides of single numbers that only one program asks: see Met::met_at_single_points.
  void check_single_points();
  /// By element of an input and step: one for each input at which it is looked at.
  using Slopes = std::map<std::pair<std::string, std::int64_t>, std::vector<std::uint64_t>>;
  void add_slopes(std::size_t program, const Place& place, const KeptSpot& kept, Slopes& slopes);
  [[nodiscard]] std::vector<std::int64_t> steps_of(const Value& value) const;
  [[nodiscard]] bool is_affine(std::size_t program, const Place& place);
  /// Both programs at the point.
  void evaluate(Point& point, Seen* seen, std::uint64_t& budget) const;
  /// Whether many bits tell the values apart, where long doubles and residues of functions do not. `steps`: what a look
  /// costs there.
  [[nodiscard]] bool differs_finely(const Spot& spot, std::uint64_t steps, std::uint64_t& budget);
  void check_obligations(Point& point, const std::string& place, std::uint64_t& budget);

  Context& context_;
  std::map<std::string, const Claim*, std::less<>> claims_;
  std::map<std::int64_t, const Claim*> values_;
  std::map<std::string, std::vector<std::vector<std::int64_t>>> edges_;
  std::string undecided_condition_;                              ///< on indices, see Edges
  std::array<Met, 2> met_;                                       ///< of `before` and of `after`, where they agree
  std::array<std::map<Place, std::vector<KeptSpot>>, 2> spots_;  ///< where a way is asked for
  std::uint64_t forced_steps_ = 40'000'000;  ///< that looks may take at which ways are gone by force
  int fine_looks_ = 0;
  std::uint64_t fine_steps_ = 0;
  Tally tally_;
  std::map<std::string, bool> is_told_;  ///< by output, of all that was looked at
};

}  // namespace steptp::replayer
