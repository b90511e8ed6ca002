#include "steptp/cursor/run_structures.h"

#include <algorithm>

#include "steptp/estimate/summary.h"
#include "steptp/moves/tile_match.h"
#include "steptp/planner/section.h"
#include "steptp/safety/check.h"

namespace steptp::cursor {

namespace {

/// The parameters of a candidate as tokens; nothing where the vocabulary lacks one of them.
std::optional<std::vector<Token>> tokens_of(const CandidateList& list, const Candidate& candidate) {
  std::vector<Token> out;
  for (const auto& [name, value] : candidate.values) {
    const auto token = value_token(value);
    if (!token) return std::nullopt;
    out.push_back(*token);
  }
  if (out.size() != list.parameters.size()) return std::nullopt;
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
  out.shared_bytes = target.device->shared_bytes;
  out.widest = (target.is_cpu() ? 64 : 16) / what->element_bytes;
  return out;
}

}  // namespace

namespace {

/// Some moves take expressions along that they find behind them: those would not be of the run alone.
bool is_same_outside(const Program& before, const Program& after, std::uint32_t first, std::uint32_t count) {
  const auto is_same = [](const NestPtr& left, const NestPtr& right) { return equal(*left, *right); };
  const auto behind = static_cast<std::ptrdiff_t>(before.nests.size() - first - count);
  return std::equal(before.nests.begin(), before.nests.begin() + first, after.nests.begin(), is_same) &&
         std::equal(before.nests.end() - behind, before.nests.end(), after.nests.end() - behind, is_same);
}

}  // namespace

std::optional<Program> made_alone(const Program& whole, std::uint32_t first, std::uint32_t count,
                                  const std::vector<PlannedMove>& moves) {
  const auto made = replay(whole, Plan{{}, {}, moves_at(first, moves)}, Tracking::off);
  if (!made) return std::nullopt;
  const std::size_t others = whole.nests.size() - count;
  if (made->program.nests.size() <= others || !is_same_outside(whole, made->program, first, count)) return std::nullopt;
  View view(made->program);
  return Sections(view).section(first, static_cast<std::uint32_t>(made->program.nests.size() - others));
}

RunStructures::RunStructures(const Program& whole, std::uint32_t first, std::uint32_t count,
                             std::optional<Program> section, const std::vector<Proposal>& proposals, PlanTarget target)
    : whole_(whole), first_(first), count_(count), section_(std::move(section)), target_(target) {
  const CandidateList as_is = {"as_is", {}, {{{}, {}, ""}}};
  if (!section_) {
    if (count == 1) all_.push_back({as_is, {{"", true}}, {}, nullptr});
    return;
  }
  if (count == 1) all_.push_back({as_is, {}, {}, nullptr});
  View view(*section_);
  for (CandidateList& list : candidates_of(view, count, proposals, target)) {
    std::erase_if(list.candidates, [&](const Candidate& candidate) { return !tokens_of(list, candidate); });
    all_.push_back({std::move(list), {}, {}, nullptr});
  }
  if (find_tiled(view, item_site({0}), std::int64_t{count_} - 1).ok())
    all_.push_back({{"tile", {}, {}}, {}, {}, nullptr, true});
}

/// Whether the moves are made, and what they make passes `check` for the device and can be lowered.
bool RunStructures::works(const std::vector<PlannedMove>& moves, std::size_t kernels) const {
  // What needs something behind the run is not the run's own.
  if (count_ < whole_.nests.size() && !replay(*section_, Plan{{}, {}, moves}, Tracking::off)) return false;
  const auto made = made_alone(whole_, first_, count_, moves);
  if (!made || (kernels != 0 && made->nests.size() != kernels)) return false;
  return check_program(*made, {target_.device}).verdict == CheckReport::Verdict::ok &&
         estimation::summary_of(*made).ok();
}

bool RunStructures::works(Kind& kind, const Candidate& candidate) const {
  const auto [entry, is_new] = kind.known.try_emplace(candidate.alike, false);
  if (is_new) entry->second = works(candidate.moves, candidate.kernels);
  return entry->second;
}

bool RunStructures::any_of(Kind& kind) {
  if (kind.is_tile) {
    if (!kind.works) make(kind);
    return *kind.works;
  }
  if (!kind.works) {
    kind.works = std::any_of(kind.list.candidates.begin(), kind.list.candidates.end(),
                             [&](const Candidate& candidate) { return works(kind, candidate); });
  }
  return *kind.works;
}

bool RunStructures::any() {
  return std::any_of(all_.begin(), all_.end(), [&](Kind& kind) { return any_of(kind); });
}

const std::vector<Token>& RunStructures::kinds() {
  if (kinds_) return *kinds_;
  std::vector<Token> out;
  for (Kind& kind : all_) {
    if (any_of(kind)) out.push_back(token_of(kind.list.kind));
  }
  std::sort(out.begin(), out.end());
  kinds_ = std::move(out);
  return *kinds_;
}

const Structure* RunStructures::structure(Token kind) {
  for (Kind& one : all_) {
    if (token_of(one.list.kind) != kind || !any_of(one)) continue;
    if (!one.structure) make(one);
    return one.structure.get();
  }
  return nullptr;
}

void RunStructures::make(Kind& kind) {
  if (kind.is_tile) {
    kind.structure = tiles();
    kind.works = kind.structure != nullptr;
    return;
  }
  std::vector<Form> forms;
  for (const Candidate& candidate : kind.list.candidates) {
    if (works(kind, candidate)) forms.push_back({*tokens_of(kind.list, candidate), candidate.moves});
  }
  kind.structure = std::make_unique<ListedStructure>(kind.list.kind, kind.list.parameters, std::move(forms));
}

/// Tiles with everything that works: where vectors or padding are refused, without them.
std::unique_ptr<Structure> RunStructures::tiles() const {
  View view(*section_);
  auto limits = tile_limits(view, std::int64_t{count_} - 1, target_);
  if (!limits) return nullptr;
  const std::int64_t widest = limits->widest;
  for (const bool has_padding : {true, false}) {
    for (const bool has_vectors : {true, false}) {
      limits->has_padding = has_padding;
      limits->widest = has_vectors ? widest : 1;
      auto out = std::make_unique<TileStructure>(*limits, std::int64_t{count_} - 1);
      const auto examples = out->examples();
      const bool all_work =
          !examples.empty() && std::all_of(examples.begin(), examples.end(),
                                           [&](const auto& example) { return works(out->moves(example), 1); });
      if (all_work) return out;
    }
  }
  return nullptr;
}

}  // namespace steptp::cursor
