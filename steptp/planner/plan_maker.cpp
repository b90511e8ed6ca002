// Candidates are tried on sections of a few expressions, as programs of their own: that takes a fraction of the time,
// and costs of groups add. A shortest path over the expressions then chooses which runs become groups. Whatever is
// chosen is replayed on the whole program, where it is checked and judged; nothing here is trusted.
#include "steptp/planner/plan_maker.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"

namespace steptp {

namespace {

/// Where a place is this many times its floor, other moves and shorter runs are tried as well.
constexpr double kGoodFactor = 3;

constexpr double kUnwanted = 1e3;  // seconds

/// Moves of a section at their places in the whole program.
std::vector<PlannedMove> shifted(const std::vector<PlannedMove>& moves, std::uint32_t by) {
  std::vector<PlannedMove> out = moves;
  for (PlannedMove& move : out) move.choice.at.items[0] += by;
  return out;
}

/// What the moves make of a program; nothing where one is refused.
std::optional<Program> made_by(const Program& program, const std::vector<PlannedMove>& moves) {
  auto moved = replay(program, Plan{{}, {}, moves}, Tracking::off);
  if (!moved) return std::nullopt;
  return std::move(moved->program);
}

/// Moves that only give each element a thread: for places of which nothing better can be made.
bool is_last_resort(const Proposal& proposal) { return proposal.moves.empty() || proposal.moves.back().move == "map"; }

}  // namespace

PlanMaker::PlanMaker(const Program& root, PlanTarget target, DeviceRates rates, PlanningOptions options)
    : root_(root), target_(target), rates_(std::move(rates)), options_(std::move(options)) {
  std::vector<PreparedProgram> all = prepared_forms(root);
  // Where nothing is inlined but padded images, the program as it came is a form like any other. GPUs take it last: an
  // image in memory costs them a launch.
  has_original_ = all.size() > 1 || !target_.is_cpu();
  if (auto without = form_without_padded_images(all.back())) all.push_back(*std::move(without));
  for (PreparedProgram& prepared : all) {
    forms_.emplace_back();
    forms_.back().prepared = std::move(prepared);
    collect(forms_.back());
  }
}

void PlanMaker::collect(Form& form) {
  const std::size_t places = form.prepared.program.nests.size();
  View view(form.prepared.program);
  Sections sections(view);
  form.families.resize(places);
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> known;
  for (Proposal& proposal : proposals_for(view, target_)) {
    const auto place = std::pair(proposal.first, proposal.expressions);
    const auto [section, is_new] = form.sections.try_emplace(place);
    if (is_new) section->second = sections.section(place.first, place.second);
    if (!section->second) continue;
    std::vector<Family>& families = form.families[proposal.first];
    const auto [family, is_first] = known.try_emplace({proposal.first, proposal.moves.back().move}, families.size());
    if (is_first) families.push_back({{}, is_last_resort(proposal)});
    families[family->second].candidates.push_back(form.candidates.size());
    form.candidates.push_back({std::move(proposal)});
  }
  // Each expression as it is: nothing needs to be made, but it may be beyond the device.
  for (std::uint32_t i = 0; i < places; ++i) {
    const auto [section, is_new] = form.sections.try_emplace({i, 1});
    if (is_new) section->second = sections.section(i, 1);
    form.families[i].push_back({{form.candidates.size()}, true});
    form.candidates.push_back({{i, 1, {}}});
  }
}

bool PlanMaker::goes_on() {
  if (options_.go_on && !options_.go_on()) was_cut_ = true;
  return !was_cut_;
}

/// An expression that cannot be cut out can only stay as it is: nobody wants that who has something else.
void PlanMaker::try_one(Form& form, Candidate& candidate) const {
  const Proposal& proposal = candidate.proposal;
  const std::optional<Program>& section = form.sections.at({proposal.first, proposal.expressions});
  candidate.state = Candidate::State::out;
  if (!section) {
    candidate.state = Candidate::State::possible;
    candidate.seconds = kUnwanted;
    return;
  }
  const auto made = made_by(*section, proposal.moves);
  if (!made) return;
  const auto expected = estimate(*made, rates_);
  if (!expected) return;
  candidate.seconds = expected->seconds;
  candidate.state = Candidate::State::possible;
}

void PlanMaker::try_family(Form& form, const Family& family, bool shorter) {
  std::set<std::uint32_t> done;  // lengths of runs of which one is possible
  for (const std::size_t number : family.candidates) {
    const Candidate& known = form.candidates[number];
    if (known.state == Candidate::State::possible) done.insert(known.proposal.expressions);
  }
  for (const std::size_t number : family.candidates) {
    Candidate& candidate = form.candidates[number];
    if (!done.empty() && (!shorter || done.contains(candidate.proposal.expressions))) continue;
    const bool is_free = candidate.proposal.moves.empty();
    if (candidate.state != Candidate::State::untried || (!is_free && !goes_on())) continue;
    try_one(form, candidate);
    ++tried_;
    if (candidate.state == Candidate::State::possible) done.insert(candidate.proposal.expressions);
  }
}

bool PlanMaker::is_good(const Form& form, std::size_t place) const {
  for (const Family& family : form.families[place]) {
    for (const std::size_t number : family.candidates) {
      const Candidate& candidate = form.candidates[number];
      const Proposal& proposal = candidate.proposal;
      if (candidate.state != Candidate::State::possible) continue;
      const auto& section = form.sections.at({proposal.first, proposal.expressions});
      if (section && candidate.seconds <= kGoodFactor * floor_seconds(*section, rates_)) return true;
    }
  }
  return false;
}

void PlanMaker::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(options_.jobs, count); ++i) threads.emplace_back(take);
  take();
  for (std::thread& thread : threads) thread.join();
  if (options_.progress) options_.progress(tried_);
}

