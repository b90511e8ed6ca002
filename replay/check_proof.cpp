// Confirms a proof: for each value number, the formula in the certificate is compared with what the programs
// compute, at points that the replayer chooses itself, and regions must cover every element. What is tested and what
// is believed is counted and printed. Decision 0014.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "replay/boxes.h"
#include "replay/check.h"
#include "replay/check_facts.h"
#include "replay/climb.h"
#include "replay/draws.h"
#include "replay/form_value.h"
#include "replay/points.h"
#include "replay/proof_table.h"
#include "replay/sample.h"
#include "replay/turns.h"
#include "replay/whole.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"

namespace steptp::replayer {

namespace {

struct Tally {
  std::uint64_t claims = 0;
  std::uint64_t points = 0;
  std::uint64_t by_residue = 0;
  std::uint64_t by_digits = 0;
  std::uint64_t every_element = 0;  ///< claims looked at everywhere
  std::uint64_t sparse = 0;         ///< claims looked at with inputs that are mostly alike
  std::uint64_t vacuous = 0;        ///< claims of which before has no value, or NaN, wherever it was looked at
  std::uint64_t regions = 0;
  std::uint64_t regions_not_found = 0;
};

class ProofCheck {
 public:
  explicit ProofCheck(Context& context) : context_(context), certificate_(context.certificate), facts_(context) {}

  void run() {
    check_table(context_);
    check_references_are_needed(certificate_);
    for (const Claim& claim : certificate_.values) {
      if (claim.is_name()) continue;
      cuts_before_[claim.number] = claim.before;
      cuts_after_[claim.number] = claim.after;
    }
    for (const Claim& claim : certificate_.values) facts_.add(claim);
    for (const Claim& claim : certificate_.values) {
      if (claim.is_name()) {
        check_name(claim);
      } else {
        check_claim(claim);
      }
    }
    for (const Claim& claim : certificate_.outputs) check_claim(claim);
    check_whole();
    facts_.finish();
    report();
  }

 private:
  // Single claims, at points.

  static Real as_real(const Numbers& numbers, const Value& value) {
    return value.is_integer ? numbers.of_integer(value.integer) : value.real;
  }

  static bool has_recurrence(const Claim& claim) {
    bool found = false;
    for (const Region& region : claim.regions) {
      for_each_node(region.form, [&](const Form& node) { found |= node.kind == Form::Kind::recurrence; });
    }
    return found;
  }

  /// What a point said; nothing is asked where before is NaN or has no value.
  enum class Said : std::uint8_t { agrees, exempt, undecided };
  /// With every tensor that has a number standing for itself. A proof may have looked through tensors that its form
  /// does not mention: then those are what the programs compute.
  Said check_point(const Claim& claim, const std::vector<std::int64_t>& element, Kind kind, std::uint64_t seed) {
    const bool is_looked_through = looked_through_.contains(&claim);
    try {
      return check_point(claim, element, kind, seed, is_looked_through);
    } catch (const Refused&) {
      if (is_looked_through) throw;
    }
    const Said said = check_point(claim, element, kind, seed, true);
    looked_through_.insert(&claim);
    return said;
  }

