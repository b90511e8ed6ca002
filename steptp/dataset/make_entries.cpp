// All entries of one planned program. Choices are drawn (sampling.h), applied, judged against the root program with
// fresh seeds, and lowered and counted; what is equal and safe is an entry, what is equal but not safe is kept
// apart, everything else is counted by its reason. Later states start from verified entries that a hash selects.
#include "steptp/dataset/make_entries.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/dataset/entry_verdict.h"
#include "steptp/dataset/lowered.h"
#include "steptp/dataset/sampling.h"
#include "steptp/graph/torch_printer.h"
#include "steptp/ir/canonical.h"
#include "steptp/reasoning/trace.h"
#include "steptp/reasoning/worth_showing.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/tokens/qwen3.h"
#include "steptp/verify/verify.h"
#include "steptp/verify/verify_pair.h"
#include "steptp/zoo/compose.h"

namespace steptp::dataset {

namespace {

/// Of the process: the judge works on a stack of its own, in another thread.
double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Adds the processor time of a block to a stage.
class Stage {
 public:
  Stage(StageTimes& times, const char* name) : sum_(times[name]), start_(cpu_milliseconds()) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() { sum_ += cpu_milliseconds() - start_; }

 private:
  double& sum_;
  double start_;
};

std::uint64_t count_tokens(const std::string& text) {
  const auto& tokenizer = qwen3_tokenizer();
  if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
  const auto count = tokenizer->count(text);
  if (!count) throw std::runtime_error(count.error().message);
  return *count;
}

/// A program that entries start from: the root, or what a verified step made of it.
struct State {
  Program program;
  Recipe recipe;
  std::string parent;
  std::uint64_t depth = 0;
  std::string text;
  std::string hash;
};

/// All entries of one program.
class EntryMaker {
 public:
  EntryMaker(const PlannedProgram& planned, const Configuration& configuration, StageTimes& times)
      : planned_(planned),
        configuration_(configuration),
        times_(times),
        strategies_(wanted_strategies(configuration)) {}

  /// Fills the record's program; false where nothing can be made of it.
  bool describe(const MadeProgram& made) {
    root_ = made.program;
    root_.name = planned_.name;
    DatasetProgram& program = record.program;
    program.id = hash_name(planned_.form);
    program.number = planned_.number;
    program.name = planned_.name;
    program.type = planned_.kind == PlannedProgram::Kind::import ? "import" : planned_.type;
    program.arguments = arguments_json();
    program.origin = planned_.origin;
    program.split = planned_.split;
    program.signature = root_.signature;
    program.leir = print(root_, Profile::paper);
    program.structure = hash_name(planned_.pattern);
    if (made.has_graph) {
      program.dtype = std::string(info(planned_.dtype).torch_name);
      program.torch = graph::print_torch(made.graph);
    }
    return is_usable() && lower(root_, program.tir, program.cuda, record.excluded) &&
           count(root_, program.leir, program.tir, program.cuda, program.tokens);
  }

  void make() {
    State root{root_, {}, {}, 0, record.program.leir, hash_name(canonical_hash(root_))};
    seen_.insert(root.hash);
    std::vector<State> states;
    states.push_back(std::move(root));
    for (std::uint64_t depth = 0; depth <= configuration_.depth; ++depth) {
      std::vector<State> next;
      for (const State& state : states) {
        walk_from(state, depth == 0 ? planned_.entries : configuration_.deep_entries, next);
      }
      keep_some(next);
      states = std::move(next);
    }
  }

  ProgramRecord record;

 private:
  [[nodiscard]] Json arguments_json() const {
    Json out{Json::Object()};
    switch (planned_.kind) {
      case PlannedProgram::Kind::composition:
        return out.set("seed", std::to_string(planned_.seed)).set("index", planned_.index);
      case PlannedProgram::Kind::import: return out.set("file", planned_.type);
      case PlannedProgram::Kind::type: break;
    }
    const zoo::ProgramType* type = zoo::find_type(planned_.type);
    for (const zoo::ArgumentRange& range : type->arguments) {
      const double value = planned_.arguments.at(range.name);
      out.set(range.name, range.is_integer ? Json(static_cast<std::int64_t>(value)) : Json(value));
    }
    return out;
  }

  bool is_usable() {
    const Stage stage(times_, "judge");
    known_ = look_at(root_);
    const CheckReport::Verdict verdict = known_.check.verdict;
    if (verdict == CheckReport::Verdict::errors) record.excluded = "check finds errors";
    if (verdict == CheckReport::Verdict::unknown) record.excluded = "check is undecided";
    if (known_.dependence.is_known && known_.dependence.is_constant) record.excluded = "degenerate";
    return record.excluded.empty();
  }

