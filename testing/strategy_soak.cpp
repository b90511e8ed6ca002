// Steps of all strategies on programs of the zoo at drawn shapes, each judged: first steps, and steps on the states
// that other strategies have reached. Prints a table; what is not equal goes into a file, one pair a line.
//
//   strategy_soak SEED PROGRAMS FILE [STRATEGY...]
//
// With names, only steps of those strategies are judged: on the programs, and on what inlining and they make of them.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/verbs/zoo_program.h"
#include "steptp/verify/verify.h"

namespace steptp::testing {
namespace {

constexpr std::uint64_t kSteps = 3;         ///< one after the other, from each program
constexpr std::uint64_t kFirstChoices = 4;  ///< looked at on the program itself

/// Operations of one judgement, a twentieth of the default: what needs more is undecided here, and listed.
constexpr std::uint64_t kBudget = 20'000'000;

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

class Soak {
 public:
  explicit Soak(std::ofstream file) : file_(std::move(file)) {}

  void walk(const std::string& type, const Program& root, std::uint64_t seed) {
    Program state = root;
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      View view(state);
      const Choices choices = list_choices(all_strategies(), view, seed % 2 == 0);
      if (step == 0) {
        for (const StrategySite& site : choices.sites) rows_[site.strategy->name].types.insert(type);
      }
      const auto drawn = sample_choices(choices, step == 0 ? kFirstChoices : 1, combine(seed, step));
      if (drawn.empty()) return;
      Program next;
      for (const StrategyChoice& one : drawn) next = judge(type, state, view, one, step);
      state = std::move(next);
    }
  }

  /// Steps of some strategies on a program and on the states that inlining, which makes expressions larger, and those
  /// strategies lead to.
  void walk_inlined(const std::string& type, const Program& root, std::uint64_t seed,
                    const std::vector<const Strategy*>& wanted) {
    is_selection_ = true;
    Program state = root;
    for (std::uint64_t step = 0; step < 2 * kSteps; ++step) {
      View view(state);
      const Choices choices = list_choices(wanted, view, true);
      for (const StrategySite& site : choices.sites) {
        Row& row = rows_[site.strategy->name];
        (step == 0 ? row.types : row.later_types).insert(type);
      }
      for (const StrategyChoice& one : sample_choices(choices, kFirstChoices * 2, combine(seed, step))) {
        judge(type, state, view, one, step);
      }
      const Choices inlines = list_choices({find_strategy("compute_inline")}, view, false);
      const bool inlining = !inlines.sites.empty() && combine(seed, step) % 3 != 0;
      const auto drawn = sample_choices(inlining ? inlines : choices, 1, combine(seed, step));
      if (drawn.empty()) return;
      auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
      if (!applied) return;
      Program next = std::move(applied->program);
      state = std::move(next);
    }
  }

  void print() {
    std::cout << "strategy                              types  first  later proved  exact numeric undecided unsafe "
                 "wrong  apply us  verify ms p50      p95      p99\n";
    std::vector<double> all;
    for (const Strategy* strategy : all_strategies()) {
      Row& row = rows_[strategy->name];
      if (is_selection_ && row.first + row.later == 0) continue;
      all.insert(all.end(), row.verify_ms.begin(), row.verify_ms.end());
      const std::uint64_t judged = row.first + row.later;
      std::cout << std::left << std::setw(38) << strategy->name << std::right << std::setw(5) << row.types.size()
                << (is_selection_ ? "+" + std::to_string(row.later_types.size()) : "") << std::setw(7) << row.first
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

 private:
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
    const Judgement judgement = verify(state, applied->program, options);
    const double ms = cpu_ms() - made;
    row.verify_ms.push_back(ms);
    row.grades[judgement.verdict] += 1;
    if (is_equal(judgement.verdict) && !judgement.safe) ++row.unsafe;
    if (judgement.verdict == Grade::differs || judgement.verdict == Grade::invalid) ++wrong_;
    if (!is_equal(judgement.verdict) || !judgement.safe || ms > 50) {
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
  bool is_selection_ = false;
};

volatile std::sig_atomic_t is_interrupted = 0;

int run(std::uint64_t seed, std::uint64_t programs, const char* path, const std::vector<const Strategy*>& wanted) {
  zoo::DrawOptions options;
  for (const zoo::ProgramType& type : zoo::all_types()) options.types.push_back(&type);
  options.compositions_percent = 25;
  Soak soak{std::ofstream(path)};
  // Ctrl-C ends it after the program at hand, with the table of what was done.
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  for (std::uint64_t index = 0; index < programs && is_interrupted == 0; ++index) {
    const auto drawn = zoo_draw(seed, index, options);
    if (!drawn) continue;
    const std::string type(drawn->program.type ? drawn->program.type->name : "composition");
    if (wanted.empty()) {
      soak.walk(type, drawn->program.program, combine(seed, index));
    } else {
      soak.walk_inlined(type, drawn->program.program, combine(seed, index), wanted);
    }
    if (index % 50 == 49) std::cerr << "\r" << index + 1 << " of " << programs << " programs" << std::flush;
  }
  std::cerr << "\n";
  soak.print();
  return soak.wrong() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace steptp::testing

int main(int count, char** words) {
  std::vector<const steptp::Strategy*> wanted;
  for (int i = 4; i < count; ++i) wanted.push_back(steptp::find_strategy(words[i]));
  if (count < 4 || std::find(wanted.begin(), wanted.end(), nullptr) != wanted.end()) {
    std::cerr << "usage: strategy_soak SEED PROGRAMS FILE [STRATEGY...]\n";
    return 2;
  }
  return steptp::testing::run(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10), words[3],
                              wanted);
}
