#pragma once

// How cache_read_write makes its copies: a nest that fills the copy before its uses, or writes it back behind them.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/strategies/footprint.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

enum class CacheForm : std::uint8_t {
  plain,
  fill,   ///< what lies outside of the source is the neutral value, so that uses need no guard
  wide,   ///< f16 and bf16 are kept in f32
  ahead,  ///< two buffers: the next round's data is fetched while this round's is used
};

/// What a request is for. Who asks only whether a step can be made gets no program where that is seen without it.
enum class CachePurpose : std::uint8_t {
  make,
  ask,
  ask_unguarded,  ///< a copy with a guard is of no interest
};

struct CacheRequest {
  PlacedLoop at;                   ///< the level: its body gets the copy
  std::string of;                  ///< a tensor, or the address of an expression
  Placement scope = Scope::local;  ///< with a depth for a copy in s whose rounds may be in flight
  CacheForm form = CacheForm::plain;
  CachePurpose purpose = CachePurpose::make;
  bool points = false;          ///< a dimension for each sum of loops that moves, also inside of // and %
  bool any_expression = false;  ///< not only an if_then_else or a read may be copied
  std::int64_t lanes = 1;       ///< 32: each thread of the kernel will be a unit, which keeps l data in 32 lanes

  [[nodiscard]] Site site() const { return at.site(); }
};

/// The program with the copy in it, and what the facts say.
struct CacheStep {
  Program program;  ///< this and what follows are for those who want to make the step
  std::string cache;
  std::string source;
  std::vector<std::int64_t> extents;  ///< of the copy
  std::vector<Part> uses;             ///< before
  std::vector<Part> added;            ///< after
  bool has_guard = false;             ///< the copy leaves something out, or fills it; known to those who ask, too
  bool is_initialised = false;        ///< the accumulator starts from its identity
  std::size_t dropped = 0;            ///< conditions in guards that the uses do not need any more
};

inline constexpr Precondition kCacheUses = {Check::fact, "uses",
                                            "the tensor is read, or written, in the body of the loop"};
inline constexpr Precondition kCacheBox = {
    Check::fact, "footprint", "what is touched while the loops outside stand still is a box around affine subscripts"};
inline constexpr Precondition kCacheUnchanged = {
    Check::order, "unchanged", "nothing in the body of the loop writes what is copied before its use"};
inline constexpr Precondition kCachePlacement = {
    Check::scope, "placement",
    "copy and uses stand in one kernel; s: outside all thread loops, l: under the same thread loops"};
inline constexpr Precondition kCacheCovered = {Check::fact, "covered",
                                               "all elements copied are in range and have a value"};
inline constexpr Precondition kCacheWhole = {
    Check::fact, "whole",
    "an accumulator that is cached holds nothing from outside the body, which one thread or block makes alone"};
inline constexpr Precondition kCacheSize = {Check::size, "size", "data in s and l fits in the device's memory"};
inline constexpr Precondition kCacheRaces = {Check::order, "races",
                                             "no two threads touch an element that one of them writes"};
inline constexpr Precondition kCacheForm = {
    Check::fact, "form",
    "fill has something to fill and a neutral value, wide is for f16 and bf16, ahead for an L loop, and no value that "
    "an output rounds is rounded before"};

inline constexpr Precondition kCacheDepth = {
    Check::fact, "depth",
    "a depth is from 2 to 5, of a copy in s that an L loop of the kernel makes anew, plain or filled, in each round"};

inline constexpr Precondition kCacheLanes = {
    Check::launch, "lanes",
    "lanes is 1, or 32 in a kernel whose threads may become units: along ty or tz, and none along tx"};

[[nodiscard]] Result<CacheStep, Refusal> plan_cached_read(View& view, const CacheRequest& request);
[[nodiscard]] Result<CacheStep, Refusal> plan_cached_write(View& view, const CacheRequest& request);

// What both share.

/// The loops up to the level, and where the level is an `l` copy also the thread loops between it and the uses: they
/// stand still while the copy is used.
struct CacheLevel {
  std::size_t depth = 0;        ///< loops around the body
  std::set<std::string> still;  ///< their indices, and those of the thread loops
  std::vector<Loop> threads;    ///< thread loops inside, for a copy in `l`
  IndexValues aliases;          ///< what the first use calls the threads that other uses call otherwise

  /// From now on 0 stands for indices of loops around the body that run once: some uses have the one, some the other.
  void join_single_iterations(const Statement& use);
  /// Subscripts in the names of the first use.
  [[nodiscard]] std::vector<Index> in_common_names(std::vector<Index> subscripts) const;
};
/// Statements: those with a use.
[[nodiscard]] Result<CacheLevel, Refusal> cache_level(const CacheRequest& request,
                                                      const std::vector<const Statement*>& statements);

/// A copy that is too large alone, which is known before anything is built.
[[nodiscard]] std::optional<Refusal> refuse_size(const CacheRequest& request, const std::vector<std::int64_t>& extents,
                                                 DType dtype);

/// What is known of a copy before anything is built.
struct PlannedCopy {
  const std::vector<const Statement*>& uses;
  const CacheLevel& level;
  const std::vector<std::int64_t>& extents;
  DType dtype;
};
/// The level stands inside the kernel of the uses, so that copy and uses belong to one launch.
[[nodiscard]] bool is_in_kernel_of_uses(const CacheRequest& request, const PlannedCopy& copy);
/// Whether refuse_cache surely has nothing against the copy: seen from the program before. False says nothing.
[[nodiscard]] bool is_plainly_placed(View& before, const CacheRequest& request, const PlannedCopy& copy);

/// What the result has to satisfy, looked at when it is there.
[[nodiscard]] std::optional<Refusal> refuse_cache(View& before, const Program& after, const CacheRequest& request,
                                                  const std::string& cache);

/// A guard around a statement of the body reads data, which may be what is copied: only rewriting shows what becomes of
/// it.
[[nodiscard]] bool guards_read_data(View& view, const CacheRequest& request);

/// A program of some expressions of another; the others are empty, so that addresses stay as they are. Analyses of it
/// cost a fraction, where the rest plays no part.
[[nodiscard]] Program only_expressions(const Program& program, const std::set<std::uint32_t>& expressions);

/// The refusal that a subscript would not fit.
[[nodiscard]] Refusal refuse_large(const CacheRequest& request);

/// The position, among the items of a body, of the first (last) that holds one of the statements.
[[nodiscard]] std::size_t item_of(const CacheRequest& request, const Statement& statement);

}  // namespace steptp
