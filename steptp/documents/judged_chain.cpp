#include "steptp/documents/judged_chain.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// Operations of evaluation for what is more than a step: most pairs are proved without any, and what is not shown with
/// these is left to its parts, which are easier.
constexpr std::uint64_t kEvaluationsOfSeveral = 12'000'000;

class ChainJudge {
 public:
  ChainJudge(const Document& root, const ApartOptions& how, std::vector<Program> programs)
      : root_(root), how_(how), programs_(std::move(programs)) {}

  JudgedChain judge(std::vector<std::size_t> cuts) {
    const std::size_t steps = programs_.size() - 1;
    out_.program = programs_.back();
    out_.steps = steps;
    out_.end = asked(0, steps, Ask::whole);
    const bool is_answered = is_equal(out_.end.verdict) || out_.end.verdict == Grade::differs ||
                             out_.end.verdict == Grade::invalid || out_.end.cancelled || steps == 0;
    if (is_answered) {
      add({1, steps, out_.end});
      return std::move(out_);
    }
    cuts.push_back(steps);
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
      if (cut <= from || cut > steps) continue;
      if (!judge_part(from, cut)) return std::move(out_);
      from = cut;
    }
    // `safe` does not pass along a chain.
    out_.end = asked(0, steps, Ask::whole_by_steps);
    return std::move(out_);
  }

 private:
  enum class Ask : std::uint8_t { step, part, whole, whole_by_steps };

  ApartAnswer asked(std::size_t from, std::size_t to, Ask ask) {
    ApartOptions how = how_;
    if (ask != Ask::step) how.judge.budget = std::min(how.judge.budget, kEvaluationsOfSeveral);
    if (ask == Ask::step || ask == Ask::part) how.judge.safety_budget = 0;
    how.judge.equal_by_steps = ask == Ask::whole_by_steps;
    const std::string id = to - from == programs_.size() - 1
                               ? root_.program.name
                               : concat(root_.program.name, " steps ", from + 1, " to ", to);
    return judge_programs(root_, programs_[from], programs_[to], id, how);
  }

  void add(JudgedLink link) {
    out_.worst = worse_of(out_.worst, link.answer.verdict);
    if (const auto bound = bound_of(link.answer)) chances_.push_back(*bound);
    out_.bound_log2 = sum_of_chances(chances_);
    out_.links.push_back(std::move(link));
  }

  bool judge_part(std::size_t from, std::size_t to) {
    const bool is_step = to == from + 1;
    ApartAnswer answer = asked(from, to, is_step ? Ask::step : Ask::part);
    const bool is_shown = is_equal(answer.verdict);
    if (is_shown || is_step || answer.cancelled) {
      out_.end.cancelled = answer.cancelled;
      add({from + 1, to, std::move(answer)});
      return is_shown;
    }
    const std::size_t middle = from + (to - from) / 2;
    return judge_part(from, middle) && judge_part(middle, to);
  }

  const Document& root_;
  const ApartOptions& how_;
  std::vector<Program> programs_;
  std::vector<double> chances_;
  JudgedChain out_;
};

/// "step 3 of 7", "steps 1 to 7 of 7", "no steps"
std::string steps_text(const JudgedLink& link, std::size_t steps) {
  if (steps == 0) return "no steps";
  if (link.first == link.last) return concat("step ", link.first, " of ", steps);
  return concat("steps ", link.first, " to ", link.last, " of ", steps);
}

}  // namespace

Result<JudgedChain, Stopped> judge_chain(const Document& root, const Recipe& recipe,
                                         const std::vector<std::size_t>& cuts, const ApartOptions& how) {
  std::vector<Program> programs = {root.program};
  for (std::size_t i = 0; i < recipe.size(); ++i) {
    auto replayed = replay(programs.back(), Recipe{recipe[i]});
    if (!replayed) return Stopped{i + 1, recipe[i].strategy, replayed.error().refusal};
    programs.push_back(std::move(replayed->program));
  }
  return ChainJudge(root, how, std::move(programs)).judge(cuts);
}

std::string JudgedChain::certificate(const std::string& id) const {
  if (links.size() == 1) return links[0].answer.certificate;
  if (!is_equal(worst)) return {};
  Json::Array parts;
  for (const JudgedLink& link : links) {
    const auto part = parse_json(link.answer.certificate);
    if (!part) return {};
    parts.push_back(*part);
  }
  Json out;
  out.set("format", "steptp-certificate-chain-1").set("id", id).set("verdict", name_of(worst));
  out.set("bound_log2", bound_log2 ? Json(*bound_log2) : Json());
  const auto copied = [&](const char* key, const Json& from) { out.set(key, *from.find(key)); };
  copied("signature", parts.front());
  copied("before", parts.front());
  copied("after", parts.back());
  return out.set("links", std::move(parts)).dump() + "\n";
}

Json to_json(const JudgedChain& judged) {
  Json::Array links;
  for (const JudgedLink& link : judged.links) {
    Json entry;
    entry.set("first", link.first).set("last", link.last).set("verdict", name_of(link.answer.verdict));
    const auto bound = bound_of(link.answer);
    links.push_back(entry.set("bound_log2", bound ? Json(*bound) : Json()).set("reason", link.answer.reason));
  }
  Json out;
  out.set("leir", print(judged.program)).set("steps", judged.steps).set("links", std::move(links));
  out.set("worst", name_of(judged.worst)).set("bound_log2", judged.bound_log2 ? Json(*judged.bound_log2) : Json());
  const Json* safe = judged.end.answer.find("safe");
  out.set("verdict", name_of(judged.verdict())).set("safe", safe ? *safe : Json());
  return out.set("end", judged.end.answer);
}

std::string to_text(const JudgedChain& judged) {
  std::string out;
  for (const JudgedLink& link : judged.links) {
    append(out, steps_text(link, judged.steps), ": ", name_of(link.answer.verdict), chance_text(bound_of(link.answer)),
           "\n");
    if (!link.answer.reason.empty()) append(out, "  ", link.answer.reason, "\n");
  }
  if (judged.links.size() > 1) {
    append(out, "all links: ", name_of(judged.worst), chance_text(judged.bound_log2), "\n");
    append(out, "end against root: ", name_of(judged.end.verdict), "\n");
  }
  append(out, "verdict: ", name_of(judged.verdict()));
  if (is_equal(judged.verdict())) append(out, ", ", safety_text(judged.end));
  return out + "\n";
}

}  // namespace steptp
