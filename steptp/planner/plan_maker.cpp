// Candidates are tried on sections of a few expressions, as programs of their own: that takes a fraction of the time,
// and costs of groups add. A shortest path over the expressions then chooses which runs become groups. Whatever is
// chosen is replayed on the whole program, where it is checked and judged; nothing here is trusted.
#include "steptp/planner/plan_maker.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"

namespace steptp {

namespace {

/// Moves of a section at their places in the whole program.
std::vector<PlannedMove> shifted(const std::vector<PlannedMove>& moves, std::uint32_t by) {
  std::vector<PlannedMove> out = moves;
  for (PlannedMove& move : out) move.choice.at.items[0] += by;
  return out;
}

/// What the moves make of a program; nothing where one is refused.
std::optional<Moved> moved_by(const Program& program, const std::vector<PlannedMove>& moves) {
  auto moved = replay(program, Plan{{}, {}, moves});
  if (!moved) return std::nullopt;
  return std::move(moved).value();
}

}  // namespace

PlanMaker::PlanMaker(const Program& root, PlanTarget target, DeviceRates rates, PlanningOptions options)
    : root_(root), target_(target), rates_(std::move(rates)), options_(std::move(options)) {
  for (PreparedProgram& prepared : prepared_forms(root)) {
    forms_.push_back({std::move(prepared), {}, {}, false});
    collect(forms_.back());
  }
  try_all();
}

void PlanMaker::collect(Form& form) {
  View view(form.prepared.program);
  Sections sections(view);
  for (std::uint32_t i = 0; i < form.prepared.program.nests.size(); ++i) form.candidates.push_back({{i, 1, {}}, {}});
  for (Proposal& proposal : proposals_for(view, target_)) form.candidates.push_back({std::move(proposal), {}});
  for (const Candidate& candidate : form.candidates) {
    const auto place = std::pair(candidate.proposal.first, candidate.proposal.expressions);
    const auto [known, is_new] = form.sections.try_emplace(place);
    if (is_new) known->second = sections.section(place.first, place.second);
  }
  candidates_ += form.candidates.size();
}

/// A section that cannot be cut out costs nothing as it is, and nothing can be made of it.
void PlanMaker::try_one(const Form& form, Candidate& candidate) const {
  const Proposal& proposal = candidate.proposal;
  const std::optional<Program>& section = form.sections.at({proposal.first, proposal.expressions});
  if (!section) {
    if (proposal.moves.empty()) candidate.seconds = 0;
    return;
  }
  const auto moved = moved_by(*section, proposal.moves);
  if (!moved) return;
  const auto expected = estimate(moved->program, rates_);
  if (expected) candidate.seconds = expected->seconds;
}

void PlanMaker::try_all() {
  std::vector<std::pair<const Form*, Candidate*>> work;
  for (Form& form : forms_) {
    for (Candidate& candidate : form.candidates) work.emplace_back(&form, &candidate);
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::atomic<bool> cut = false;
  const auto run = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) {
      const bool is_kept = work[i].second->proposal.moves.empty();
      if (!is_kept && options_.go_on && !options_.go_on()) {
        cut = true;
        continue;
      }
      try_one(*work[i].first, *work[i].second);
      if (!options_.progress) continue;
      const std::scoped_lock lock(mutex);
      options_.progress(++done, work.size());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options_.jobs; ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  was_cut_ = cut;
}

/// The shortest path from the first expression to behind the last; of equal ones that which was proposed first.
std::optional<PlanMaker::Chain> PlanMaker::cheapest(const Form& form) const {
  const std::size_t count = form.prepared.program.nests.size();
  std::vector<std::optional<Chain>> from(count + 1);
  from[count] = Chain{};
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t number = 0; number < form.candidates.size(); ++number) {
      const Candidate& candidate = form.candidates[number];
      if (candidate.proposal.first != i || !candidate.seconds) continue;
      const auto& rest = from[i + candidate.proposal.expressions];
      if (!rest) continue;
      const double seconds = *candidate.seconds + rest->seconds;
      if (from[i] && from[i]->seconds <= seconds) continue;
      Chain chain{seconds, {number}};
      chain.candidates.insert(chain.candidates.end(), rest->candidates.begin(), rest->candidates.end());
      from[i] = std::move(chain);
    }
  }
  return from[0];
}

bool PlanMaker::pass_check(Form& form, const Chain& chain) const {
  bool passed = true;
  for (const std::size_t number : chain.candidates) {
    Candidate& candidate = form.candidates[number];
    const Proposal& proposal = candidate.proposal;
    const std::optional<Program>& section = form.sections.at({proposal.first, proposal.expressions});
    if (candidate.is_checked || !section) continue;
    candidate.is_checked = true;
    const auto moved = moved_by(*section, proposal.moves);
    const bool is_ok = check_program(moved->program, {target_.device}).verdict == CheckReport::Verdict::ok;
    // What stays as it is may be beyond the device too: then something else has to be made of it.
    if (is_ok) continue;
    candidate.seconds.reset();
    passed = false;
  }
  return passed;
}

std::optional<MadePlan> PlanMaker::compose(Form& form, const Chain& chain) {
  MadePlan out;
  out.plan = {root_hash(root_), std::string(target_.device->name), form.prepared.moves};
  out.prepared = form.prepared.moves.size();
  out.seconds = chain.seconds;
  for (const std::size_t number : chain.candidates) {
    const Candidate& candidate = form.candidates[number];
    out.groups.push_back(
        {candidate.proposal.first, candidate.proposal.expressions, candidate.proposal.moves, *candidate.seconds});
  }
  // From the last: what stands before keeps its place.
  for (std::size_t i = out.groups.size(); i-- > 0;) {
    const auto moves = shifted(out.groups[i].moves, out.groups[i].first);
    out.plan.moves.insert(out.plan.moves.end(), moves.begin(), moves.end());
  }
  auto moved = replay(root_, out.plan);
  if (moved) {
    out.moved = std::move(moved).value();
    return out;
  }
  // A move that is made of the section, and not of the whole: the group is out.
  std::size_t move = out.prepared;
  for (std::size_t i = out.groups.size(); i-- > 0;) {
    move += out.groups[i].moves.size();
    if (moved.error().move > move) continue;
    form.candidates[chain.candidates[i]].seconds.reset();
    return std::nullopt;
  }
  form.is_out = true;
  return std::nullopt;
}

std::optional<MadePlan> PlanMaker::best() {
  while (true) {
    std::optional<Chain> best;
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      if (forms_[i].is_out) continue;
      auto chain = cheapest(forms_[i]);
      if (!chain) forms_[i].is_out = true;
      if (!chain || (best && best->seconds <= chain->seconds)) continue;
      best = std::move(chain);
      last_form_ = i;
    }
    if (!best) return std::nullopt;
    Form& form = forms_[last_form_];
    if (!pass_check(form, *best)) continue;
    last_ = *best;
    if (auto made = compose(form, *best)) return made;
  }
}

void PlanMaker::reject(std::optional<std::size_t> group) {
  Form& form = forms_[last_form_];
  if (group)
    form.candidates[last_.candidates[*group]].seconds.reset();
  else
    form.is_out = true;
}

}  // namespace steptp