  /// Longer than a screen, because it says in one place what is evaluated and what each way of failing means.
  Said check_point(const Claim& claim, const std::vector<std::int64_t>& element, Kind kind, std::uint64_t seed,
                   bool is_looked_through) {
    Sample sample(certificate_, kind, seed, bits_);
    // The body of a recurrence is written down without cuts, so that all else must be the values themselves too.
    const bool is_whole = has_recurrence(claim);
    std::optional<Evaluator> whole;
    if (is_whole) {
      whole.emplace(context_.before, sample.numbers, sample.sources, context_.budget);
      sample.leaves.uniform = nullptr;
      sample.leaves.value = [&](std::int64_t number, const std::vector<std::int64_t>& index) {
        return whole->version(cuts_before_.at(number)[0], index).real;
      };
    }
    const std::set<std::int64_t> kept =
        is_looked_through ? mentioned_numbers(certificate_, claim) : std::set<std::int64_t>();
    const auto evaluated = [&](const Layout& layout, const std::map<std::int64_t, std::vector<VersionName>>& cuts,
                               const std::vector<VersionName>& versions) {
      sample.sources.cuts.clear();
      for (const auto& [number, names] : is_whole ? std::map<std::int64_t, std::vector<VersionName>>() : cuts) {
        // A tensor may have been copied from another one of the same number: what is claimed is not used.
        if (claim.number >= 0 && number >= claim.number) continue;
        if (is_looked_through && !kept.contains(number)) continue;
        for (const VersionName& name : names) sample.sources.cuts[name] = number;
      }
      std::vector<Real> out;
      Evaluator evaluator(layout, sample.numbers, sample.sources, context_.budget);
      if (claim.number < 0) {
        out.push_back(as_real(sample.numbers, evaluator.output(claim.output, element)));
      } else {
        for (const VersionName& name : versions) {
          try {
            out.push_back(evaluator.version(name, element).real);
          } catch (const Undefined& undefined) {
            // A tensor may be written in parts; nothing is claimed of what is not there yet.
            if (!undefined.is_unwritten) throw;
          }
        }
      }
      return out;
    };
    std::vector<Real> left;
    try {
      left = evaluated(context_.before, cuts_before_, claim.before);
    } catch (const Undefined&) {
      return Said::exempt;
    } catch (const Undecided& undecided) {
      why_undecided_ = undecided.reason;
      return Said::undecided;
    }
    const auto is_nan = [](const Real& value) { return value.kind == Class::nan; };
    if (left.empty() || std::any_of(left.begin(), left.end(), is_nan)) return Said::exempt;
    const std::string place = concat(claim.name(), subscripts(element));
    try {
      const std::vector<Real> right = evaluated(context_.after, cuts_after_, claim.after);
      const auto [form, form_after] = forms_at(claim, element, sample);
      if (claim.number >= 0) FactCheck::look_at(claim, form, sample.numbers, place);
      const bool used_functions = sample.numbers.used_functions();
      for (const Real& value : left) {
        if (!agree(value, form, used_functions, place, "before")) return Said::undecided;
      }
      for (const Real& value : right) {
        if (!agree(value, form_after, used_functions, place, "after")) return Said::undecided;
        if (!agree(left[0], value, used_functions, place, "after")) return Said::undecided;
      }
    } catch (const Undefined& undefined) {
      throw Refused{concat(place, " has a value in before but not in after or in the form: ", undefined.reason)};
    } catch (const Undecided& undecided) {
      why_undecided_ = undecided.reason;
      return Said::undecided;
    }
    tally_.points += 1;
    return Said::agrees;
  }

  bool agree(const Real& value, const Real& form, bool used_functions, const std::string& place, const char* program) {
    switch (compare_values(value, form, used_functions)) {
      case Agreement::by_residue: tally_.by_residue += 1; return true;
      case Agreement::by_digits: tally_.by_digits += 1; return true;
      case Agreement::differs: throw Refused{concat("the form of ", place, " is not what ", program, " computes")};
      case Agreement::not_counted: throw Refused{concat(place, " is not finite in ", program)};
      case Agreement::undecided: break;
    }
    return false;
  }

  /// Of `before` and of `after`.
  std::pair<Real, Real> forms_at(const Claim& claim, const std::vector<std::int64_t>& element, Sample& sample) {
    FormEvaluator evaluator(sample.numbers, sample.leaves, certificate_.names.size(), context_.budget);
    for (std::size_t d = 0; d < element.size(); ++d) evaluator.set(static_cast<std::uint32_t>(d), element[d]);
    const Region* found = nullptr;
    for (const Region& region : claim.regions) {
      if (!evaluator.holds(*region.where)) continue;
      if (found) throw Refused{concat("two regions of ", claim.name(), " hold ", subscripts(element))};
      found = &region;
    }
    if (!found) throw Refused{concat("no region of ", claim.name(), " holds ", subscripts(element))};
    const Real form = evaluator.real(*found->form);
    return {form, found->after ? evaluator.real(*found->after) : form};
  }

