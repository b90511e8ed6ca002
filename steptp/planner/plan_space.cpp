// Everything is tried on sections of a few expressions, as the planner does it, and costs of groups add. What was
// scored is remembered by its content, never by when it was asked for: a memo changes no answer.
#include "steptp/planner/plan_space.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <utility>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"

namespace steptp {

namespace {

/// What cannot be cut out can only stay as it is; nobody wants that who has something else.
constexpr double kUnwanted = 1e3;  // seconds

std::string text_of(const std::vector<PlannedMove>& moves) {
  return join(moves, ";", [](const PlannedMove& move) { return to_json(move).dump(); });
}

bool is_same(const PlannedGroup& group, const Proposal& proposal) {
  return group.first == proposal.first && group.expressions == proposal.expressions &&
         text_of(group.moves) == text_of(proposal.moves);
}

double total(const std::vector<PlannedGroup>& groups) {
  double out = 0;
  for (const PlannedGroup& group : groups) out += group.seconds;
  return out;
}

PlannedGroup group_of(const Proposal& proposal, double seconds) {
  return {proposal.first, proposal.expressions, proposal.moves, seconds};
}

std::string family_of(const std::vector<PlannedMove>& moves) { return moves.empty() ? "" : moves.back().move; }

/// The same moves with one integer of the last one doubled or halved.
void add_retunes(const PlannedGroup& group, std::vector<Proposal>& out) {
  if (group.moves.empty()) return;
  const Values& values = group.moves.back().choice.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t* value = values[i].second.as_integer();
    if (!value) continue;
    std::vector<std::int64_t> others = {*value * 2};
    if (*value > 1 && *value % 2 == 0) others.push_back(*value / 2);
    for (const std::int64_t other : others) {
      Proposal changed{group.first, group.expressions, group.moves};
      changed.moves.back().choice.values[i].second = other;
      out.push_back(std::move(changed));
    }
  }
}

}  // namespace

PlanSpace::PlanSpace(const Program& root, PlanTarget target, DeviceRates rates, unsigned jobs,
                     const costs::CostModel* model)
    : root_(root), target_(target), rates_(std::move(rates)), jobs_(std::max(1U, jobs)), model_(model) {
  for (PreparedProgram& prepared : prepared_forms(root)) {
    forms_.emplace_back();
    forms_.back().prepared = std::move(prepared);
    collect_basis(forms_.back());
  }
  PlanningOptions options;
  options.jobs = jobs_;
  PlanMaker maker(root_, target_, rates_, options);
  if (auto made = maker.best(); made && !made->plan.moves.empty()) {
    const auto end = made->plan.moves.begin() + static_cast<std::ptrdiff_t>(made->prepared);
    best_ = WholePlan{{made->plan.moves.begin(), end}, std::move(made->groups)};
  }
}

void PlanSpace::run(std::size_t count, const std::function<void(std::size_t)>& work) const {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(jobs_, count); ++i) threads.emplace_back(take);
  take();
}

void PlanSpace::collect_basis(Form& form) {
  View view(form.prepared.program);
  Sections sections(view);
  const auto count = static_cast<std::uint32_t>(form.prepared.program.nests.size());
  std::vector<Proposal> all = proposals_for(view, target_);
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({i, 1, {}});
  std::vector<std::vector<Proposal>> families;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> known;
  for (Proposal& proposal : all) {
    const auto place = std::pair(proposal.first, proposal.expressions);
    const auto [section, is_new] = form.sections.try_emplace(place);
    if (is_new) section->second = sections.section(place.first, place.second);
    if (!section->second && !proposal.moves.empty()) continue;
    const auto [family, is_first] = known.try_emplace({proposal.first, family_of(proposal.moves)}, families.size());
    if (is_first) families.emplace_back();
    families[family->second].push_back(proposal);
    form.proposals.push_back(std::move(proposal));
  }
  std::vector<std::optional<Proposal>> firsts(families.size());
  run(families.size(), [&](std::size_t i) {
    for (const Proposal& proposal : families[i]) {
      if (!score(form, proposal)) continue;
      firsts[i] = proposal;
      return;
    }
  });
  for (auto& first : firsts) {
    if (first) form.basis.push_back(*std::move(first));
  }
}

