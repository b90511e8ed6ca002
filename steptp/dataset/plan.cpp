// All programs of a dataset, decided before anything is made, from the configuration alone: types are dealt out to
// splits, draws that repeat a program or leak into another split are passed over, and some programs are planned to
// spare. Each split draws from its own random stream, so that one split does not change another.
#include "steptp/dataset/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/dataset/origin.h"
#include "steptp/dataset/workloads.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/ir/forms.h"
#include "steptp/zoo/degenerate.h"

namespace steptp::dataset {

namespace {

using Types = std::vector<const zoo::ProgramType*>;

/// Draws for one program before its type counts as exhausted.
constexpr int kAttempts = 60;
/// Of a hundred programs of test_type, compositions with a pattern of their own.
constexpr std::uint64_t kHeldOutCompositions = 20;

/// Streams of draws, so that no split's programs depend on how many another has.
enum class Stream : std::uint64_t { train = 1, test_shape, test_type, order, held_out };

/// Programs to spare: of a thousand, some three turn out to be degenerate, or to have no CUDA.
constexpr std::uint64_t spares_for(std::uint64_t wanted) { return wanted == 0 ? 0 : 2 + wanted / 50; }

/// The name of a file is no name of a program: "my model.pt2" is "my_model_pt2".
std::string as_word(std::string name) {
  const auto is_plain = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '_');
  return name;
}

class Planner {
 public:
  Planner(const Configuration& configuration, const ImportPaths& imports)
      : configuration_(configuration), imports_(imports) {}

  Result<Plan, Diagnostic> run() {
    choose_types();
    add_workloads();
    add_held_out();
    if (auto problem = add_imports()) return *problem;
    add_training();
    add_shapes();
    number();
    const std::vector<std::string> leaks = find_leaks(members());
    if (!leaks.empty()) return make_error("leak", leaks.front());
    if (plan_.programs.empty()) return make_error("dataset", "the plan has no programs", "allow more types or origins");
    return std::move(plan_);
  }

 private:
  [[nodiscard]] Hash stream(Stream name, std::string_view what = {}) const {
    return combine(combine(mix(configuration_.seed), static_cast<Hash>(name)), hash_text(what));
  }

  [[nodiscard]] bool is_wanted(std::string_view origin) const {
    return !is_excluded(origin, configuration_.exclude_origin);
  }

  /// All types that are allowed, in an order that the seed decides: a small dataset has some of each family.
  void choose_types() {
    for (const zoo::ProgramType& type : zoo::all_types()) {
      const auto& names = configuration_.types;
      const bool is_named = names.empty() || std::find(names.begin(), names.end(), type.name) != names.end();
      if (!is_named) continue;
      if (is_wanted(origin_of(type.name))) {
        types_.push_back(&type);
      } else {
        ++plan_.passed_over["type of an excluded origin"];
      }
    }
    std::sort(types_.begin(), types_.end(), [&](const auto* a, const auto* b) {
      return std::pair(stream(Stream::order, a->name), a->name) < std::pair(stream(Stream::order, b->name), b->name);
    });
  }

  void add_workloads() {
    std::uint64_t left = configuration_.multi_step_programs;
    for (const Workload& workload : published_workloads()) {
      if (left == 0) return;
      const bool is_allowed = std::any_of(types_.begin(), types_.end(),
                                          [&](const zoo::ProgramType* type) { return type->name == workload.type; });
      if (!is_allowed) continue;
      auto made = zoo_program(workload.type, workload.arguments, workload.dtype);
      if (!made) continue;
      PlannedProgram planned;
      planned.type = workload.type;
      planned.arguments = made->arguments;
      planned.dtype = workload.dtype;
      planned.origin = origin_of(workload.type);
      planned.split = Split::multi_step;
      if (take(std::move(planned), made->program, made->graph)) --left;
    }
  }

  /// Types that no other type has the pattern of, at default arguments: holding one out does not empty the rest.
  [[nodiscard]] Types types_with_own_pattern() const {
    std::map<Hash, std::vector<const zoo::ProgramType*>> by_pattern;
    for (const zoo::ProgramType& type : zoo::all_types()) {
      const auto made = zoo_program(type.name, {}, DType::f32);
      if (made && !zoo::is_degenerate(made->graph)) by_pattern[pattern_of(made->program)].push_back(&type);
    }
    Types out;
    for (const zoo::ProgramType* type : types_) {
      for (const auto& [pattern, types] : by_pattern) {
        if (types.size() == 1 && types.front() == type) out.push_back(type);
      }
    }
    return out;
  }

