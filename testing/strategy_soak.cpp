// Steps of all strategies on programs of the zoo at drawn shapes, each judged: first steps, and steps on the states
// that other strategies have reached. Prints a table; what is not equal goes into a file, one pair a line.
//
//   strategy_soak SEED PROGRAMS FILE [--measurements OUT] [STRATEGY...]
//
// With names, only steps of those strategies are judged: on the programs, and on what inlining and they make of them.
// --measurements writes what docs/strategies.md shows: what the strategies offer on the zoo, and the grades of this run
// or, with no programs, those that were there.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify.h"
#include "testing/strategy_listing.h"

namespace steptp::testing {
namespace {

constexpr std::uint64_t kSteps = 3;  ///< one after the other, from each program
/// Choices that are judged on one state: on the program itself, on what a walk has reached, and of strategies that are
/// seldom drawn from all.
constexpr std::uint64_t kFirstChoices = 6;
constexpr std::uint64_t kLaterChoices = 1;
constexpr std::uint64_t kSeldomChoices = 2;
constexpr std::uint64_t kNamedChoices = 8;
constexpr std::uint64_t kSeldom = 10;  ///< steps of every strategy that a table needs at least, where there are so many

/// Operations of one judgement, a twentieth of the default: what needs more is undecided here, and listed.
constexpr std::uint64_t kBudget = 20'000'000;
constexpr std::uint64_t kSafetyBudget = 3'000'000;

double cpu_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Row {
  std::set<std::string> types;        ///< of which the program itself offers a choice
  std::set<std::string> later_types;  ///< of which a state that was reached does
  std::uint64_t first = 0;
  std::uint64_t later = 0;
  std::map<Grade, std::uint64_t> grades;
  std::uint64_t unsafe = 0;
  std::vector<double> verify_ms;
  double apply_ms = 0;
};

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// Which steps are judged, on how many states and how many on each, and which strategy leads from state to state.
struct Preparation {
  const Strategy* by = nullptr;
  std::vector<const Strategy*> wanted;
  std::uint64_t steps = 0;
  std::uint64_t choices = 0;
};

class Soak {
 public:
  explicit Soak(std::ofstream file) : file_(std::move(file)) {}

  /// Steps of all strategies: several on the program, one on each state that the last of them leads to.
  void walk(const std::string& type, const Program& root, std::uint64_t seed) {
    Program state = root;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      View view(state);
      const Choices choices = list_choices(all_strategies(), view, seed % 2 == 0);
      note_types(type, choices, step);
      const auto drawn = sample_choices(choices, step == 0 ? kFirstChoices : kLaterChoices, combine(seed, step));
      if (drawn.empty()) return;
      Program next;
      for (const StrategyChoice& one : drawn) next = judge(type, state, view, one, step);
      state = std::move(next);
    }
  }

  /// Steps of some strategies on a program and on the states that they lead to, and one that prepares the ground:
  /// inlining makes expressions larger, fusion brings data together in one kernel.
  void walk_prepared(const std::string& type, const Program& root, std::uint64_t seed, const Preparation& plan) {
    Program state = root;
    for (std::uint64_t step = 0; step < plan.steps; ++step) {
      View view(state);
      const Choices choices = list_choices(plan.wanted, view, true);
      note_types(type, choices, step);
      for (const StrategyChoice& one : sample_choices(choices, plan.choices, combine(seed, step))) {
        judge(type, state, view, one, step);
      }
      const Choices prepares = list_choices({plan.by}, view, plan.by->level == Level::graph && seed % 2 == 0);
      const bool preparing = !prepares.sites.empty() && combine(seed, step) % 3 != 0;
      const auto drawn = sample_choices(preparing ? prepares : choices, 1, combine(seed, step));
      if (drawn.empty()) return;
      auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
      if (!applied) return;
      Program next = std::move(applied->program);
      state = std::move(next);
    }
  }