  void check_claim(const Claim& claim) {
    const PointSet points = choose_points(claim, certificate_, context_.seed, context_.budget);
    tally_.regions += points.regions;
    tally_.regions_not_found += points.regions_not_found;
    tally_.claims += 1;
    tally_.every_element += points.is_every_element ? 1 : 0;
    auto [said, exempt] = is_large(claim) ? look_sparsely_at(claim, points) : look_at(claim, points);
    if (said + exempt == 0 && is_large(claim)) std::tie(said, exempt) = look_at(claim, points);
    if (said + exempt == 0) {
      // Long doubles were too coarse everywhere.
      constexpr long kManyBits = 512;
      bits_ = kManyBits;
      std::tie(said, exempt) = look_at(claim, points);
      bits_ = 0;
    }
    if (said + exempt == 0) {
      throw Undecided{concat("no point says anything of ", claim.name(), ": ", why_undecided_)};
    }
    tally_.vacuous += said == 0 ? 1 : 0;
  }

  static bool is_large(const Claim& claim) {
    constexpr double kMany = 2e6;
    return std::any_of(claim.regions.begin(), claim.regions.end(),
                       [](const Region& region) { return rounds_of(*region.form) > kMany; });
  }

  /// The points of the regions with inputs that are alike but for a few elements, so that sums over millions of them
  /// can be added up. Nothing where that is too much all the same.
  std::pair<std::uint64_t, std::uint64_t> look_sparsely_at(const Claim& claim, const PointSet& points) {
    constexpr std::uint64_t kTrials = 6;
    constexpr std::uint64_t kMostSteps = 20'000'000;
    const std::uint64_t rest = context_.budget - std::min(context_.budget, kMostSteps);
    context_.budget -= rest;
    std::pair<std::uint64_t, std::uint64_t> out;
    try {
      for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        for (std::size_t i = 0; i < std::min(points.needed, points.elements.size()); ++i) {
          const std::uint64_t seed = combine(combine(context_.seed, trial), i + 5000);
          const Said answer = check_point(claim, points.elements[i], Kind::sparse, seed);
          out.first += answer == Said::agrees ? 1 : 0;
          out.second += answer == Said::exempt ? 1 : 0;
        }
      }
      tally_.sparse += out.first > 0 ? 1 : 0;
    } catch (const Beyond&) {
      out = {};
    }
    context_.budget += rest;
    return out;
  }

  /// How many points agree, and at how many nothing is asked.
  std::pair<std::uint64_t, std::uint64_t> look_at(const Claim& claim, const PointSet& points) {
    std::uint64_t said = 0;
    std::uint64_t exempt = 0;
    std::uint64_t trial = 0;
    const std::uint64_t start = context_.budget;
    for (const Kind kind : kKinds) {
      for (std::size_t i = 0; i < points.elements.size(); ++i) {
        // The first points are those of the regions; the others as long as they are cheap.
        const bool is_needed = kind == kKinds[0] && i < points.needed;
        if (!is_needed && start - context_.budget > kEnoughSteps) break;
        const std::uint64_t seed = combine(combine(context_.seed, static_cast<std::uint64_t>(kind)), ++trial);
        const Said answer = check_point(claim, points.elements[i], kind, seed);
        said += answer == Said::agrees ? 1 : 0;
        exempt += answer == Said::exempt ? 1 : 0;
      }
    }
    return {said, exempt};
  }

  /// A name for a form: its regions cover its elements.
  void check_name(const Claim& claim) const {
    std::vector<FormPtr> conditions;
    for (const Region& region : claim.regions) conditions.push_back(region.where);
    if (!are_leaves_of_a_tree(conditions)) {
      throw Refused{concat("the regions of ", claim.name(), " are not the leaves of a tree of conditions")};
    }
  }

  /// The outputs from their inputs on, at elements that the programs themselves name and at those of the regions: as
  /// far as that is cheap. Then at inputs and elements where something changes.
  void check_whole() {
    WholeCheck whole(context_);
    TurnSearch turns(certificate_, whole, combine(context_.seed, kTurnSeed));
    ConditionClimb climb(certificate_, whole, combine(context_.seed, kTurnSeed));
    std::uint64_t budget = std::min(context_.budget / 2, kMostWholeSteps);
    const std::uint64_t share = budget / certificate_.outputs.size();
    try {
      for (const Claim& claim : certificate_.outputs) {
        const Variable& output = *certificate_.before.signature.find(claim.output);
        const PointSet points = choose_points(claim, certificate_, context_.seed, context_.budget);
        const auto elements = check_elements(whole, output, points, share, budget);
        turns.run(output, elements, kMostTurnSteps);
        climb.run(output, elements, kMostTurnSteps);
      }
    } catch (const Beyond&) {
      was_cut_short_ = true;
    }
    whole.check_that_looks_tell();
    whole.check_that_all_was_met();
    whole_ = whole.tally();
    turns_ = turns.looks() + climb.looks();
  }

