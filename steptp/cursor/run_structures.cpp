#include "steptp/cursor/run_structures.h"

#include <map>

#include "steptp/cursor/forms.h"
#include "steptp/cursor/tile_structure.h"
#include "steptp/estimate/summary.h"
#include "steptp/moves/tile_match.h"
#include "steptp/safety/check.h"

namespace steptp::cursor {

namespace {

/// Whether moves are made of a section, and what they make passes `check` for the device and can be lowered.
bool works(const Program& section, const std::vector<PlannedMove>& moves, const PlanTarget& target) {
  const auto made = replay(section, Plan{{}, {}, moves}, Tracking::off);
  if (!made) return false;
  return check_program(made->program, {target.device}).verdict == CheckReport::Verdict::ok &&
         estimation::summary_of(made->program).ok();
}

/// The forms of a list that work: of those that are alike the first is made, and speaks for all of them.
std::vector<Form> forms_that_work(const CandidateList& list, const Program& section, const PlanTarget& target) {
  std::vector<Form> out;
  std::map<std::string, bool> known;
  for (const Candidate& candidate : list.candidates) {
    Form form;
    for (const auto& [name, value] : candidate.values) {
      if (const auto token = value_token(value)) form.values.push_back(*token);
    }
    if (form.values.size() != list.parameters.size()) continue;
    const auto [entry, is_new] = known.try_emplace(candidate.alike, false);
    if (is_new) entry->second = works(section, candidate.moves, target);
    if (!entry->second) continue;
    form.moves = candidate.moves;
    out.push_back(std::move(form));
  }
  return out;
}

std::optional<TileLimits> tile_limits(View& view, std::int64_t following, const PlanTarget& target) {
  const Site site = item_site({0});
  const auto what = find_tiled(view, site, following);
  if (!what) return std::nullopt;
  TileLimits out;
  out.bytes = {what->left.element_bytes, what->right.element_bytes, what->element_bytes};
  const Statement& statement = *statement_at(view, site);
  for (std::size_t i = 0; i < what->roles.size(); ++i) {
    const std::int64_t extent = statement.loops[i]->extent;
    if (what->roles[i] == "m") out.rows = extent;
    if (what->roles[i] == "n") out.columns = extent;
    if (what->roles[i] == "k") out.depth = extent;
  }
  out.fewest_threads = target.is_cpu() ? 1 : 32;
  out.widest = (target.is_cpu() ? 64 : 16) / what->element_bytes;
  return out;
}

/// Tiles with everything that works: where vectors or padding are refused, without them.
std::unique_ptr<Structure> tiles_that_work(View& view, const Run& run, const PlanTarget& target) {
  const std::int64_t following = run.count - 1;
  auto limits = tile_limits(view, following, target);
  if (!limits) return nullptr;
  const std::int64_t widest = limits->widest;
  for (const bool has_padding : {true, false}) {
    for (const bool has_vectors : {true, false}) {
      limits->has_padding = has_padding;
      limits->widest = has_vectors ? widest : 1;
      auto out = std::make_unique<TileStructure>(*limits, following);
      const auto examples = out->examples();
      bool all_work = !examples.empty();
      for (const auto& example : examples) all_work = all_work && works(*run.section, out->moves(example), target);
      if (all_work) return out;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::unique_ptr<Structure>> structures_of(const Run& run, const std::vector<Proposal>& proposals,
                                                      const PlanTarget& target) {
  std::vector<std::unique_ptr<Structure>> out;
  if (!run.section) {
    if (run.count == 1)
      out.push_back(std::make_unique<ListedStructure>("as_is", std::vector<std::string_view>{}, std::vector<Form>{{}}));
    return out;
  }
  View view(*run.section);
  for (const CandidateList& list : candidates_of(view, run, proposals, target)) {
    std::vector<Form> forms = forms_that_work(list, *run.section, target);
    if (forms.empty()) continue;
    out.push_back(std::make_unique<ListedStructure>(list.kind, list.parameters, std::move(forms)));
  }
  if (auto tiles = tiles_that_work(view, run, target)) out.push_back(std::move(tiles));
  return out;
}

}  // namespace steptp::cursor