  void print(bool is_selection) {
    std::cout << "strategy                              types    first  later proved  exact numeric undecided unsafe "
                 "wrong  apply us  verify ms p50      p95      p99\n";
    std::vector<double> all;
    for (const Strategy* strategy : all_strategies()) {
      Row& row = rows_[strategy->name];
      if (is_selection && row.first + row.later == 0) continue;
      all.insert(all.end(), row.verify_ms.begin(), row.verify_ms.end());
      const std::uint64_t judged = row.first + row.later;
      std::cout << std::left << std::setw(38) << strategy->name << std::right << std::setw(4) << row.types.size()
                << std::setw(4) << "+" + std::to_string(row.later_types.size()) << std::setw(7) << row.first
                << std::setw(7) << row.later << std::setw(7) << row.grades[Grade::proved] << std::setw(7)
                << row.grades[Grade::exact] << std::setw(8) << row.grades[Grade::numeric] << std::setw(10)
                << row.grades[Grade::undecided] << std::setw(7) << row.unsafe << std::setw(6)
                << row.grades[Grade::differs] + row.grades[Grade::invalid] << std::fixed << std::setprecision(0)
                << std::setw(10) << (judged > 0 ? 1000 * row.apply_ms / static_cast<double>(judged) : 0)
                << std::setprecision(2) << std::setw(15) << percentile(row.verify_ms, 0.5) << std::setw(9)
                << percentile(row.verify_ms, 0.95) << std::setw(9) << percentile(row.verify_ms, 0.99) << "\n";
    }
    std::cout << all.size() << " steps judged, " << wrong_ << " wrong; ms of CPU: p50 " << percentile(all, 0.5)
              << ", p95 " << percentile(all, 0.95) << ", p99 " << percentile(all, 0.99) << ", most "
              << percentile(all, 1) << "\n";
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  /// Published strategies of which fewer steps than that were judged.
  [[nodiscard]] std::vector<const Strategy*> judged_less_than(std::uint64_t number) {
    std::vector<const Strategy*> out;
    for (const Strategy* strategy : all_strategies()) {
      const Row& row = rows_[strategy->name];
      if (is_published(*strategy) && row.first + row.later < number) out.push_back(strategy);
    }
    return out;
  }

  /// Grades, and the types on whose states something was offered.
  void add_to(StrategyMeasurements& measured) {
    for (StrategyMeasurement& entry : measured.strategies) {
      Row& row = rows_[find_strategy(entry.name)->name];
      std::vector<std::string> seen(row.types.begin(), row.types.end());
      seen.insert(seen.end(), row.later_types.begin(), row.later_types.end());
      entry.reached = in_order_of_zoo(measured, entry.types, seen);
      entry.judged = {row.grades[Grade::proved],
                      row.grades[Grade::exact],
                      row.grades[Grade::numeric],
                      row.grades[Grade::undecided],
                      row.grades[Grade::differs] + row.grades[Grade::invalid],
                      row.unsafe};
    }
  }

 private:
  void note_types(const std::string& type, const Choices& choices, std::uint64_t step) {
    for (const StrategySite& site : choices.sites) {
      Row& row = rows_[site.strategy->name];
      (step == 0 ? row.types : row.later_types).insert(type);
    }
  }

  Program judge(const std::string& type, const Program& state, View& view, const StrategyChoice& one,
                std::uint64_t step) {
    Row& row = rows_[one.strategy->name];
    ++(step == 0 ? row.first : row.later);
    const double start = cpu_ms();
    auto applied = apply(*one.strategy, view, one.choice);
    const double made = cpu_ms();
    row.apply_ms += made - start;
    if (!applied) {
      ++wrong_;
      row.grades[Grade::invalid] += 1;
      write(type, state, nullptr, one, "refused", to_text(one.strategy->name, applied.error()), 0);
      return state;
    }
    VerifyOptions options;
    options.budget = kBudget;
    options.safety_budget = kSafetyBudget;
    const Judgement judgement = verify(state, applied->program, options);
    const double ms = cpu_ms() - made;
    row.verify_ms.push_back(ms);
    row.grades[judgement.verdict] += 1;
    if (is_equal(judgement.verdict) && !judgement.is_safe()) ++row.unsafe;
    if (judgement.verdict == Grade::differs || judgement.verdict == Grade::invalid) ++wrong_;
    if (!is_equal(judgement.verdict) || !judgement.is_safe() || ms > 50) {
      write(type, state, &applied->program, one, name_of(judgement.verdict), judgement.reason, ms);
    }
    return std::move(applied->program);
  }

  void write(const std::string& type, const Program& before, const Program* after, const StrategyChoice& one,
             std::string_view verdict, const std::string& reason, double ms) {
    Json::Object out = {{"type", type},
                        {"strategy", std::string(one.strategy->name)},
                        {"choice", one.choice.to_json()},
                        {"verdict", std::string(verdict)},
                        {"reason", reason},
                        {"ms", ms},
                        {"before", print_document(before, Profile::paper)}};
    if (after) out.emplace_back("after", print_document(*after, Profile::paper));
    file_ << Json(std::move(out)).dump() << "\n" << std::flush;
  }

  std::ofstream file_;
  std::map<std::string_view, Row> rows_;
  std::uint64_t wrong_ = 0;
};

volatile std::sig_atomic_t is_interrupted = 0;

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t programs = 0;
  std::string path;
  std::string measurements;
  std::vector<const Strategy*> wanted;
};

/// Nothing where the words are none of a call.
std::optional<Options> read_options(const std::vector<std::string>& words) {
  if (words.size() < 3) return std::nullopt;
  Options out{
      std::strtoull(words[0].c_str(), nullptr, 10), std::strtoull(words[1].c_str(), nullptr, 10), words[2], {}, {}};
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "--measurements" && i + 1 < words.size()) {
      out.measurements = words[++i];
      continue;
    }
    out.wanted.push_back(find_strategy(words[i]));
    if (!out.wanted.back()) return std::nullopt;
  }
  return out;
}

