#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// The numbers that stand for a version: of its value, and of where it has none (kHarmless: it always has one).
struct VersionNumbers {
  std::uint32_t value = 0;
  std::uint32_t hazard = kHarmless;
};

/// Which writes reach a read: the last before it that surely ran, and those that may have run since.
class ReachingWrites : private FlowRoom {
 public:
  explicit ReachingWrites(FlowParts& parts) : FlowRoom(parts) {}

  /// What an element holds when `reader` reads it, or at the end (kEnd) once so many of its writers have run.
  [[nodiscard]] Value resolve(const std::string& tensor, const std::vector<Affine>& element, std::size_t reader,
                              const std::vector<Affine>& loops, std::size_t writers);
  /// A new question, not one inside of another.
  void begin() { depth_ = 0; }
  /// What was found so far speaks of what is not so any more.
  void forget_values() { done_.clear(); }
  /// A version that is read as `definition(number)` from now on.
  void set_number(const Version& version, VersionNumbers numbers);
  void forget_numbers() { numbers_.clear(); }

 private:
  /// A read, as far as its value depends on it.
  struct ReadAt {
    const std::string& tensor;
    const std::vector<Affine>& element;
    std::size_t reader = kEnd;  ///< kEnd where no writer stands in the reader's nest
    const std::vector<Affine>& loops;
    std::size_t writers = 0;
  };
  /// The writes that may be the last, latest first.
  struct Candidates {
    std::vector<CandidateWrite> writes;
    std::vector<CandidateWrite> not_in_round;  ///< that wrote in an earlier round of an outer loop, if at all
    bool accumulates = false;
  };
  struct Key {
    std::string tensor;
    std::size_t reader;
    std::size_t writers;
    std::vector<AffineId> element;
    std::vector<AffineId> loops;
    std::uint32_t knowledge;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
  };

  [[nodiscard]] std::optional<Value> numbered(const ReadAt& read);
  [[nodiscard]] Candidates candidates_of(const ReadAt& read);
  void expect_begun(const Candidates& candidates, const ReadAt& read);
  [[nodiscard]] Value chosen(const Candidates& candidates, const ReadAt& read);
  [[nodiscard]] std::optional<CandidateWrite> latest(std::size_t writer, const std::vector<Affine>& element,
                                                     std::size_t reader, const std::vector<Affine>& loops);
  /// The candidate of a writer whose iterations are known but for `solved.unknown`, of which the last ones count.
  [[nodiscard]] CandidateWrite with_last_rounds(std::size_t writer, const SolvedWrite& solved, Substitution chosen,
                                                std::vector<ConditionId> conditions);
  /// A buffer whose places are used in turn, E_{(a+1)%2}: which earlier round of the loop wrote the place that is read.
  /// Nothing where the writer is not of this kind.
  [[nodiscard]] std::optional<CandidateWrite> rotating(std::size_t writer, const std::vector<Affine>& element,
                                                       const Place& where, const std::vector<Affine>& loops);
  /// One of the earlier candidates wrote the element in the round of the outer loops at hand, so that their earlier
  /// rounds do not matter where the rotating one did not write.
  [[nodiscard]] bool is_begun_in_round(const CandidateWrite& rotating, const std::vector<CandidateWrite>& earlier,
                                       const std::vector<Affine>& loops);
  void sort_latest_first(std::vector<CandidateWrite>& candidates);
  [[nodiscard]] bool is_later(const CandidateWrite& left, const CandidateWrite& right);

  std::map<Version, VersionNumbers> numbers_;
  std::map<Key, Value> done_;
  int depth_ = 0;
};

}  // namespace steptp::forms