  void add_held_out() {
    const std::uint64_t wanted = configuration_.test_type_programs;
    if (wanted == 0 || configuration_.test_types == 0) return;
    Types held_out = types_with_own_pattern();
    // The order of types is random; those at its end are not the first to be trained on in a small dataset.
    std::reverse(held_out.begin(), held_out.end());
    held_out.resize(std::min<std::size_t>(held_out.size(), configuration_.test_types));
    for (const zoo::ProgramType* type : held_out) {
      plan_.held_out.push_back(type->name);
      types_.erase(std::find(types_.begin(), types_.end(), type));
    }
    const std::uint64_t percent = is_wanted("composition") ? kHeldOutCompositions : 0;
    draw(held_out, wanted, percent, Stream::test_type, Split::test_type);
    for (const PlannedProgram& planned : plan_.programs) {
      if (planned.split == Split::test_type) held_out_patterns_.insert(planned.pattern);
    }
  }

  [[nodiscard]] std::optional<Diagnostic> add_imports() {
    for (const std::string& file : configuration_.imports) {
      PlannedProgram planned;
      planned.kind = PlannedProgram::Kind::import;
      planned.type = file;
      planned.origin = "import";
      if (!is_wanted(planned.origin)) continue;
      const auto made = make_program(planned, configuration_, imports_);
      if (!made) return made.error();
      take(std::move(planned), made->program, made->graph);
    }
    return std::nullopt;
  }

  void add_training() {
    const std::uint64_t wanted = configuration_.programs;
    std::uint64_t percent = is_wanted("composition") ? configuration_.compositions_percent : 0;
    if (types_.empty() && is_wanted("composition")) percent = 100;
    draw(types_, wanted, percent, Stream::train, Split::train);
  }

  /// Other shapes of types that are trained on.
  void add_shapes() {
    std::set<std::string> trained;
    for (const PlannedProgram& planned : plan_.programs) {
      if (planned.split == Split::train && !planned.is_spare) trained.insert(planned.type);
    }
    Types types;
    for (const zoo::ProgramType* type : types_) {
      if (trained.contains(type->name)) types.push_back(type);
    }
    draw(types, configuration_.test_shape_programs, 0, Stream::test_shape, Split::test_shape);
  }

  /// The programs of a split, then those to spare, each with so many compositions in a hundred.
  void draw(const Types& types, std::uint64_t wanted, std::uint64_t percent, Stream name, Split split) {
    Draws draws{name, split, {}, 0};
    for (const bool is_spare : {false, true}) {
      const std::uint64_t count = is_spare ? spares_for(wanted) : wanted;
      const std::size_t first = plan_.programs.size();
      draw_types(types, count - count * percent / 100, draws);
      draw_compositions(count * percent / 100, draws);
      for (std::size_t i = first; i < plan_.programs.size(); ++i) plan_.programs[i].is_spare = is_spare;
      if (plan_.programs.size() - first < count) return;
    }
  }

  /// Where the streams of a split are.
  struct Draws {
    Stream name;
    Split split;
    std::map<const zoo::ProgramType*, std::uint64_t> next;
    std::uint64_t next_composition = 0;
  };

  /// One program of each type in turn; a type that gives nothing new any more is left out.
  void draw_types(Types types, std::uint64_t wanted, Draws& of_split) {
    zoo::DrawOptions draws = composition_draws(configuration_);
    draws.compositions_percent = 0;
    while (wanted > 0 && !types.empty()) {
      Types left;
      for (const zoo::ProgramType* type : types) {
        if (wanted == 0) return;
        draws.types = {type};
        if (!draw_one(draws, stream(of_split.name, type->name), of_split.next[type], of_split.split)) continue;
        left.push_back(type);
        --wanted;
      }
      types = std::move(left);
    }
  }

  void draw_compositions(std::uint64_t wanted, Draws& of_split) {
    const zoo::DrawOptions draws = composition_draws(configuration_);
    for (; wanted > 0; --wanted) {
      const Hash seed = stream(of_split.name, "composition");
      if (!draw_one(draws, seed, of_split.next_composition, of_split.split)) return;
    }
  }