/// What draws have seldom offered is looked for on every type of the zoo at its default shape.
void fill_up(Soak& soak) {
  std::uint64_t number = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    const auto made = zoo_program(type.name, {}, DType::f32);
    for (const char* by : {"compute_inline", "operator_fusion"}) {
      const std::vector<const Strategy*> seldom = soak.judged_less_than(kSeldom);
      if (seldom.empty() || !made) continue;
      soak.walk_prepared(type.name, made->program, ++number, {find_strategy(by), seldom, kSteps, 1});
    }
  }
}

bool write_measurements(Soak& soak, const Options& options, std::uint64_t programs) {
  StrategyMeasurements measured = list_on_zoo();
  measured.seed = options.seed;
  measured.programs = programs;
  if (programs > 0) {
    soak.add_to(measured);
  } else {
    const StrategyMeasurements& before = measured_strategies();
    measured.seed = before.seed;
    measured.programs = before.programs;
    for (StrategyMeasurement& entry : measured.strategies) {
      if (const StrategyMeasurement* old = before.find(entry.name)) {
        entry.judged = old->judged;
        entry.reached = old->reached;
      }
    }
  }
  add_reached(measured);
  const auto written = write_file(options.measurements, to_text(measured));
  if (!written) std::cerr << written.error().message << "\n";
  return written.ok();
}

int run(const Options& options) {
  zoo::DrawOptions draws;
  for (const zoo::ProgramType& type : zoo::all_types()) draws.types.push_back(&type);
  draws.compositions_percent = 25;
  const Strategy* inlining = find_strategy("compute_inline");
  Preparation math{inlining, {}, kSteps, kSeldomChoices};
  for (const Strategy* strategy : all_strategies()) {
    if (strategy->level == Level::math) math.wanted.push_back(strategy);
  }
  const Preparation kernels{find_strategy("operator_fusion"),
                            {find_strategy("operator_fission"), find_strategy("set_storage_scope")},
                            kSteps,
                            1};
  Soak soak{std::ofstream(options.path)};
  // Ctrl-C ends it after the program at hand, with the table of what was done.
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  std::uint64_t index = 0;
  for (; index < options.programs && is_interrupted == 0; ++index) {
    const auto drawn = zoo_draw(options.seed, index, draws);
    if (!drawn) continue;
    const std::string type(drawn->program.type ? drawn->program.type->name : "composition");
    const std::uint64_t seed = combine(options.seed, index);
    if (options.wanted.empty()) {
      soak.walk(type, drawn->program.program, seed);
      soak.walk_prepared(type, drawn->program.program, seed, math);
      soak.walk_prepared(type, drawn->program.program, seed, kernels);
    } else {
      soak.walk_prepared(type, drawn->program.program, seed, {inlining, options.wanted, 2 * kSteps, kNamedChoices});
    }
    if (index % 50 == 49) std::cerr << "\r" << index + 1 << " of " << options.programs << " programs" << std::flush;
  }
  std::cerr << "\n";
  if (!options.measurements.empty() && index > 0) fill_up(soak);
  soak.print(!options.wanted.empty());
  std::cout << std::flush;
  // A run that was interrupted is a whole one with fewer programs.
  if (!options.measurements.empty() && !write_measurements(soak, options, index)) return 4;
  return soak.wrong() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace steptp::testing

int main(int count, char** words) {
  const auto options = steptp::testing::read_options({words + 1, words + count});
  if (!options) {
    std::cerr << "usage: strategy_soak SEED PROGRAMS FILE [--measurements OUT] [STRATEGY...]\n";
    return 2;
  }
  return steptp::testing::run(*options);
}