  /// Both texts; the reason where a back end refuses.
  bool lower(const Program& program, std::string& tir_text, std::string& cuda_text, std::string& refused) {
    const Stage stage(times_, "lower");
    auto tir = tir_text_of(program);
    if (!tir) {
      refused = "no TIR";
      return false;
    }
    auto cuda = cuda::lower(program);
    if (!cuda) {
      refused = "no CUDA";
      return false;
    }
    tir_text = std::move(tir->text);
    cuda_text = std::move(cuda->text);
    return true;
  }

  bool count(const Program& program, const std::string& paper, const std::string& tir, const std::string& cuda,
             FormTokens& tokens) {
    const Stage stage(times_, "tokens");
    tokens.paper = count_tokens(paper);
    tokens.compact = count_tokens(print(program, Profile::compact));
    tokens.tir = count_tokens(tir);
    tokens.cuda = count_tokens(cuda);
    return true;
  }

  void walk_from(const State& state, std::uint64_t wanted, std::vector<State>& next) {
    View view(state.program);
    if (state.depth > 0) known_step_ = look_at(state.program);
    Choices choices;
    {
      const Stage stage(times_, "list");
      choices = list_choices(strategies_, view, configuration_.extended);
    }
    const Hash seed = combine(combine(mix(configuration_.seed), planned_.form), hash_text(state.parent));
    const bool is_useful = configuration_.draw == "useful";
    ChoiceSampler sampler(choices, configuration_.weights, seed, is_useful ? &state.program : nullptr);
    std::uint64_t attempts = wanted * configuration_.attempts;
    while (wanted > 0 && attempts-- > 0) {
      auto choice = sampler.next();
      if (!choice) {
        ++record.dropped["no further choice"];
        return;
      }
      // In the place of a step that is not worth showing comes another one of the same strategy.
      Tried tried = try_choice(state, view, *choice, next);
      for (int again = 0; tried == Tried::not_worth_showing && again < kAgain; ++again) {
        choice = sampler.another();
        if (!choice) break;
        tried = try_choice(state, view, *choice, next);
      }
      if (tried == Tried::made) --wanted;
    }
    if (wanted > 0) record.dropped["attempts are used up"] += 1;
  }

  enum class Tried : std::uint8_t { made, dropped, not_worth_showing };
  static constexpr int kAgain = 8;

  /// Whether the choice became an entry. What is equal and not safe is kept apart, and is none.
  Tried try_choice(const State& state, View& view, const StrategyChoice& choice, std::vector<State>& next) {
    trying_ = choice.strategy->name;
    times_["apply"] -= cpu_milliseconds();
    auto applied = apply(*choice.strategy, view, choice.choice);
    times_["apply"] += cpu_milliseconds();
    if (!applied) return dropped("refused");
    Program& after = applied->program;
    if (configuration_.draw == "useful" &&
        !is_worth_showing(*choice.strategy, state.program, choice.choice, *applied)) {
      (void)drop("not worth showing");
      return Tried::not_worth_showing;
    }
    Entry entry;
    entry.before_hash = state.hash;
    entry.after_hash = hash_name(canonical_hash(after));
    if (entry.after_hash == state.hash) return dropped("same");
    if (seen_.contains(entry.after_hash)) return dropped("duplicate");
    Recipe recipe = state.recipe;
    recipe.push_back({std::string(choice.strategy->name), choice.choice});
    entry.recipe = recipe_array(recipe);
    entry.program = record.program.id;
    const Hash identity = combine(planned_.form, hash_text(entry.recipe.dump()));
    entry.id = hash_name(identity);
    if (!judge(after, identity, entry.verdict)) return Tried::dropped;
    const bool is_safe = entry.verdict.safe == true;
    if (is_safe && !is_safe_step(state, after, identity)) return dropped("unsafe against its own question");
    std::string refused;
    if (!lower(after, entry.tir, entry.cuda, refused)) return dropped(refused);
    describe_entry(state, choice, *applied, identity, entry);
    seen_.insert(entry.after_hash);
    if (!is_safe) {
      drop(entry.verdict.safe == false ? "unsafe" : "safe not known");
      record.unsafe_entries.push_back(std::move(entry));
      return Tried::dropped;
    }
    if (state.depth < configuration_.depth) {
      next.push_back({after, std::move(recipe), entry.id, state.depth + 1, entry.after, entry.after_hash});
    }
    record.entries.push_back(std::move(entry));
    return Tried::made;
  }

  Tried dropped(const std::string& reason) {
    (void)drop(reason);
    return Tried::dropped;
  }