std::optional<double> PlanSpace::score(const Form& form, const Proposal& proposal) const {
  const std::string key =
      concat(form.prepared.moves.size(), "/", proposal.first, "/", proposal.expressions, "/", text_of(proposal.moves));
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
  }
  std::optional<double> out;
  const auto section = form.sections.find({proposal.first, proposal.expressions});
  if (section == form.sections.end() || !section->second) {
    if (proposal.moves.empty()) out = kUnwanted;
  } else if (auto moved = replay(*section->second, Plan{{}, {}, proposal.moves}, Tracking::off)) {
    const auto expected = costs::expected_seconds(moved->program, rates_, model_);
    const bool fits = check_program(moved->program, {target_.device}).verdict == CheckReport::Verdict::ok;
    if (expected && fits) out = *expected;
  }
  const std::lock_guard lock(mutex_);
  known_[key] = out;
  return out;
}

std::vector<std::optional<double>> PlanSpace::scores(const Form& form, const std::vector<Proposal>& all) const {
  std::vector<std::optional<double>> out(all.size());
  run(all.size(), [&](std::size_t i) { out[i] = score(form, all[i]); });
  return out;
}

std::size_t PlanSpace::scored() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

const PlanSpace::Form& PlanSpace::form_of(const WholePlan& plan) const {
  const std::string wanted = text_of(plan.prepared);
  for (const Form& form : forms_) {
    if (text_of(form.prepared.moves) == wanted) return form;
  }
  return forms_.front();
}

WholePlan PlanSpace::vanilla() const {
  WholePlan out;
  for (std::uint32_t i = 0; i < root_.nests.size(); ++i) out.groups.push_back({i, 1, {}, 0});
  return out;
}

std::optional<std::vector<PlannedGroup>> PlanSpace::complete(const Form& form, std::uint32_t first, std::uint32_t end,
                                                             const Proposal* without) const {
  struct Way {
    double seconds = 0;
    std::vector<PlannedGroup> groups;
  };
  std::vector<std::optional<Way>> from(end - first + 1);
  from.back() = Way{};
  for (std::uint32_t i = end; i-- > first;) {
    for (const Proposal& proposal : form.basis) {
      if (proposal.first != i || i + proposal.expressions > end) continue;
      if (without && proposal.expressions == without->expressions && proposal.first == without->first &&
          text_of(proposal.moves) == text_of(without->moves))
        continue;
      const auto& rest = from[i + proposal.expressions - first];
      const auto seconds = score(form, proposal);
      if (!rest || !seconds) continue;
      auto& best = from[i - first];
      if (best && best->seconds <= *seconds + rest->seconds) continue;
      Way way{*seconds + rest->seconds, {group_of(proposal, *seconds)}};
      way.groups.insert(way.groups.end(), rest->groups.begin(), rest->groups.end());
      best = std::move(way);
    }
  }
  if (!from.front()) return std::nullopt;
  return std::move(from.front()->groups);
}

/// The plan with this group in place of all that overlap it; what is left open between is completed.
std::optional<WholePlan> PlanSpace::with(const Form& form, const WholePlan& from, const PlannedGroup& group) const {
  const std::uint32_t end = group.first + group.expressions;
  std::vector<PlannedGroup> kept;
  for (const PlannedGroup& old : from.groups) {
    // As it came means that nobody has decided anything for it: it is completed too.
    if (!old.moves.empty() && (old.first + old.expressions <= group.first || old.first >= end)) kept.push_back(old);
  }
  kept.push_back(group);
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  WholePlan out{form.prepared.moves, {}};
  std::uint32_t at = 0;
  const auto fill = [&](std::uint32_t until) {
    const auto between = complete(form, at, until, nullptr);
    if (between) out.groups.insert(out.groups.end(), between->begin(), between->end());
    return between.has_value();
  };
  for (const PlannedGroup& one : kept) {
    if (!fill(one.first)) return std::nullopt;
    out.groups.push_back(one);
    at = one.first + one.expressions;
  }
  if (!fill(static_cast<std::uint32_t>(form.prepared.program.nests.size()))) return std::nullopt;
  return out;
}

/// What may be inserted, and other parameters of what is there.
std::vector<Proposal> PlanSpace::near(const Form& form, const WholePlan& from) const {
  std::vector<Proposal> out;
  for (const Proposal& proposal : form.proposals) {
    if (proposal.moves.empty()) continue;
    const bool is_there = std::any_of(from.groups.begin(), from.groups.end(),
                                      [&](const PlannedGroup& group) { return is_same(group, proposal); });
    if (!is_there) out.push_back(proposal);
  }
  for (const PlannedGroup& group : from.groups) add_retunes(group, out);
  return out;
}

