// The driver. Whatever comes from outside (answers, verdicts, times) goes through the journal before it is used, and
// everything else follows from it: that is why a search can be ended anywhere and made again from its journal.
#include "steptp/search/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/search/materialise.h"
#include "steptp/search/side_by_side.h"

namespace steptp::search {

namespace {

/// After so many asks in a row without a new sample a search ends.
constexpr std::size_t kMostIdleAsks = 64;
/// A continuation that was only expected counts for this much of what it promises.
constexpr double kPromiseShare = 0.9;

class Driver {
 public:
  Driver(const Document& root, const SearchSetup& setup, Proposer& proposer, CandidateJudge& judge,
         SearchDevice& device, Journal& journal)
      : root_(root), setup_(setup), proposer_(proposer), judge_(judge), device_(device), journal_(journal) {}

  SearchResult run() {
    const auto begun = std::chrono::steady_clock::now();
    if (begin()) {
      FrontierSettings how{setup_.algorithm, setup_.published, [this](const Node& node) { return reward(node); }};
      const auto frontier = make_frontier(how);
      while (!stop_) step(*frontier);
      choose_winner();
    }
    out_.stop = stop_.value_or(Stop::exhausted);
    sum_sessions(begun);
    return std::move(out_);
  }

 private:
  void stop(Stop why, std::string reason = {}) {
    if (stop_) return;
    stop_ = why;
    out_.stop_reason = std::move(reason);
  }

  [[nodiscard]] bool is_replay() const { return journal_.mode() == Journal::Mode::read; }

  /// False where the search cannot go on: it was interrupted, or the journal has no more.
  bool may_go_on() {
    if (is_replay() || (setup_.go_on && !setup_.go_on())) stop(Stop::interrupted);
    return !stop_;
  }

  bool keep(std::string_view kind, std::size_t number, Json value) {
    if (journal_.append(kind, number, std::move(value))) return true;
    stop(Stop::no_journal, journal_.problem() ? journal_.problem()->message : "");
    return false;
  }

  bool begin() {
    Node node;
    node.program = root_.program;
    node.key = program_key(root_.program);
    node.sample = 1;
    node.candidate.edge = "the program as it came";
    node.safe = Json(true);
    out_.samples = 1;
    const std::size_t number = out_.tree.add(std::move(node));
    if (setup_.root_seconds) {
      Node& root = out_.tree.at(number);
      root.seconds = root.p10 = root.p90 = *setup_.root_seconds;
    } else if (!measure_all({number})) {
      return false;
    }
    const Node& root = out_.tree.at(number);
    if (!root.is_fresh()) {
      stop(Stop::no_device, concat("the program as it came cannot be measured: ", root.reason));
      return false;
    }
    out_.curve.push_back({1, root.seconds});
    tell();
    return true;
  }

  void step(Frontier& frontier) {
    if (over_budget()) return;
    const auto ask = frontier.next(out_.tree);
    if (!ask) return stop(frontier.is_finished() ? Stop::finished : Stop::exhausted);
    const auto proposals = answer_to(*ask);
    if (!proposals) return;
    const std::int64_t before = out_.samples;
    const std::vector<std::size_t> nodes = take(*ask, *proposals);
    if (!judge_all(nodes) || !measure_all(fresh_of(nodes))) return abandon(nodes);
    note_best(nodes);
    out_.tree.at(ask->node).asks += 1;
    frontier.learn(out_.tree, *ask, nodes);
    idle_ = out_.samples > before ? 0 : idle_ + 1;
    if (idle_ >= kMostIdleAsks) stop(Stop::no_progress);
    tell();
  }

  /// The search ended in the middle of an answer: what was not reached is no success.
  void abandon(const std::vector<std::size_t>& nodes) {
    for (const std::size_t number : nodes) {
      Node& node = out_.tree.at(number);
      if (!node.is_fresh() || node.seconds > 0) continue;
      node.outcome = Outcome::undecided;
      node.reason = "the search ended before it was judged and measured";
    }
    note_best(nodes);
  }

