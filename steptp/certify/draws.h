#pragma once

#include <cstdint>
#include <vector>

#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Special draws are compared at this many elements of each output.
inline constexpr std::size_t kSpecialPoints = 6;

/// The inputs at which two programs are compared, at the elements that were chosen and at some that a draw asks for.
class Draws {
 public:
  explicit Draws(Inquiry& inquiry)
      : pair_(inquiry.pair), points_(inquiry.points), findings_(inquiry.findings), ways_(inquiry.ways) {}

  /// Random inputs: the only ones that count towards the error bound.
  [[nodiscard]] Progress generic();
  /// Masks of whole rows and columns, which random bools do not make.
  [[nodiscard]] Progress patterns_of_bools();
  /// Elements of masked inputs at -inf: some, whole rows, all.
  [[nodiscard]] Progress hidden_elements();
  /// Every kind of special draw that is wanted, with several seeds.
  [[nodiscard]] Progress special();
  /// Lets single elements win, one at a time, in what takes the greatest or least of many.
  [[nodiscard]] Progress peaks();
  /// Compares the programs close to where one of them changes its way: between two draws at which a program goes
  /// different ways, the change is found by bisection. A comparison that is a little off shows there and hardly
  /// anywhere else.
  [[nodiscard]] Progress edges_of_data();
  /// Where `before` is finite at special draws only, a few of these say nothing: more generic draws, or undecided.
  [[nodiscard]] Progress make_solid();

  /// One draw at given elements, which are added to those that were chosen.
  [[nodiscard]] Progress at_all(const std::vector<OutputPoint>& points, DrawKind kind, std::uint64_t trial);

 private:
  [[nodiscard]] Progress special(const Draw& draw);
  [[nodiscard]] Progress generic(std::uint32_t trial, bool only_weak);
  [[nodiscard]] Progress edge_of_data(const Code& code, const OutputPoint& point, std::uint64_t seed);

  JudgedPair& pair_;
  OutputPoints& points_;
  Findings& findings_;
  ShownWays& ways_;
};

}  // namespace steptp::certify