  void describe_entry(const State& state, const StrategyChoice& choice, const Applied& applied, Hash identity,
                      Entry& entry) {
    const Program& after = applied.program;
    entry.parent = state.parent;
    entry.depth = state.depth;
    entry.before = state.text;
    entry.after = print(after, Profile::paper);
    entry.strategy = std::string(choice.strategy->name);
    entry.level = std::string(name_of(choice.strategy->level));
    entry.difficulty = std::string(choice.strategy->difficulty());
    entry.choice = choice.choice.to_json();
    entry.extended = choice.extended;
    entry.phrasing = combine(mix(configuration_.seed), identity);
    entry.compiled = "none";
    {
      const Stage stage(times_, "trace");
      entry.trace =
          steptp::to_json(make_trace(*choice.strategy, state.program, choice.choice, applied, entry.phrasing));
    }
    count(after, entry.after, entry.tir, entry.cuda, entry.tokens);
  }

  [[nodiscard]] std::vector<std::uint64_t> seeds_of(Hash identity) const {
    std::vector<std::uint64_t> seeds;
    for (std::uint64_t number = 0; number < configuration_.trials; ++number) {
      seeds.push_back(combine(combine(mix(configuration_.seed), identity), number));
    }
    return seeds;
  }

  std::vector<Judgement> trials_of(const Program& before, const KnownBefore& known, const Program& after,
                                   const std::vector<std::uint64_t>& seeds) {
    const Stage stage(times_, "judge");
    VerifyOptions options;
    options.budget = configuration_.budget;
    options.proof_work = configuration_.proof_budget;
    options.safety_budget = configuration_.safety_budget;
    options.known = &known;
    return verify_trials(before, after, options, seeds);
  }

  /// Whether it is equal to the root, in as many trials as are wanted, and how safe. A proof draws no inputs: one is
  /// enough; so is the first that is not safe.
  bool judge(const Program& after, Hash identity, EntryVerdict& verdict) {
    const std::vector<std::uint64_t> seeds = seeds_of(identity);
    const std::vector<Judgement> trials = trials_of(root_, known_, after, seeds);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const Judgement& judgement = trials[i];
      if (!is_equal(judgement.verdict)) return drop(std::string(name_of(judgement.verdict)));
      if (judgement.fills_vacuous) return drop("fills_vacuous");
      if (judgement.same) return drop("same");
      add_trial(judgement, seeds[i], verdict);
    }
    return true;
  }

  /// The verdict is about the root; a row shows the program that the step was made from, and has to be safe against it
  /// as well.
  bool is_safe_step(const State& state, const Program& after, Hash identity) {
    if (state.depth == 0) return true;
    const std::vector<Judgement> trials = trials_of(state.program, known_step_, after, seeds_of(identity));
    return std::all_of(trials.begin(), trials.end(), [](const Judgement& judgement) {
      return is_equal(judgement.verdict) && !judgement.fills_vacuous && judgement.safe == Shown::yes;
    });
  }

  static Json recipe_array(const Recipe& recipe) {
    Json::Array out;
    for (const Step& step : recipe) out.push_back(steptp::to_json(step));
    return out;
  }

  /// The states that are walked on from: ranked by hash.
  void keep_some(std::vector<State>& states) const {
    const auto rank = [&](const State& state) {
      return std::pair(combine(mix(configuration_.seed), hash_text(state.parent)), state.parent);
    };
    std::sort(states.begin(), states.end(), [&](const State& a, const State& b) { return rank(a) < rank(b); });
    if (states.size() > configuration_.deep_states)
      states.erase(states.begin() + static_cast<std::ptrdiff_t>(configuration_.deep_states), states.end());
  }

  bool drop(const std::string& reason) {
    ++record.dropped[concat(reason, ": ", trying_)];
    return false;
  }

  const PlannedProgram& planned_;
  const Configuration& configuration_;
  StageTimes& times_;
  std::vector<const Strategy*> strategies_;
  Program root_;
  KnownBefore known_;
  KnownBefore known_step_;      ///< of the state that is walked from, where it is not the root
  std::string_view trying_;     ///< the strategy of the choice at hand
  std::set<std::string> seen_;  ///< canonical forms of this program's states and results
};

}  // namespace

std::vector<const Strategy*> wanted_strategies(const Configuration& configuration) {
  std::vector<const Strategy*> out;
  for (const Strategy* strategy : all_strategies()) {
    const auto& names = configuration.strategies;
    const bool is_named = std::find(names.begin(), names.end(), strategy->name) != names.end();
    if (names.empty() ? is_published(*strategy) : is_named) out.push_back(strategy);
  }
  return out;
}

Result<ProgramRecord, Diagnostic> make_record(const PlannedProgram& planned, const Configuration& configuration,
                                              const ImportPaths& imports, StageTimes& times) {
  auto made = make_program(planned, configuration, imports);
  if (!made) return made.error();
  EntryMaker maker(planned, configuration, times);
  if (maker.describe(*made)) maker.make();
  return std::move(maker.record);
}

}  // namespace steptp::dataset
