#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/probe.h"
#include "replay/whole.h"

namespace steptp::replayer {

/// Looks at whole programs where conditions hold that hardly any input meets: all parts of a conjunction, one after the
/// other, each by the element of an input that moves it. Steps of functions and what is flat close by are met by
/// larger steps, peaks by going up to them.
class ConditionClimb {
 public:
  ConditionClimb(const Certificate& certificate, WholeCheck& whole, std::uint64_t seed)
      : certificate_(certificate), whole_(whole), seed_(seed), numbers_(kPrime) {}

  /// Throws Refused where the programs differ at one of them. Looks into the first elements, within so many steps.
  void run(const Variable& output, const std::vector<std::vector<std::int64_t>>& elements, std::uint64_t budget);
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  struct Point {
    Probe probe;
    WholeCheck::Seen seen;
  };
  /// A condition of one of the programs, by its number in the evaluation, and what its parts are to be.
  struct Target {
    std::size_t program = 0;
    std::size_t number = 0;
    const Expr* expr = nullptr;
    std::vector<bool> wanted;
    std::vector<bool> counts;  ///< which of the parts are asked for
  };
  struct Score {
    std::size_t met = 0;
    std::size_t first_open = 0;
    long double gap = 0;  ///< of the first part that is not met
  };

  [[nodiscard]] Point look(Probe probe);
  [[nodiscard]] std::vector<Target> targets_at(const Point& point) const;
  void pursue(Point point, const Target& target);
  /// One coordinate moved so that more is met; false where none does.
  bool improve(Point& point, const Target& target);
  bool moves(const Point& point, const Target& target, const Coordinate& coordinate, std::size_t part);
  /// `is_known`: a small step moves the part.
  bool improve_along(Point& point, const Target& target, const Coordinate& coordinate, const Score& score,
                     bool is_known);
  bool try_value(Point& point, const Target& target, const Coordinate& coordinate, const Value& value,
                 const Score& score, bool is_irrational = false);
  bool go_up(Point& point, const Target& target, const Coordinate& coordinate, const Score& score);
  [[nodiscard]] std::optional<Score> score_of(const Point& point, const Target& target) const;
  [[nodiscard]] const AskedCondition* condition_of(const Point& point, const Target& target) const;
  [[nodiscard]] std::vector<Coordinate> coordinates_of(const Point& point) const;
  [[nodiscard]] std::vector<Value> far_values(const Coordinate& coordinate) const;
  [[nodiscard]] bool is_over() const { return looks_ >= most_looks_; }

  static constexpr std::size_t kElements = 2;
  static constexpr std::size_t kMostTargets = 6;
  static constexpr std::uint64_t kMostLooks = 700;        ///< into an element
  static constexpr std::uint64_t kMostTargetLooks = 500;  ///< for a condition

  const Certificate& certificate_;
  WholeCheck& whole_;
  std::uint64_t seed_;
  Numbers numbers_;
  const Variable* output_ = nullptr;
  std::uint64_t budget_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t most_looks_ = 0;
  std::set<const Expr*> pursued_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::vector<bool>> moves_;  ///< of the target's parts
  std::deque<Point> open_;
};

}  // namespace steptp::replayer
