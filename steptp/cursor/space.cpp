#include "steptp/cursor/space.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/cursor/sentence.h"
#include "steptp/safety/check.h"

namespace steptp::cursor {

namespace {

/// Groups of more are only those that are proposed as a whole: attention.
constexpr std::uint32_t kMostExpressions = 8;

Result<std::vector<Token>, std::string> words_of(const Program& program, const Target& target) {
  auto out = encode_program(program);
  if (!out) return out;
  const std::vector<Token> device = encode_target(target);
  out->insert(out->end(), device.begin(), device.end());
  return out;
}

}  // namespace

Result<Target, std::string> find_target(std::string_view name) {
  auto rates = find_rates(name);
  if (!rates) return rates.error();
  return Target{plan_target(*rates), *std::move(rates)};
}

Space::Space(const Program& root, Target target, PreparedProgram prepared)
    : root_(root),
      target_(std::move(target)),
      prepared_(std::move(prepared)),
      words_(words_of(root_, target_)),
      view_(prepared_.program),
      sections_(view_) {
  // It was made by these moves a moment ago.
  prepared_recipe_ = std::move(replay(root_, Plan{{}, {}, prepared_.moves}, Tracking::off)->recipe);
  for (Proposal& proposal : proposals_for(view_, target_.limits)) {
    proposals_[{proposal.first, proposal.expressions}].push_back(std::move(proposal));
  }
}

RunStructures& Space::run(Place place) const {
  const auto [entry, is_new] = runs_.try_emplace(place);
  if (is_new) {
    entry->second = std::make_unique<RunStructures>(prepared_.program, place.first, place.second,
                                                    sections_.section(place.first, place.second), proposals_[place],
                                                    target_.limits);
  }
  return *entry->second;
}

const std::vector<Token>& Space::known_lengths(std::uint32_t end) const {
  const auto [entry, is_new] = lengths_.try_emplace(end);
  if (!is_new) return entry->second;
  std::vector<Token> found;
  for (std::uint32_t count = 1; count <= end; ++count) {
    const std::uint32_t first = end - count;
    const auto token = number_token(count);
    if (!token || (count > kMostExpressions && !proposals_.contains({first, count}))) continue;
    if (!run({first, count}).any()) continue;
    if (first == 0 || !known_lengths(first).empty()) found.push_back(*token);
  }
  std::vector<Token>& out = lengths_[end];
  out = std::move(found);
  return out;
}

const std::vector<Token>& Space::lengths(std::uint32_t end) const {
  const std::lock_guard guard(lock_);
  return known_lengths(end);
}

const std::vector<Token>& Space::kinds(std::uint32_t first, std::uint32_t count) const {
  const std::lock_guard guard(lock_);
  return run({first, count}).kinds();
}

const Structure* Space::structure(std::uint32_t first, std::uint32_t count, Token kind) const {
  const std::lock_guard guard(lock_);
  return run({first, count}).structure(kind);
}

Result<SpacePtr, std::string> open_space(const Program& program, const Target& target) {
  if (program.nests.empty()) return std::string("the program has no expressions, so there is nothing to decide");
  const CheckReport report = check_program(program);
  if (report.verdict != CheckReport::Verdict::ok) {
    return std::string("`steptp check` does not find the program ok, so no plan of it could be trusted");
  }
  PreparedProgram prepared = std::move(prepared_forms(program).back());
  if (prepared.program.nests.size() > static_cast<std::size_t>(kExpressionSlots)) {
    return concat("the program has ", prepared.program.nests.size(), " expressions with everything inlined; a cursor ",
                  "takes at most ", kExpressionSlots, ": cut it into parts");
  }
  auto space = std::make_shared<Space>(program, target, std::move(prepared));
  if (space->lengths(space->expressions()).empty()) {
    return concat("no plan of the program passes `check --device ", target.limits.device->name, "`");
  }
  return SpacePtr(std::move(space));
}

const Program& program_of(const Space& space) { return space.root(); }
const Target& target_of(const Space& space) { return space.target(); }

}  // namespace steptp::cursor