  /// The first draw from `next` on that is new and allowed.
  bool draw_one(const zoo::DrawOptions& draws, Hash seed, std::uint64_t& next, Split split) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::uint64_t index = next++;
      auto drawn = zoo_draw(seed, index, draws);
      if (!drawn) {
        ++plan_.passed_over["nothing that fits"];
        continue;
      }
      PlannedProgram planned;
      planned.dtype = drawn->program.dtype;
      planned.split = split;
      if (drawn->program.type) {
        planned.type = drawn->program.type->name;
        planned.arguments = std::move(drawn->program.arguments);
        planned.origin = origin_of(planned.type);
      } else {
        planned.kind = PlannedProgram::Kind::composition;
        planned.type = "composition";
        planned.seed = seed;
        planned.index = index;
        planned.origin = "composition";
      }
      if (take(std::move(planned), drawn->program.program, drawn->program.graph)) return true;
    }
    return false;
  }

  /// Adds a program to the plan unless something speaks against it.
  bool take(PlannedProgram planned, const Program& program, const graph::Graph& graph) {
    planned.form = form_of(program);
    planned.pattern = pattern_of(program);
    const bool is_import = planned.kind == PlannedProgram::Kind::import;
    if (!is_import && zoo::is_degenerate(graph)) return pass_over("degenerate");
    const auto known = split_of_form_.find(planned.form);
    if (known != split_of_form_.end()) {
      return pass_over(known->second == planned.split ? "duplicate" : "duplicate of another split");
    }
    if (planned.split != Split::test_type && held_out_patterns_.contains(planned.pattern)) {
      return pass_over("pattern of test_type");
    }
    split_of_form_[planned.form] = planned.split;
    plan_.programs.push_back(std::move(planned));
    return true;
  }
  bool pass_over(const std::string& reason) {
    ++plan_.passed_over[reason];
    return false;
  }

  /// Names, numbers and how many entries are wanted of each.
  void number() {
    for (const PlannedProgram& planned : plan_.programs) {
      if (!planned.is_spare) ++plan_.wanted[planned.split];
    }
    std::map<Split, std::uint64_t> seen;
    std::map<std::string, std::uint64_t> of_type;
    for (std::size_t i = 0; i < plan_.programs.size(); ++i) {
      PlannedProgram& planned = plan_.programs[i];
      planned.number = i;
      planned.name = concat(as_word(planned.type), "_", ++of_type[planned.type]);
      const std::uint64_t place = seen[planned.split]++;
      const std::uint64_t count = plan_.wanted[planned.split];
      const std::uint64_t wanted = entries_of(planned.split, count);
      planned.entries = (place + 1) * wanted / count - place * wanted / count;
    }
  }

  /// Some programs give less than they should; what the others give more makes up for it.
  [[nodiscard]] std::uint64_t entries_of(Split split, std::uint64_t programs) const {
    constexpr std::uint64_t kReservePercent = 6;
    const Configuration& c = configuration_;
    if (split == Split::test_shape) return c.test_shape_entries;
    const std::uint64_t with_reserve = c.entries + c.entries * kReservePercent / 100;
    return c.programs == 0 ? 6 * programs : with_reserve * programs / c.programs;
  }

  [[nodiscard]] std::vector<SplitMember> members() const {
    std::vector<SplitMember> out;
    for (const PlannedProgram& planned : plan_.programs) {
      out.push_back({planned.split, planned.name, planned.form, planned.pattern});
    }
    return out;
  }

  const Configuration& configuration_;
  const ImportPaths& imports_;
  Types types_;
  std::map<Hash, Split> split_of_form_;
  std::set<Hash> held_out_patterns_;
  Plan plan_;
};

}  // namespace

Result<Plan, Diagnostic> make_plan(const Configuration& configuration, const ImportPaths& imports) {
  return Planner(configuration, imports).run();
}

std::vector<std::string> find_leaks(const std::vector<SplitMember>& members) {
  std::map<Hash, const SplitMember*> trained_forms;
  std::map<Hash, const SplitMember*> trained_patterns;
  for (const SplitMember& member : members) {
    if (member.split != Split::train) continue;
    trained_forms.emplace(member.form, &member);
    trained_patterns.emplace(member.pattern, &member);
  }
  std::vector<std::string> out;
  for (const SplitMember& member : members) {
    if (member.split == Split::train) continue;
    const auto form = trained_forms.find(member.form);
    if (form != trained_forms.end()) {
      out.push_back(concat(member.name, " of ", name_of(member.split), " is ", form->second->name,
                           " of train up to renaming and order"));
    }
    const auto pattern = trained_patterns.find(member.pattern);
    if (member.split == Split::test_type && pattern != trained_patterns.end()) {
      out.push_back(concat(member.name, " of test_type has the pattern of ", pattern->second->name, " of train"));
    }
  }
  return out;
}

}  // namespace steptp::dataset
