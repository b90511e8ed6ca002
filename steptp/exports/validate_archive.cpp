#include "steptp/exports/validate_archive.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "steptp/answers/prompt.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/dataset/lowered.h"
#include "steptp/exports/archive_index.h"
#include "steptp/exports/expected_times.h"
#include "steptp/exports/record_texts.h"
#include "steptp/exports/tables.h"
#include "steptp/ir/canonical.h"
#include "steptp/ir/forms.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/text/signature_text.h"
#include "steptp/tokens/qwen3.h"
#include "steptp/verify/verify.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::dataset {

namespace {

class RowChecker {
 public:
  RowChecker(const Json& row, CheckedRow& out) : row_(row), out_(out) {}

  [[nodiscard]] bool read_programs() {
    if (!read_signature()) return false;
    return read("root_leir", root_) && read("original_leir", original_) && read("transformed_leir", transformed_);
  }

  void check_hashes() {
    out_.form = form_of(root_);
    out_.pattern = pattern_of(root_);
    expect("program_id", hash_name(out_.form), "is not the hash of root_leir");
    if (!text("structure").empty()) expect("structure", hash_name(out_.pattern), "is not that of root_leir");
    expect("id", hash_name(combine(out_.form, hash_text(text("recipe")))), "is not the hash of program and recipe");
    expect("original_hash", hash_name(canonical_hash(original_)), "is not that of original_leir");
    expect("transformed_hash", hash_name(canonical_hash(transformed_)), "is not that of transformed_leir");
    if (text("original_hash") == text("transformed_hash")) fail("original and transformed are the same program");
  }

  void check_recipe() {
    const auto json = parse_json(text("recipe"));
    if (!json) return fail("column 'recipe' is not JSON");
    auto recipe = recipe_from_json(*json);
    if (!recipe) return fail(concat("column 'recipe': ", recipe.error()));
    if (recipe->empty()) return fail("the recipe has no step");
    check_last_step(recipe->back());
    if (*row_.find("depth")->as_integer() + 1 != static_cast<std::int64_t>(recipe->size())) {
      fail(concat("depth is ", *row_.find("depth")->as_integer(), ", and the recipe has ", recipe->size(), " steps"));
    }
    const auto end = replay(root_, *recipe);
    if (!end) return fail(concat("the recipe cannot be replayed: ", to_text(end.error(), recipe->size())));
    out_.is_replayed = true;
    if (print(end->program) != text("transformed_leir")) fail("the recipe does not lead to transformed_leir");
    recipe->pop_back();
    const auto middle = replay(root_, *recipe);
    if (!middle || print(middle->program) != text("original_leir")) {
      fail("the recipe without its last step does not lead to original_leir");
    }
  }

  void check_texts() {
    expect("original_leir_compact", print(original_, Profile::compact), "is not original_leir");
    expect("transformed_leir_compact", print(transformed_, Profile::compact), "is not transformed_leir");
    expect("answer", answer_json({text("transformed_leir"), text("strategy")}), "is not transformed_leir and strategy");
    const auto trace = parse_json(text("trace"));
    if (!trace) return fail("column 'trace' is not JSON");
    check_reasoning(*trace, "reasoning", Profile::paper);
    check_reasoning(*trace, "reasoning_compact", Profile::compact);
    expect_time("expected_gpu_before_us", expected_times(original_).gpu);
    expect_time("expected_gpu_after_us", expected_times(transformed_).gpu);
    expect_time("expected_cpu_before_us", expected_times(original_).cpu);
    expect_time("expected_cpu_after_us", expected_times(transformed_).cpu);
    for (const char* of : {"original", "transformed"}) {
      expect_tokens(concat(of, "_leir"));
      expect_tokens(concat(of, "_leir_compact"));
      expect(concat(of, "_tir_target"), std::string(tir_target_name(text(concat(of, "_tir")))),
             "is not that of the text");
    }
  }

  void judge(VerifyOptions options) {
    out_.is_judged = true;
    const auto trials = parse_json(text("trials"));
    const bool has_trials = trials && trials->as_array() != nullptr && !trials->as_array()->empty();
    if (has_trials) options.seed = std::strtoull(text_of(trials->as_array()->front(), "seed").c_str(), nullptr, 10);
    const Judgement judgement = verify(root_, transformed_, options);
    if (!is_equal(judgement.verdict)) {
      fail(concat("the judge says ", name_of(judgement.verdict), ", not ", text("grade"), ": ", judgement.reason));
    } else if (judgement.fills_vacuous) {
      fail("it fills elements that have no value at any input");
    } else {
      check_label(judgement);
    }
    check_trace();
    check_lowered(original_, "original");
    check_lowered(transformed_, "transformed");
  }

 private:
  [[nodiscard]] const std::string& text(std::string_view column) const { return text_of(row_, column); }
  void fail(std::string_view what) { out_.problems.emplace_back(what); }
  void expect(std::string_view column, const std::string& wanted, std::string_view what) {
    if (text(column) != wanted) fail(concat("column '", column, "' ", what));
  }

  void expect_time(std::string_view column, std::optional<double> wanted) {
    const Json& stated = *row_.find(column);
    // Another machine may round the third digit another way.
    const bool is_right =
        wanted ? stated.is_number() && std::abs(stated.number() / *wanted - 1) < 0.011 : stated.is_null();
    if (!is_right) fail(concat("column '", column, "' is not what its program is expected to take"));
  }

