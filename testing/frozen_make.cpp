// Steps of all strategies over the zoo, drawn and written down as texts.
#include <algorithm>
#include <array>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/frozen_pairs.h"

namespace steptp::testing {

namespace {

constexpr std::uint64_t kStates = 4;        ///< of a walk
constexpr std::uint64_t kFirstChoices = 3;  ///< steps that are written on a program of the zoo
constexpr std::uint64_t kLaterChoices = 2;  ///< and on each state that is reached from it
constexpr std::uint64_t kEnough = 300;      ///< steps of each strategy, where so many are to be had
constexpr std::uint64_t kFillRounds = 12;   ///< through the zoo in search of strategies that have fewer
constexpr std::uint64_t kTypesPerComposition = 4;
/// What is left for strategies that are seldom offered, of a hundred pairs.
constexpr std::uint64_t kFillPercent = 15;
constexpr std::array<DType, 3> kTypes = {DType::f16, DType::f32, DType::f64};

struct Origin {
  std::string type;  ///< "composition" where it is none of the types
  Json facts;        ///< type, args, dtype
  Program program;
};

class Maker {
 public:
  Maker(std::uint64_t seed, std::uint64_t count, std::ofstream file)
      : seed_(seed), count_(count), file_(std::move(file)) {
    options_.compositions_percent = 100;
  }

  void run() {
    const std::uint64_t share = count_ - count_ * kFillPercent / 100;
    std::uint64_t round = 0;
    for (; written_ < share; ++round) through_the_zoo(round, all_strategies(), share);
    for (std::uint64_t i = 0; i < kFillRounds; ++i, ++round) {
      const auto seldom = written_less_than(kEnough);
      if (!seldom.empty()) through_the_zoo(round, seldom, count_);
    }
    for (; written_ < count_; ++round) through_the_zoo(round, all_strategies(), count_);
  }

  void print_table() const {
    for (const Strategy* strategy : all_strategies()) {
      const auto found = rows_.find(strategy->name);
      std::cout << std::left << std::setw(38) << strategy->name << std::right << std::setw(7)
                << (found == rows_.end() ? 0 : found->second.steps) << std::setw(6)
                << (found == rows_.end() ? 0 : found->second.types.size()) << " types\n";
    }
    std::cout << written_ << " steps on " << types_.size() << " types, " << later_ << " of them on later states\n";
  }

 private:
  struct Row {
    std::uint64_t steps = 0;
    std::set<std::string> types;
  };

  [[nodiscard]] std::vector<const Strategy*> written_less_than(std::uint64_t number) {
    std::vector<const Strategy*> out;
    for (const Strategy* strategy : all_strategies()) {
      if (rows_[strategy->name].steps < number) out.push_back(strategy);
    }
    return out;
  }

  /// Every type at a shape of its own, and a composition now and then.
  void through_the_zoo(std::uint64_t round, const std::vector<const Strategy*>& wanted, std::uint64_t until) {
    const auto& types = zoo::all_types();
    for (std::uint64_t i = 0; i < types.size() && written_ < until; ++i) {
      const std::uint64_t seed = combine(combine(seed_, round), i);
      const DType dtype = kTypes.at((round + i) % kTypes.size());
      if (const auto made = zoo_program_drawn(types[i].name, {}, dtype, seed)) walk(origin_of(*made), wanted, seed);
      if (i % kTypesPerComposition != 0 || written_ >= until) continue;
      if (const auto drawn = zoo_draw(seed_, round * types.size() + i, options_)) {
        walk(origin_of(drawn->program), wanted, ~seed);
      }
      std::cerr << "\r" << written_ << " of " << count_ << " steps" << std::flush;
    }
  }

  static Origin origin_of(const ZooProgram& made) {
    const Json record = to_json(made, Profile::paper);
    Origin out{made.type ? made.type->name : "composition", {}, made.program};
    out.facts.set("type", out.type);
    if (const Json* arguments = record.find("args")) out.facts.set("args", *arguments);
    out.facts.set("dtype", *record.find("dtype"));
    return out;
  }