void PlanMaker::expand_at(Form& form, std::size_t place) {
  const std::vector<Family>& families = form.families[place];
  run(families.size(), [&](std::size_t i) {
    // What costs no step is always asked: on a CPU it may be good enough.
    const bool is_free = form.candidates[families[i].candidates[0]].proposal.moves.empty();
    if (is_free || !families[i].is_last_resort) try_family(form, families[i], false);
  });
  if (is_good(form, place)) return;
  run(families.size(), [&](std::size_t i) { try_family(form, families[i], true); });
}

void PlanMaker::expand(Form& form) {
  std::vector<bool> comes_here(form.families.size() + 1, false);
  comes_here[0] = true;
  for (std::size_t i = 0; i < form.families.size(); ++i) {
    if (!comes_here[i]) continue;
    expand_at(form, i);
    for (const Family& family : form.families[i]) {
      for (const std::size_t number : family.candidates) {
        const Candidate& candidate = form.candidates[number];
        if (candidate.state != Candidate::State::possible) continue;
        comes_here[i + candidate.proposal.expressions] = true;
      }
    }
  }
}

bool PlanMaker::tune(Form& form, const Chain& chain) {
  std::vector<Candidate*> untried;
  for (const std::size_t chosen : chain.candidates) {
    const Proposal& proposal = form.candidates[chosen].proposal;
    for (const Family& family : form.families[proposal.first]) {
      const bool is_it =
          std::find(family.candidates.begin(), family.candidates.end(), chosen) != family.candidates.end();
      for (const std::size_t number : family.candidates) {
        Candidate& other = form.candidates[number];
        const bool is_like = is_it && other.proposal.expressions == proposal.expressions;
        if (is_like && other.state == Candidate::State::untried) untried.push_back(&other);
      }
    }
  }
  if (!goes_on()) return false;
  run(untried.size(), [&](std::size_t i) {
    if (!goes_on()) return;
    try_one(form, *untried[i]);
    ++tried_;
  });
  return !untried.empty() && !was_cut_;
}

/// The shortest path from the first expression to behind the last; of equal ones that which was proposed first.
std::optional<PlanMaker::Chain> PlanMaker::cheapest(const Form& form) const {
  const std::size_t count = form.prepared.program.nests.size();
  std::vector<std::optional<Chain>> from(count + 1);
  from[count] = Chain{};
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t number = 0; number < form.candidates.size(); ++number) {
      const Candidate& candidate = form.candidates[number];
      if (candidate.proposal.first != i || candidate.state != Candidate::State::possible) continue;
      const auto& rest = from[i + candidate.proposal.expressions];
      if (!rest) continue;
      const double seconds = candidate.seconds + rest->seconds;
      if (from[i] && from[i]->seconds <= seconds) continue;
      Chain chain{seconds, {number}};
      chain.candidates.insert(chain.candidates.end(), rest->candidates.begin(), rest->candidates.end());
      from[i] = std::move(chain);
    }
  }
  return from[0];
}