  bool over_budget() {
    const Budget& budget = setup_.budget;
    if (budget.samples > 0 && out_.samples >= budget.samples) stop(Stop::samples);
    if (budget.device_seconds > 0 && out_.device_seconds >= budget.device_seconds) stop(Stop::device_seconds);
    if (budget.tokens > 0 && out_.tokens >= budget.tokens) stop(Stop::tokens);
    return stop_.has_value();
  }

  std::optional<Proposals> answer_to(const Ask& ask) {
    const auto number = static_cast<std::size_t>(out_.asks);
    const Json* known = journal_.find("answer", number);
    std::optional<Json> fresh;
    if (!known) {
      if (!may_go_on()) return std::nullopt;
      fresh = asked(ask, number);
      if (!fresh) return std::nullopt;
      known = &*fresh;
    }
    out_.asks += 1;
    // An answer that was asked for now is read back from what the journal has: both ways are one.
    auto proposals = proposals_from_json(*known);
    if (!proposals) {
      stop(Stop::no_journal, concat("answer ", number, " cannot be read: ", proposals.error()));
      return std::nullopt;
    }
    out_.scored += proposals->scored;
    out_.tokens += proposals->tokens;
    if (proposals->candidates.size() > ask.candidates) proposals->candidates.resize(ask.candidates);
    return std::move(proposals).value();
  }

  std::optional<Json> asked(const Ask& ask, std::size_t number) {
    Question question{&out_.tree, ask.node, ask.candidates, out_.tree.at(ask.node).asks};
    question.seed = combine(setup_.seed, number);
    question.shows_parent = ask.shows_parent;
    question.algorithm = setup_.algorithm;
    Json row;
    row.set("node", static_cast<std::int64_t>(ask.node)).set("wanted", static_cast<std::int64_t>(ask.candidates));
    if (Json more = proposer_.question(question); !more.is_null()) row.set("asked", std::move(more));
    if (!journal_.find("question", number) && !keep("question", number, std::move(row))) return std::nullopt;
    auto said = proposer_.propose(question);
    if (!said) {
      stop(said.error().cancelled ? Stop::interrupted : Stop::no_proposer, said.error().message);
      return std::nullopt;
    }
    Json answer = to_json(*said);
    if (!keep("answer", number, answer)) return std::nullopt;
    return answer;
  }

  /// Nodes of the candidates, as far as the budget goes.
  std::vector<std::size_t> take(const Ask& ask, const Proposals& proposals) {
    std::vector<std::size_t> out;
    for (const Candidate& candidate : proposals.candidates) {
      if (setup_.budget.samples > 0 && out_.samples >= setup_.budget.samples) break;
      Node node = materialise(root_, setup_.target, out_.tree, ask.node, candidate);
      if (node.is_fresh() || node.outcome == Outcome::invalid) node.sample = ++out_.samples;
      out.push_back(out_.tree.add(std::move(node)));
    }
    return out;
  }

  [[nodiscard]] std::vector<std::size_t> fresh_of(const std::vector<std::size_t>& nodes) const {
    std::vector<std::size_t> out;
    for (const std::size_t node : nodes) {
      if (out_.tree.at(node).is_fresh()) out.push_back(node);
    }
    return out;
  }

  bool judge_all(const std::vector<std::size_t>& nodes) {
    const std::vector<std::size_t> fresh = fresh_of(nodes);
    std::vector<std::size_t> open;
    for (const std::size_t node : fresh) {
      if (!journal_.find("judged", node)) open.push_back(node);
    }
    if (!open.empty() && !may_go_on()) return false;
    const bool done = side_by_side(open, setup_.jobs, [this](std::size_t node) {
      const Verdict verdict = judge_.judge(out_.tree, out_.tree.at(node));
      if (verdict.cancelled) return false;
      if (verdict.outcome == Outcome::fresh) device_.get_ready(*out_.tree.at(node).program);
      Json row;
      row.set("outcome", word_of(verdict.outcome)).set("verdict", verdict.verdict).set("safe", verdict.safe);
      row.set("reason", verdict.reason);
      return journal_.append("judged", node, std::move(row));
    });
    if (!done) {
      stop(journal_.problem() ? Stop::no_journal : Stop::interrupted);
      return false;
    }
    for (const std::size_t node : fresh) apply_verdict(out_.tree.at(node), *journal_.find("judged", node));
    return true;
  }

