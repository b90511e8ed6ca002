#pragma once

// Who a search is made of, as interfaces: whoever proposes, whoever judges, and the device. Tests have their own.

#include <optional>
#include <string>

#include "steptp/base/result.h"
#include "steptp/search/tree.h"

namespace steptp::search {

/// What a proposer is asked: at most so many candidates for a node.
struct Question {
  const Tree* tree = nullptr;
  std::size_t node = 0;
  std::size_t wanted = 1;
  std::size_t attempt = 0;  ///< how often the node was asked about before
  std::uint64_t seed = 0;   ///< another one for every question of a search
  bool shows_parent = true;
  Algorithm algorithm = Algorithm::mcts;

  [[nodiscard]] const Node& about() const { return tree->at(node); }
};

/// Why there is no answer. A bad answer is none of these: it has candidates with problems.
struct ProposerFailure {
  std::string message;
  bool cancelled = false;
};

/// Whoever proposes. What it answers must follow from the question alone: a search that was ended goes on later with a
/// new proposer, which has seen nothing.
class Proposer {
 public:
  Proposer() = default;
  Proposer(const Proposer&) = delete;
  Proposer& operator=(const Proposer&) = delete;
  virtual ~Proposer() = default;

  /// What the journal keeps of a question before it is asked: for a model its messages.
  [[nodiscard]] virtual Json question(const Question&) { return {}; }
  [[nodiscard]] virtual Result<Proposals, ProposerFailure> propose(const Question& question) = 0;
};

struct Verdict {
  Outcome outcome = Outcome::undecided;  ///< fresh: equal and safe
  std::string verdict;                   ///< a grade; empty where the judge was not needed
  Json safe;
  std::string reason;
  bool cancelled = false;
};

/// Judges programs; from many threads at a time.
class CandidateJudge {
 public:
  CandidateJudge() = default;
  CandidateJudge(const CandidateJudge&) = delete;
  CandidateJudge& operator=(const CandidateJudge&) = delete;
  virtual ~CandidateJudge() = default;

  /// A whole plan against the root, everything else against its parent.
  [[nodiscard]] virtual Verdict judge(const Tree& tree, const Node& node) = 0;
  /// A winner against the root, with other draws.
  [[nodiscard]] virtual Verdict judge_winner(const Tree& tree, const Node& node) = 0;
};

struct Measured {
  Outcome outcome = Outcome::fresh;
  double seconds = 0;
  double p10 = 0;
  double p90 = 0;
  std::int64_t runs = 1;
  double device_seconds = 0;
  bool unchecked = false;  ///< no element of its outputs could be compared with a certified value
  std::string reason;
  bool is_gone = false;  ///< the device is not there: nothing will be measured
};
[[nodiscard]] Json to_json(const Measured& measured);
[[nodiscard]] Measured measured_from_json(const Json& json);

/// What a winner and the root took, measured once more by turns.
struct FinalTimes {
  Measured root;
  Measured winner;
};

/// Says what programs take.
class SearchDevice {
 public:
  SearchDevice() = default;
  SearchDevice(const SearchDevice&) = delete;
  SearchDevice& operator=(const SearchDevice&) = delete;
  virtual ~SearchDevice() = default;

  /// So many programs are measured at a time, each alone on its place: one for each GPU.
  [[nodiscard]] virtual unsigned places() const { return 1; }
  /// Does beforehand what needs no device: compiles. From any number of threads, of programs that will be measured.
  virtual void get_ready(const Program&) {}
  /// From `places()` threads at a time.
  [[nodiscard]] virtual Measured measure(const Program& program) = 0;
  /// Of a winner with the root by turns; without a root, whose time is known, the winner alone and nothing of the root.
  /// Nothing where measuring again would give the same.
  [[nodiscard]] virtual std::optional<FinalTimes> measure_again(const Program* /*root*/, const Program& /*winner*/) {
    return {};
  }
};

}  // namespace steptp::search