  /// The reasoning once more, from the step itself.
  void check_trace() {
    const auto json = parse_json(text("choice"));
    const auto choice = json ? choice_from_json(*json) : Result<Choice, std::string>("it is not JSON");
    const Strategy* strategy = find_strategy(text("strategy"));
    if (!choice || strategy == nullptr) return;  // said elsewhere
    View view(original_);
    const auto applied = apply(*strategy, view, *choice);
    if (!applied) return fail("the step cannot be made on original_leir");
    const std::uint64_t phrasing = std::strtoull(text("phrasing").c_str(), nullptr, 10);
    const std::string wanted = to_json(make_trace(*strategy, original_, *choice, *applied, phrasing)).dump();
    expect("trace", wanted, "is not what the step is told with");
  }

  void check_label(const Judgement& judgement) {
    // Of several trials the row has the grade of the first, and search where one of them had to search.
    expect("grade", std::string(name_of(judgement.verdict)), "is not what the judge says");
    const bool is_proof = judgement.safe == Shown::yes && judgement.safe_by == SafeBy::proof;
    if (!text("safe_by").empty() && (text("safe_by") == "proof") != is_proof) {
      fail("column 'safe_by' is not what the judge says");
    }
    const Json& safe = *row_.find("safe");
    if (safe.dump() == to_json(judgement.safe).dump()) return;
    const bool is_stated = safe.as_bool() != nullptr && *safe.as_bool();
    if (is_stated) return fail("the judge does not find it numerically safe");
    // A later trial may have met what the first does not: a row that claims less than is shown is no fault.
    const auto trials = parse_json(text("trials"));
    const bool is_first = !trials || trials->as_array() == nullptr || trials->as_array()->size() < 2;
    if (is_first) fail(concat("the judge says of `safe` ", to_json(judgement.safe).dump(), ", not ", safe.dump()));
  }

  [[nodiscard]] bool read_signature() {
    const auto json = parse_json(text("signature"));
    if (!json || json->as_array() == nullptr) return fail("column 'signature' is not a JSON array"), false;
    for (const Json& item : *json->as_array()) {
      auto variable = variable_from_json(item);
      if (!variable) return fail(concat("column 'signature': ", variable.error())), false;
      out_.signature.variables.push_back(std::move(variable).value());
    }
    return true;
  }

  [[nodiscard]] bool read(std::string_view column, Program& program) {
    auto read = read_leir(text("program"), text(column), out_.signature);
    if (!read) return fail(concat("column '", column, "' cannot be read: ", read.error())), false;
    program = std::move(read).value();
    if (print(program) != text(column)) fail(concat("column '", column, "' is not canonical text"));
    return true;
  }

  void check_last_step(const Step& step) {
    expect("strategy", step.strategy, "is not the last of the recipe");
    const Strategy* strategy = find_strategy(step.strategy);
    if (strategy == nullptr) return fail(concat("there is no strategy '", step.strategy, "'"));
    expect("level", std::string(name_of(strategy->level)), "is not the strategy's");
    expect("difficulty", std::string(strategy->difficulty()), "is not the strategy's");
    const auto choice = parse_json(text("choice"));
    const Json wanted = to_json(step);
    if (!choice || choice->dump() != wanted.find("choice")->dump()) fail("column 'choice' is not that of the recipe");
  }

  void check_reasoning(const Json& trace, const char* column, Profile profile) {
    const auto words = reasoning_of(trace, original_, transformed_, profile);
    if (!words) return fail(concat("column 'trace': ", words.error().message));
    expect(column, *words, "is not the trace in words");
  }

  void expect_tokens(const std::string& column) {
    const auto& tokenizer = qwen3_tokenizer();
    const auto count = tokenizer->count(text(column));
    const Json* stated = row_.find(column + "_tokens");
    if (!count || static_cast<std::int64_t>(*count) != *stated->as_integer()) {
      fail(concat("column '", column, "_tokens' is not the number of tokens"));
    }
  }

  void check_lowered(const Program& program, const std::string& of) {
    const auto tir = tir_text_of(program);
    const auto cuda = cuda::lower(program);
    if (!tir || tir->text != text(of + "_tir")) fail(concat("column '", of, "_tir' is not what the program lowers to"));
    const std::string_view target = word_of(tir ? tir->target : DeviceKind::cpu);
    if (tir && target != text(of + "_tir_target")) fail(concat("column '", of, "_tir_target' is not ", target));
    if (!cuda || cuda->text != text(of + "_cuda")) {
      fail(concat("column '", of, "_cuda' is not what the program lowers to"));
    }
    expect_tokens(of + "_tir");
    expect_tokens(of + "_cuda");
  }

  const Json& row_;
  CheckedRow& out_;
  Program root_;
  Program original_;
  Program transformed_;
};

}  // namespace

CheckedRow check_archive_row(const Json& row, const Table& table, Split split,
                             const std::optional<VerifyOptions>& judge) {
  CheckedRow out;
  const std::string problem = misfit(row, table.schema);
  if (!problem.empty()) {
    out.problems.push_back(problem);
    return out;
  }
  const Json& safe = *row.find("safe");
  const bool is_safe = safe.as_bool() != nullptr && *safe.as_bool();
  if (is_safe != (table.name == "archive")) {
    out.problems.push_back(is_safe ? "a safe row in equal_unsafe" : "a row that is not safe in the archive");
  }
  if (text_of(row, "split") != name_of(split)) {
    out.problems.push_back(concat("the row says split ", text_of(row, "split"), " and lies in ", name_of(split)));
  }
  RowChecker checker(row, out);
  if (!checker.read_programs()) return out;
  checker.check_hashes();
  checker.check_recipe();
  checker.check_texts();
  if (judge) checker.judge(*judge);
  return out;
}

}  // namespace steptp::dataset