  static std::string text_at(const Json& row, std::string_view key) {
    const Json* value = row.find(key);
    return value && value->as_string() ? *value->as_string() : std::string();
  }

  static void apply_verdict(Node& node, const Json& row) {
    node.outcome = read_word<Outcome>(text_at(row, "outcome")).value_or(Outcome::undecided);
    node.verdict = text_at(row, "verdict");
    node.reason = text_at(row, "reason");
    if (const Json* safe = row.find("safe")) node.safe = *safe;
  }

  bool measure_all(const std::vector<std::size_t>& nodes) {
    std::vector<std::size_t> open;
    for (const std::size_t node : nodes) {
      if (!journal_.find("timed", node)) open.push_back(node);
    }
    if (!open.empty() && !may_go_on()) return false;
    std::atomic<bool> is_gone = false;
    const bool done = side_by_side(open, device_.places(), [&](std::size_t node) {
      if (setup_.go_on && !setup_.go_on()) return false;
      const Measured measured = device_.measure(*out_.tree.at(node).program);
      // What ended because the user did is no outcome.
      if (setup_.go_on && !setup_.go_on() && measured.outcome != Outcome::fresh) return false;
      if (measured.is_gone) {
        if (!is_gone.exchange(true)) gone_reason_ = measured.reason;
        return false;
      }
      Json row = to_json(measured);
      row.set("key", out_.tree.at(node).key);
      return journal_.append("timed", node, std::move(row));
    });
    if (!done) {
      if (is_gone) stop(Stop::no_device, gone_reason_);
      stop(journal_.problem() ? Stop::no_journal : Stop::interrupted);
      return false;
    }
    for (const std::size_t node : nodes) apply_time(out_.tree.at(node));
    return true;
  }

  void apply_time(Node& node) {
    const Measured measured = measured_from_json(*journal_.find("timed", node.number));
    node.outcome = measured.outcome;
    if (!node.is_fresh()) node.reason = measured.reason;
    node.seconds = measured.seconds;
    node.p10 = measured.p10;
    node.p90 = measured.p90;
    node.runs = measured.runs;
    out_.measured += 1;
    out_.device_seconds += measured.device_seconds;
    if (measured.unchecked && node.is_fresh()) unchecked_.insert(node.number);
  }

  void note_best(const std::vector<std::size_t>& nodes) {
    for (const std::size_t number : nodes) {
      const Node& node = out_.tree.at(number);
      if (!node.candidate.edge.empty()) last_ = concat(node.candidate.edge, ": ", word_of(node.outcome));
      if (!node.is_fresh() || !node.sample || node.seconds >= out_.curve.back().seconds) continue;
      out_.curve.push_back({*node.sample, node.seconds});
    }
  }

  [[nodiscard]] double share_of(double seconds) const {
    const double root = out_.tree.at(0).seconds;
    if (seconds <= 0 || root <= 0 || setup_.floor_seconds <= 0 || setup_.floor_seconds >= root) return 0;
    return std::clamp(std::log(root / seconds) / std::log(root / setup_.floor_seconds), 0.0, 1.0);
  }

  [[nodiscard]] double reward(const Node& node) const {
    const double own = share_of(node.seconds);
    const auto& [expected, promise] = std::pair(node.candidate.expected, node.candidate.promise);
    if (!expected || !promise || *expected <= 0) return own;
    // The model is believed about what a change brings, and not about what the program takes.
    return std::max(own, kPromiseShare * share_of(node.seconds * *promise / *expected));
  }

  void tell() {
    if (setup_.progress) setup_.progress({out_.samples, out_.tree.at(0).seconds, out_.curve.back().seconds, last_});
  }

