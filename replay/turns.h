#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/probe.h"
#include "replay/whole.h"

namespace steptp::replayer {

/// Looks at whole programs where something in them changes: at the very inputs and indices at which two numbers that
/// are compared are equal, a divisor or the argument of a root is zero, or a number is rounded another way, on both
/// sides of these, and from there on again. They are solved for: along one element of an input, or one index of the
/// output, such a difference is nearly always affine, and its residues show whether it is and where its root lies.
class TurnSearch {
 public:
  TurnSearch(const Certificate& certificate, WholeCheck& whole, std::uint64_t seed)
      : certificate_(certificate), whole_(whole), seed_(seed), numbers_(kPrime) {}

  /// Throws Refused where the programs differ at one of them. Looks into the first elements, with equal parts of the
  /// budget of steps.
  void run(const Variable& output, const std::vector<std::vector<std::int64_t>>& elements, std::uint64_t budget);
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  void explore(const Probe& base);
  void along(const Probe& base, const WholeCheck::Seen& seen, const Coordinate& coordinate);
  [[nodiscard]] std::vector<Coordinate> coordinates_of(const Probe& base, const WholeCheck::Seen& seen) const;
  /// The base with another value of the coordinate; nothing where that is not legal.
  [[nodiscard]] std::optional<Probe> moved(const Probe& base, const Coordinate& coordinate, const Value& value) const;
  [[nodiscard]] std::optional<Probe> stepped(const Probe& base, const Coordinate& coordinate, const Real& step) const;
  /// Whole numbers of the programs and their products: what is divided by one and compared with another changes there;
  /// and the ends of the type, where sums and signs wrap.
  [[nodiscard]] std::vector<Value> values_of_integers(DType dtype) const;
  void try_values(const Probe& base, const WholeCheck::Seen& seen, const Coordinate& coordinate,
                  const std::vector<Value>& values, bool is_irrational = false);
  void look(const Probe& base, WholeCheck::Seen& seen);
  [[nodiscard]] static std::string signs_of(const WholeCheck::Seen& seen);
  [[nodiscard]] bool is_over() const;

  static constexpr std::size_t kElements = 8;
  static constexpr std::uint64_t kMostLooks = 400;  ///< into an element
  static constexpr std::size_t kMostRoots = 24;

  const Certificate& certificate_;
  WholeCheck& whole_;
  std::uint64_t seed_;
  Numbers numbers_;
  const Variable* output_ = nullptr;
  std::uint64_t* budget_ = nullptr;
  std::uint64_t most_looks_ = 0;
  std::uint64_t looks_ = 0;
  std::set<std::string> known_;  ///< ways that the programs went
  std::deque<Probe> open_;
};

}  // namespace steptp::replayer