void PlanSpace::add_removals(const Form& form, const WholePlan& from, std::vector<PlanEdge>& out) const {
  for (std::size_t i = 0; i < from.groups.size(); ++i) {
    const PlannedGroup& group = from.groups[i];
    if (group.moves.empty()) continue;
    const Proposal removed{group.first, group.expressions, group.moves};
    const auto instead = complete(form, group.first, group.first + group.expressions, &removed);
    if (!instead) continue;
    PlanEdge edge{PlanEdge::Kind::remove, family_of(group.moves), group.first, from, 0};
    auto& groups = edge.plan.groups;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
    groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(i), instead->begin(), instead->end());
    out.push_back(std::move(edge));
  }
}

void PlanSpace::add_other_forms(const WholePlan& from, std::vector<PlanEdge>& out) const {
  if (best_) out.push_back({PlanEdge::Kind::start, "optimize", 0, *best_, 0});
  for (const Form& form : forms_) {
    if (&form == &form_of(from)) continue;
    const auto count = static_cast<std::uint32_t>(form.prepared.program.nests.size());
    auto groups = complete(form, 0, count, nullptr);
    if (!groups) continue;
    const auto kind = form.prepared.moves.empty() ? PlanEdge::Kind::remove : PlanEdge::Kind::insert;
    out.push_back({kind, "inline", 0, {form.prepared.moves, *std::move(groups)}, 0});
  }
}

std::vector<PlanEdge> PlanSpace::edges(const WholePlan& from, std::uint64_t seed, std::size_t most) const {
  const Form& form = form_of(from);
  std::vector<PlanEdge> out;
  add_other_forms(from, out);
  add_removals(form, from, out);
  std::vector<Proposal> all = near(form, from);
  Random random(seed);
  for (std::size_t i = 0; all.size() > most && i < most; ++i) {
    std::swap(all[i], all[i + random.below(all.size() - i)]);
  }
  if (all.size() > most) all.resize(most);
  const auto seconds = scores(form, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!seconds[i]) continue;
    auto plan = with(form, from, group_of(all[i], *seconds[i]));
    if (!plan) continue;
    const bool is_retune = std::any_of(from.groups.begin(), from.groups.end(), [&](const PlannedGroup& group) {
      return group.first == all[i].first && group.expressions == all[i].expressions &&
             family_of(group.moves) == family_of(all[i].moves);
    });
    const auto kind = is_retune ? PlanEdge::Kind::retune : PlanEdge::Kind::insert;
    out.push_back({kind, family_of(all[i].moves), all[i].first, *std::move(plan), 0});
  }
  for (PlanEdge& edge : out) edge.seconds = total(edge.plan.groups);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  std::set<std::string> seen = {to_json(from).dump()};
  std::vector<PlanEdge> unique;
  for (PlanEdge& edge : out) {
    if (seen.insert(to_json(edge.plan).dump()).second) unique.push_back(std::move(edge));
  }
  return unique;
}

WholePlan PlanSpace::random(std::uint64_t seed) const {
  Random random(seed);
  const Form& form = forms_[random.below(forms_.size())];
  WholePlan out{form.prepared.moves, {}};
  const auto count = static_cast<std::uint32_t>(form.prepared.program.nests.size());
  for (std::uint32_t at = 0; at < count;) {
    std::map<std::string, std::vector<const Proposal*>> families;
    for (const Proposal& proposal : form.proposals) {
      if (proposal.first == at) families[family_of(proposal.moves)].push_back(&proposal);
    }
    std::optional<PlannedGroup> group;
    while (!group && !families.empty()) {
      auto family = families.begin();
      std::advance(family, static_cast<std::ptrdiff_t>(random.below(families.size())));
      const std::size_t which = random.below(family->second.size());
      Proposal drawn = *family->second[which];
      auto seconds = score(form, drawn);
      std::vector<Proposal> retuned;
      if (seconds) add_retunes(group_of(drawn, *seconds), retuned);
      if (!retuned.empty() && random.chance(1, 2)) {
        const Proposal& other = retuned[random.below(retuned.size())];
        if (const auto its = score(form, other)) drawn = other, seconds = its;
      }
      if (seconds) group = group_of(drawn, *seconds);
      family->second.erase(family->second.begin() + static_cast<std::ptrdiff_t>(which));
      if (family->second.empty()) families.erase(family);
    }
    if (!group) group = PlannedGroup{at, 1, {}, kUnwanted};
    at += group->expressions;
    out.groups.push_back(*std::move(group));
  }
  return out;
}

}  // namespace steptp
