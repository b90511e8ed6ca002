#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/arithmetic/ball_arithmetic.h"
#include "steptp/arithmetic/field_arithmetic.h"
#include "steptp/certify/certify.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/machine.h"
#include "steptp/machine/sharing.h"

namespace steptp::certify {

/// An element of an output.
struct OutputPoint {
  std::string output;
  std::vector<std::int64_t> element;
  bool operator==(const OutputPoint&) const = default;
  auto operator<=>(const OutputPoint&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

struct PointAnswer {
  enum class Kind : std::uint8_t {
    equal,
    differs,
    not_counted,  ///< `before` is not finite or has no value
    undefined,    ///< `after` is not finite or has no value, and `before` is finite
    undecided,
  };
  Kind kind = Kind::undecided;
  bool by_field = false;
  bool is_integer = false;       ///< integers or bools: exact at the point, and no bound for other points
  double bound_log2 = 0;         ///< equal by field
  std::int64_t agree_bits = 0;   ///< equal by balls
  bool lacks_precision = false;  ///< undecided: balls of the greatest precision are too wide
  bool has_no_value = false;     ///< not counted: exact arithmetic does not know the infinity; a machine does
  std::string reason;
  std::string before;
  std::string after;
  /// Equal by field: the prime, and both numbers modulo it.
  std::uint64_t prime = 0;
  std::uint64_t before_residue = 0;
  std::uint64_t after_residue = 0;
};

struct Pair {
  Pair(const Code& old_code, const Code& new_code, std::uint64_t pair_hash)
      : before(old_code), after(new_code), hash(pair_hash), sharing(find_shared(old_code, new_code)) {}
  const Code& before;
  const Code& after;
  std::uint64_t hash = 0;  ///< of both programs: primes depend on it
  Sharing sharing;
};

/// What the second program takes from the first.
enum class Share : std::uint8_t {
  plain,  ///< where no branch is involved: each machine notes its own
  all,    ///< to look for a difference: outcomes are not those of each program
};

/// Two programs at the inputs of one draw. Values are remembered from point to point.
class Comparison {
 public:
  Comparison(const Pair& pair, const InputModel& model, const Draw& draw, const CertifyOptions& options, Budget& budget,
             Share share = Share::plain);

  [[nodiscard]] PointAnswer at(const OutputPoint& point);
  /// Without balls: undecided where the field does not tell.
  [[nodiscard]] PointAnswer quickly_at(const OutputPoint& point);

  /// Adds the outcomes seen so far (Machine::outcomes) to the two lists.
  void collect_outcomes(std::vector<std::uint8_t>& before, std::vector<std::uint8_t>& after) const;
  /// Which way the evaluation of one program goes at a point, in the field; nothing where that fails.
  [[nodiscard]] static std::optional<std::uint64_t> path(const Code& code, const InputModel& model, const Draw& draw,
                                                         const OutputPoint& point, Budget& budget);
  /// The comparisons on the way of one program to a point, and the inputs read there; nothing where that fails.
  [[nodiscard]] static std::optional<Traced> trace(const Code& code, const InputModel& model, const Draw& draw,
                                                   const OutputPoint& point, const CertifyOptions& options,
                                                   Budget& budget, ReadLog* log = nullptr);
  /// The two programs make integers and bools of the same reals, at the points looked at.
  [[nodiscard]] bool converts_alike() const;
  /// The inputs that an element of `before` reads first.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> inputs_of(const OutputPoint& point);
  /// All that both programs read for the element; nothing where that is more than `most` elements, or not known.
  [[nodiscard]] std::optional<GivenInputs> given_inputs(const OutputPoint& point, std::size_t most);

 private:
  /// One arithmetic for both programs: what one of them computed the other one may take.
  template <typename Arithmetic>
  struct Machines {
    template <typename... Arguments>
    Machines(const Pair& pair, const std::vector<std::uint32_t>& same_as, const InputSource& source, Budget& budget,
             Arguments... arguments)
        : arithmetic(arguments...),
          before(pair.before, arithmetic, source, budget),
          after(pair.after, before, same_as) {}
    Arithmetic arithmetic;
    Machine<Arithmetic> before;
    Machine<Arithmetic> after;
  };
  using FieldMachines = Machines<FieldArithmetic>;
  using BallMachines = Machines<BallArithmetic>;

  void make_field();
  /// Nothing decided where the answer's kind is undecided and `next` is set.
  [[nodiscard]] PointAnswer decided_at(const OutputPoint& point);
  /// Writes values that differ with as many digits as it takes to see that they do.
  void tell_apart(const OutputPoint& point, PointAnswer& answer);
  [[nodiscard]] PointAnswer in_field(const OutputPoint& point, bool& needs_balls, bool& needs_prime);
  [[nodiscard]] PointAnswer in_balls(const OutputPoint& point);
  [[nodiscard]] PointAnswer in_balls_of(std::int64_t precision, const OutputPoint& point, bool& needs_precision);
  [[nodiscard]] BallMachines& balls(std::int64_t precision);

  const Pair& pair_;
  InputSource source_;
  const CertifyOptions& options_;
  Budget& budget_;
  const std::vector<std::uint32_t>& same_as_;
  std::uint64_t prime_seed_;
  std::unique_ptr<FieldMachines> field_;
  std::map<std::int64_t, std::unique_ptr<BallMachines>> balls_;
  std::vector<std::uint8_t> seen_before_;
  std::vector<std::uint8_t> seen_after_;
};

}  // namespace steptp::certify