  /// The fastest node whose judgement against the root holds, and its time beside that of the root.
  void choose_winner() {
    std::vector<std::size_t> order;
    for (const Node& node : out_.tree.nodes()) {
      if (node.is_fresh()) order.push_back(node.number);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return out_.tree.at(a).seconds < out_.tree.at(b).seconds; });
    for (const std::size_t node : order) {
      if (node == 0) break;
      const auto verdict = winner_verdict(node);
      if (!verdict) return;
      const auto outcome = read_word<Outcome>(text_at(*verdict, "outcome"));
      if (outcome != Outcome::fresh) {
        out_.flags.push_back(concat("node ", node, " was faster and did not hold against the root"));
        continue;
      }
      out_.winner = node;
      out_.verdict = text_at(*verdict, "verdict");
      if (const Json* safe = verdict->find("safe")) out_.safe = *safe;
      break;
    }
    if (!out_.winner) {
      out_.winner = 0;
      out_.verdict = "proved";
      out_.safe = Json(true);
    }
    if (unchecked_.contains(*out_.winner)) out_.flags.emplace_back("unchecked");
    final_times();
    const double best = out_.best_seconds();
    if (setup_.floor_seconds > 0 && best < setup_.floor_seconds) out_.flags.emplace_back("below-floor");
  }

  const Json* winner_verdict(std::size_t node) {
    if (const Json* known = journal_.find("winner", node)) return known;
    if (is_replay() || stop_ == Stop::interrupted || stop_ == Stop::no_journal) return unjudged(node);
    const Verdict verdict = judge_.judge_winner(out_.tree, out_.tree.at(node));
    if (verdict.cancelled) return unjudged(node);
    Json row;
    row.set("outcome", word_of(verdict.outcome)).set("verdict", verdict.verdict).set("safe", verdict.safe);
    row.set("reason", verdict.reason);
    if (!keep("winner", node, std::move(row))) return nullptr;
    return journal_.find("winner", node);
  }

  /// An interrupted search has a best node all the same; that it was judged against its parent only is said.
  const Json* unjudged(std::size_t node) {
    out_.winner = node;
    out_.verdict = out_.tree.at(node).verdict;
    out_.safe = out_.tree.at(node).safe;
    out_.flags.emplace_back("winner-not-judged-again");
    return nullptr;
  }

  void final_times() {
    const std::size_t node = *out_.winner;
    const Json* known = journal_.find("final", node);
    if (!known) {
      if (node == 0 || is_replay() || stop_ == Stop::interrupted || stop_ == Stop::no_journal) return;
      const Program* root = setup_.root_seconds ? nullptr : &*out_.tree.at(0).program;
      auto times = device_.measure_again(root, *out_.tree.at(node).program);
      if (!times || (setup_.go_on && !setup_.go_on())) return;
      if (setup_.root_seconds) times->root.seconds = times->root.p10 = times->root.p90 = *setup_.root_seconds;
      Json row;
      row.set("root", to_json(times->root)).set("winner", to_json(times->winner));
      if (!keep("final", node, std::move(row))) return;
      known = journal_.find("final", node);
    }
    FinalTimes times{measured_from_json(*known->find("root")), measured_from_json(*known->find("winner"))};
    if (times.winner.outcome == Outcome::fresh && times.root.outcome == Outcome::fresh) {
      out_.final_times = std::move(times);
    } else {
      out_.flags.emplace_back("not-measured-again");
    }
  }

  void sum_sessions(std::chrono::steady_clock::time_point begun) {
    if (!setup_.with_clock) return;
    std::size_t session = 0;
    for (; const Json* known = journal_.find("session", session); ++session) out_.clock_seconds += known->number();
    if (is_replay()) return;
    const double own = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (journal_.append("session", session, own)) out_.clock_seconds += own;
  }

  const Document& root_;
  const SearchSetup& setup_;
  Proposer& proposer_;
  CandidateJudge& judge_;
  SearchDevice& device_;
  Journal& journal_;
  SearchResult out_;
  std::optional<Stop> stop_;
  std::size_t idle_ = 0;
  std::set<std::size_t> unchecked_;
  std::string gone_reason_;
  std::string last_;
};

}  // namespace

SearchResult run_search(const Document& root, const SearchSetup& setup, Proposer& proposer, CandidateJudge& judge,
                        SearchDevice& device, Journal& journal) {
  return Driver(root, setup, proposer, judge, device, journal).run();
}

}  // namespace steptp::search