  /// Steps on a program and on the states that some of them lead to.
  void walk(const Origin& origin, const std::vector<const Strategy*>& wanted, std::uint64_t seed) {
    Random random(seed);
    Program state = origin.program;
    for (std::uint64_t step = 0; step < kStates; ++step) {
      View view(state);
      const bool is_extended = random.chance(1, 2);
      const Choices choices = list_choices(wanted, view, is_extended);
      std::optional<Program> last;
      const std::uint64_t most = step == 0 ? kFirstChoices : kLaterChoices;
      for (std::uint64_t i = 0; i < most && !choices.sites.empty(); ++i) {
        if (auto made = write_step(origin, state, view, draw(choices, random), step)) last = std::move(made);
        if (written_ >= count_) return;
      }
      auto next = prepared(view, random, last);
      if (!next) return;
      state = *std::move(next);
    }
  }

  /// The next state: mostly what was just made; sometimes inlining, which makes expressions larger, or fusion, which
  /// brings data together in one kernel.
  static std::optional<Program> prepared(View& view, Random& random, std::optional<Program> last) {
    if (last && random.chance(1, 2)) return last;
    const char* name = random.chance(1, 2) ? "compute_inline" : "operator_fusion";
    const auto drawn = sample_choices(list_choices({find_strategy(name)}, view, false), 1, random.next());
    if (drawn.empty()) return last;
    auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
    if (!applied) return last;
    return std::move(applied->program);
  }

  /// Every second time any strategy that offers something, otherwise the one with the fewest steps so far; then one of
  /// its sites, then a choice.
  StrategyChoice draw(const Choices& choices, Random& random) {
    std::vector<const Strategy*> offered;
    for (const StrategySite& site : choices.sites) {
      if (offered.empty() || offered.back() != site.strategy) offered.push_back(site.strategy);
    }
    const Strategy* strategy = offered[random.below(offered.size())];
    if (random.chance(1, 2)) {
      strategy = *std::min_element(offered.begin(), offered.end(), [this](const Strategy* left, const Strategy* right) {
        return rows_[left->name].steps < rows_[right->name].steps;
      });
    }
    std::vector<const StrategySite*> sites;
    for (const StrategySite& site : choices.sites) {
      if (site.strategy == strategy) sites.push_back(&site);
    }
    const StrategySite& site = *sites[random.below(sites.size())];
    return {strategy, site.site.choice(random.below(site.site.count())), site.site.extended};
  }

  std::optional<Program> write_step(const Origin& origin, const Program& state, View& view, const StrategyChoice& one,
                                    std::uint64_t step) {
    auto applied = apply(*one.strategy, view, one.choice);
    if (!applied) return std::nullopt;
    const Json before = to_json(state, Profile::paper);
    Json out;
    out.set("id", concat("step", written_));
    for (const auto& [key, value] : *origin.facts.as_object()) out.set(key, value);
    out.set("strategy", one.strategy->name).set("choice", one.choice.to_json()).set("extended", one.extended);
    out.set("step", step).set("signature", *before.find("signature")).set("before", *before.find("leir"));
    out.set("after", print(applied->program, Profile::paper));
    const std::string line = out.dump();
    if (!seen_.insert(hash_bytes(line.substr(line.find("\"signature\"")))).second) return std::move(applied->program);
    file_ << line << "\n";
    ++written_;
    later_ += step > 0 ? 1 : 0;
    types_.insert(origin.type);
    Row& row = rows_[one.strategy->name];
    ++row.steps;
    row.types.insert(origin.type);
    return std::move(applied->program);
  }

  std::uint64_t seed_;
  std::uint64_t count_;
  std::ofstream file_;
  zoo::DrawOptions options_;
  std::map<std::string_view, Row> rows_;
  std::set<std::string> types_;
  std::set<Hash> seen_;  ///< pairs that are in the list already
  std::uint64_t written_ = 0;
  std::uint64_t later_ = 0;
};

}  // namespace

int make_frozen(std::uint64_t seed, std::uint64_t count, const std::string& file) {
  std::ofstream out(file);
  if (!out) {
    std::cerr << "cannot write '" << file << "'\n";
    return 4;
  }
  Maker maker(seed, count, std::move(out));
  maker.run();
  std::cerr << "\n";
  maker.print_table();
  return 0;
}

}  // namespace steptp::testing