bool PlanMaker::pass_check(Form& form, const Chain& chain, const Device* device) {
  bool passed = true;
  for (const std::size_t number : chain.candidates) {
    Candidate& candidate = form.candidates[number];
    const Proposal& proposal = candidate.proposal;
    const std::optional<Program>& section = form.sections.at({proposal.first, proposal.expressions});
    if (candidate.is_checked || !section) continue;
    candidate.is_checked = true;
    const auto made = made_by(*section, proposal.moves);
    const bool is_ok = check_program(*made, {device}).verdict == CheckReport::Verdict::ok;
    // What stays as it is may be beyond the device too: then something else has to be made of it.
    if (is_ok) continue;
    candidate.state = Candidate::State::out;
    passed = false;
  }
  return passed;
}

std::optional<MadePlan> PlanMaker::compose(Form& form, const Chain& chain) {
  MadePlan out;
  out.plan = {root_hash(root_), rates_.name, form.prepared.moves};
  out.prepared = form.prepared.moves.size();
  out.seconds = chain.seconds;
  for (const std::size_t number : chain.candidates) {
    const Candidate& candidate = form.candidates[number];
    out.groups.push_back(
        {candidate.proposal.first, candidate.proposal.expressions, candidate.proposal.moves, candidate.seconds});
  }
  // From the last: what stands before keeps its place.
  for (std::size_t i = out.groups.size(); i-- > 0;) {
    const auto moves = shifted(out.groups[i].moves, out.groups[i].first);
    out.plan.moves.insert(out.plan.moves.end(), moves.begin(), moves.end());
  }
  auto moved = replay(root_, out.plan, Tracking::off);
  if (moved) {
    out.moved = std::move(moved).value();
    return out;
  }
  // A move that is made of the section, and not of the whole: the group is out.
  std::size_t move = out.prepared;
  for (std::size_t i = out.groups.size(); i-- > 0;) {
    move += out.groups[i].moves.size();
    if (moved.error().move > move) continue;
    form.candidates[chain.candidates[i]].state = Candidate::State::out;
    return std::nullopt;
  }
  form.is_out = true;
  return std::nullopt;
}

std::optional<PlanMaker::Chain> PlanMaker::settled(Form& form) {
  while (!form.is_out) {
    expand(form);
    auto chain = cheapest(form);
    form.is_out = !chain;
    if (chain && !tune(form, *chain) && pass_check(form, *chain, target_.device)) return chain;
  }
  return std::nullopt;
}

std::optional<MadePlan> PlanMaker::best() {
  // The forms with most inlined come last; the one as it came is for where the others fail.
  for (const bool is_as_it_came : {false, true}) {
    while (true) {
      std::optional<Chain> best;
      for (std::size_t i = forms_.size(); i-- > 0;) {
        const bool is_original = i == 0 && has_original_ && forms_.size() > 1;
        if (is_original != is_as_it_came) continue;
        auto chain = settled(forms_[i]);
        if (!chain || (best && best->seconds <= chain->seconds)) continue;
        best = std::move(chain);
        last_form_ = i;
      }
      if (!best) break;
      last_ = *std::move(best);
      if (auto made = compose(forms_[last_form_], last_)) return made;
    }
  }
  return std::nullopt;
}

void PlanMaker::reject() { forms_[last_form_].is_out = true; }

void PlanMaker::reject(const std::vector<std::size_t>& groups, bool plainly) {
  Form& form = forms_[last_form_];
  for (const std::size_t group : groups) {
    Candidate& chosen = form.candidates[last_.candidates[group]];
    chosen.state = Candidate::State::out;
    if (!plainly) continue;
    const std::uint32_t first = chosen.proposal.first;
    const std::uint32_t end = first + chosen.proposal.expressions;
    for (Candidate& other : form.candidates) {
      const Proposal& proposal = other.proposal;
      const bool overlaps = proposal.first < end && first < proposal.first + proposal.expressions;
      if (overlaps && !is_last_resort(proposal)) other.state = Candidate::State::out;
    }
  }
}

}  // namespace steptp