  using Elements = std::vector<std::vector<std::int64_t>>;

  /// Each kind of draws gets the same part of the share, and what others have left. Answers with the elements.
  Elements check_elements(WholeCheck& whole, const Variable& output, const PointSet& points, std::uint64_t share,
                          std::uint64_t& budget) {
    Elements elements;
    std::set<std::vector<std::int64_t>> known;
    for (const auto& from : {whole.edges(output), points.elements}) {
      for (const auto& element : from) {
        if (known.insert(element).second) elements.push_back(element);
      }
    }
    const std::uint64_t start = budget;
    std::uint64_t allowed = 0;
    const auto look = [&](Kind kind, bool assumes) {
      allowed += share / (2 * std::size(kAllKinds));
      for (const auto& element : elements) {
        if (start - budget > allowed) break;
        static_cast<void>(
            whole.look({output.name, element, kind, combine(context_.seed, ++trial_), nullptr, assumes}, budget));
      }
    };
    for (const Kind kind : kAllKinds) {
      look(kind, true);
      // What is assumed of an input where it indexes or divides excuses nothing else.
      if (!certificate_.assumes.empty()) look(kind, false);
    }
    return elements;
  }

  void report() {
    Report& out = context_.report;
    out.reproved.push_back(
        concat("the table of value numbers is well founded and reaches all ", certificate_.outputs.size(), " outputs"));
    out.reproved.push_back(
        concat(tally_.regions + tally_.regions_not_found, " regions cover their tensors, each element once"));
    if (tally_.regions_not_found > 0) {
      out.believed.push_back(
          concat("the forms of ", tally_.regions_not_found, " regions of which no element was found"));
    }
    out.retested.push_back(concat("outputs from their inputs on: ", whole_.agrees, " values agree, before has none at ",
                                  whole_.exempt, ", cannot tell at ", whole_.undecided, "; where there is no value at ",
                                  whole_.obligations, "; ", turns_, " looks where something changes",
                                  was_cut_short_ ? "; not all that was wanted" : ""));
    out.retested.push_back(concat(tally_.claims, " normal forms (", tally_.every_element,
                                  " at every element) against both programs at ", tally_.points,
                                  " points: ", tally_.by_residue, " values equal modulo 2^61-1, ", tally_.by_digits,
                                  " in 36 bits and more"));
    if (tally_.sparse > 0) {
      out.retested.push_back(
          concat(tally_.sparse, " of them, sums of millions, with inputs that are alike but for a few"));
    }
    if (tally_.vacuous > 0) {
      out.retested.push_back(concat(tally_.vacuous, " tensors of before are NaN or have no value wherever looked at"));
    }
    out.believed.push_back("that the normal forms hold at all other elements and inputs");
  }

  static constexpr std::uint64_t kEnoughSteps = 1'000'000;
  static constexpr std::uint64_t kMostWholeSteps = 6'000'000;
  static constexpr std::uint64_t kMostTurnSteps = 1'000'000;
  static constexpr std::uint64_t kTurnSeed = 4711;

  Context& context_;
  const Certificate& certificate_;
  FactCheck facts_;
  std::map<std::int64_t, std::vector<VersionName>> cuts_before_;
  std::map<std::int64_t, std::vector<VersionName>> cuts_after_;
  std::set<const Claim*> looked_through_;
  Tally tally_;
  std::string why_undecided_;
  long bits_ = 0;  ///< of a second reckoning, see Numbers
  WholeCheck::Tally whole_;
  std::uint64_t trial_ = 0;
  std::uint64_t turns_ = 0;
  bool was_cut_short_ = false;
};

}  // namespace

void check_proof(Context& context) {
  if (context.certificate.same) {
    if (!same_up_to_renaming(context.certificate.before, context.certificate.after)) {
      throw Refused{"the programs are not the same up to names"};
    }
    context.report.reproved.emplace_back("the programs are the same up to the names of loops and intermediates");
    return;
  }
  if (context.certificate.outputs.empty()) throw Refused{"there is no proof in it"};
  check_no_loss(context);
  ProofCheck(context).run();
}

}  // namespace steptp::replayer
