#include "steptp/exports/trajectory.h"

#include <set>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/sampling.h"
#include "steptp/ir/forms.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"

namespace steptp::dataset {

namespace {

/// Choices tried for one step.
constexpr int kTries = 10;

std::vector<const Strategy*> published() {
  std::vector<const Strategy*> out;
  for (const Strategy* strategy : all_strategies()) {
    if (is_published(*strategy)) out.push_back(strategy);
  }
  return out;
}

/// A state of a walk.
struct State {
  Program program;
  std::string text;
};

class Walk {
 public:
  Walk(const Program& root, std::string key, const NearMissOptions& options)
      : root_(root), key_(std::move(key)), options_(options), seed_(combine(options.seed, hash_text(key_))) {
    known_ = look_at(root_);
    seen_.insert(plain_form_of(root_));
  }

  std::optional<Trajectory> go() {
    const std::size_t wanted = kLeastSteps + mix(seed_) % (kMostSteps - kLeastSteps + 1);
    State state{root_, print(root_)};
    Program before_last;
    std::optional<Trace> last;
    while (out_.steps.size() < wanted) {
      Program before = state.program;
      auto trace = step(state);
      if (!trace) break;
      before_last = std::move(before);
      last = std::move(trace);
    }
    if (out_.steps.size() < kLeastSteps) return std::nullopt;
    const bool wants_slip = mix(combine(seed_, 1)) % 2 == 0;
    if (wants_slip) slip(before_last, state.program, *last);
    return std::move(out_);
  }

 private:
  /// One more right step; its trace, or nothing where none is found.
  std::optional<Trace> step(State& state) {
    const std::size_t number = out_.steps.size();
    View view(state.program);
    const Choices choices = list_choices(published(), view, false);
    ChoiceSampler sampler(choices, Configuration().weights, combine(seed_, number), &state.program);
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const auto choice = sampler.next();
      if (!choice) return std::nullopt;
      auto applied = apply(*choice->strategy, view, choice->choice);
      if (!applied || !seen_.insert(plain_form_of(applied->program)).second || !is_right(applied->program)) continue;
      Trace trace =
          make_trace(*choice->strategy, state.program, choice->choice, *applied, phrasing_of_step(key_, number));
      std::string reasoning = render(trace, state.program, applied->program, Profile::paper);
      out_.recipe.push_back({std::string(choice->strategy->name), choice->choice});
      state = {applied->program, print(applied->program)};
      out_.steps.push_back({state.text, std::string(choice->strategy->name), std::move(reasoning)});
      return trace;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_right(const Program& after) const {
    VerifyOptions options;
    options.budget = Configuration().budget;
    options.proof_work = Configuration().proof_budget;
    options.safety_budget = Configuration().safety_budget;
    options.known = &known_;
    options.seed = seed_;
    const Judgement judgement = verify(root_, after, options);
    return is_equal(judgement.verdict) && !judgement.fills_vacuous && judgement.safe == Shown::yes;
  }

  void slip(const Program& before, const Program& after, const Trace& trace) {
    TrajectoryStep& last = out_.steps.back();
    auto miss = find_near_miss({&before, &after, last.strategy, &trace, key_}, options_);
    if (!miss) return;
    last.leir = miss->leir;
    last.reasoning = miss->reasoning;
    out_.slip = std::move(miss);
  }

  const Program& root_;
  std::string key_;
  const NearMissOptions& options_;
  std::uint64_t seed_;
  KnownBefore known_;
  std::set<Hash> seen_;
  Trajectory out_;
};

}  // namespace

std::uint64_t phrasing_of_step(const std::string& key, std::size_t step) { return combine(hash_text(key), step); }

std::optional<Trajectory> make_trajectory(const Program& root, const std::string& key, const NearMissOptions& options) {
  return Walk(root, key, options).go();
}

}  // namespace steptp::dataset
