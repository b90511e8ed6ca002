#include "steptp/exports/tables.h"

#include <algorithm>
#include <array>

#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

using Kind = ColumnKind;

constexpr std::array<ChatVariant, 7> kVariants = {{
    {"full", Language::leir, true, true},
    {"full_compact", Language::compact, true, true},
    {"f_leir_nocot", Language::leir, true, false},
    {"f_leir_nocot_compact", Language::compact, true, false},
    {"f_tir_nocot", Language::tir, true, false},
    {"uf_leir_cot", Language::leir, false, true},
    {"uf_leir_cot_compact", Language::compact, false, true},
}};

Column text(std::string name, std::string meaning) { return {std::move(name), Kind::text, std::move(meaning), false}; }
Column integer(std::string name, std::string meaning) {
  return {std::move(name), Kind::integer, std::move(meaning), false};
}
Column flag(std::string name, std::string meaning) {
  return {std::move(name), Kind::boolean, std::move(meaning), false};
}
Column texts(std::string name, std::string meaning) {
  return {std::move(name), Kind::texts, std::move(meaning), false};
}
Column messages(std::string name, std::string meaning) {
  return {std::move(name), Kind::messages, std::move(meaning), false};
}

void add(TableSchema& schema, TableSchema more) {
  for (Column& column : more) schema.push_back(std::move(column));
}

TableSchema program_columns() {
  return {text("program_id", "of the program the steps start from: a hash of its canonical form, shapes and dtypes"),
          text("program", "its name: the type and a number among those of its type"),
          text("origin", "kernelbench/level1/NN, zoo, composition or import")};
}

/// Longer than a screen, because it is one list: the columns in their order, each with its meaning.
/// With `is_safe`, of rows that are shown safe; otherwise of those that are equal and no more.
TableSchema archive_schema(bool is_safe) {
  TableSchema out = {text("id", "of the entry: a hash of the program and the recipe")};
  add(out, program_columns());
  add(out,
      {text("type", "of the zoo, or composition, or import"),
       text("arguments", "of the type, as JSON: what `steptp zoo show --arg` takes"),
       text("dtype", "that the type was built with; empty for an import"),
       text("split", "train, test_shape, test_type or multi_step"),
       text("structure", "a hash of the operators and who reads whom, without shapes; empty for an import"),
       text("signature", "the known variables, as JSON"),
       text("torch", "the program as a self-contained PyTorch file; empty for an import"),
       integer("depth", "steps between the program and `original_leir`: 0, they are the same"),
       text("parent", "the entry whose transformed program is this one's original; empty where depth is 0"),
       text("root_leir", "the program all steps of the recipe start from"),
       text("original_leir", "the program before the step, paper profile"),
       text("original_leir_compact", "the same, compact profile"),
       text("original_tir", "the same as TVM TIR, in the spelling of TVM 0.21"),
       text("original_tir_target", "cuda, or cpu: threads as loops, where TVM cannot build it for a GPU"),
       text("original_cuda", "the same as CUDA C++"),
       text("transformed_leir", "the program after the step, paper profile"),
       text("transformed_leir_compact", "the same, compact profile"),
       text("transformed_tir", "the same as TVM TIR, in the spelling of TVM 0.21"),
       text("transformed_tir_target", "cuda, or cpu: threads as loops, where TVM cannot build it for a GPU"),
       text("transformed_cuda", "the same as CUDA C++"),
       text("strategy", "that was applied: one of the 43"),
       text("level", "of the strategy: graph, operator, memory or math"),
       text("difficulty", "of the strategy: easy, medium or difficult"),
       flag("extended", "the choice is beyond the published form of the strategy"),
       text("choice", "where and how, as JSON: what `steptp apply --choice` takes"),
       text("recipe", "all steps from `root_leir` on, as JSON: what `steptp replay --recipe` takes"),
       text("reasoning", "the chain of thought, quoting the paper profile"),
       text("reasoning_compact", "the same, quoting the compact profile"),
       text("answer", "the answer that a model is to give, as JSON, paper profile"),
       text("trace", "the reasoning as structure, as JSON"),
       text("phrasing", "the seed of its wording"),
       text("grade", "how `transformed_leir` is known to equal `root_leir`: proved or exact"),
       {"safe", Kind::boolean,
        is_safe ? "true: shown to be numerically no worse than `root_leir` at all good inputs"
                : "false: at some good input its error bound is worse than that of `root_leir`; null: not decided",
        !is_safe},
       text("safe_by", "what `safe` rests on: proof, or search (a stated budget); empty where it is not known"),
       text("safe_range", "the magnitudes of inputs over which it was asked: middle"),
       {"stable", Kind::boolean,
        "the same where each input may be off by half a unit in the last place; null: not known", true},
       {"bound_log2", Kind::real,
        "log2 of the chance that an exact verdict is wrong; null where none was taken, and for other grades", true},
       integer("points", "output elements at which both programs were evaluated"),
       {"agree_bits", Kind::integer, "leading bits in which both agree; null where that was not asked", true},
       texts("assumes", "what the verdict takes for granted of the inputs"),
       text("trials", "the independent judgements with their seeds, as JSON; none where a proof needed no input"),
       text("original_hash", "of the canonical form"),
       text("transformed_hash", "of the canonical form"),
       {"expected_gpu_before_us", Kind::real,
        "microseconds that `original_leir` is expected to take on an NVIDIA H200, by `steptp estimate`; null: not "
        "known",
        true},
       {"expected_gpu_after_us", Kind::real, "the same of `transformed_leir`", true},
       {"expected_cpu_before_us", Kind::real, "the same of `original_leir` on a plain CPU", true},
       {"expected_cpu_after_us", Kind::real, "the same of `transformed_leir`", true},
       text("compiled", "by which compiler the transformed program was compiled: nvrtc, tvm, llvm or none"),
       texts("compilers", "all that compiled it, where it belongs to the sample that is compiled"),
       integer("original_leir_tokens", "under the Qwen3 tokenizer, like all counts"),
       integer("original_leir_compact_tokens", ""),
       integer("original_tir_tokens", ""),
       integer("original_cuda_tokens", ""),
       integer("transformed_leir_tokens", ""),
       integer("transformed_leir_compact_tokens", ""),
       integer("transformed_tir_tokens", ""),
       integer("transformed_cuda_tokens", "")});
  for (Column& column : out) {
    if (column.meaning.empty()) column.meaning = "tokens of that text";
  }
  return out;
}

/// What every row made of entries says about them.
TableSchema entry_columns() {
  TableSchema out = program_columns();
  add(out,
      {text("language", "in which programs are written: leir, compact or tir"),
       texts("entries", "ids of the archive's rows that it is made of, one per answer"),
       texts("strategies", "one per answer"),
       texts("levels", "one per answer"),
       texts("difficulties", "one per answer"),
       texts("grades", "one per answer"),
       {"usefulness", Kind::real,
        "the largest share of the expected time that a step saves on a GPU or a CPU; the mean of its answers", false}});
  return out;
}

TableSchema token_columns() {
  return {integer("prompt_tokens", "of the prompt with Qwen3's template around it, up to where the answer begins"),
          integer("completion_tokens", "of the answer with its end; of the longer one where there are two")};
}

TableSchema chat_schema() {
  TableSchema out = {text("id", "of the row"),
                     messages("messages", "the conversation: the user asks, the assistant answers"),
                     text("kind", "single or multi: how many answers are asked for"),
                     texts("tir_targets",
                           "where language is tir: cuda or cpu (threads as loops), of the question's program and of "
                           "each answer")};
  add(out, entry_columns());
  add(out, token_columns());
  return out;
}

/// Rows with these columns in front, for one kind of trainer.
TableSchema trainer_schema(TableSchema front) {
  TableSchema out = {text("id", "of the row")};
  add(out, std::move(front));
  add(out, entry_columns());
  add(out, token_columns());
  return out;
}

TableSchema near_miss_schema() {
  TableSchema out = {text("id", "of the row")};
  add(out, program_columns());
  add(out, {text("entry", "id of the archive's row with the right answer"), text("strategy", "of the right answer"),
            text("signature", "the known variables, as JSON"), text("original_leir", "the program before the step"),
            text("transformed_leir", "the right answer"), text("wrong_leir", "a program close to it that is wrong"),
            text("change", "the slip: \"a stale index\""),
            text("wrong_reasoning", "the thought that makes the slip, quoting `wrong_leir`"),
            text("verdict", "differs, or invalid: it fails `check`"),
            text("reason", "why the judge says that `wrong_leir` differs from `original_leir`, or what `check` finds"),
            text("counterexample",
                 "inputs and an output element that show it, as JSON: `steptp verify --replay`; null: invalid")});
  return out;
}

TableSchema stepwise_schema() {
  TableSchema out = {text("id", "of the row"),
                     text("prompt", "the question, for several steps"),
                     texts("completions", "three to eight steps from the program on, one after another"),
                     {"labels", Kind::booleans, "whether each step is right; what is wrong is the last", false}};
  add(out, program_columns());
  add(out, {text("language", "leir: in which programs are written"), texts("strategies", "one per step"),
            text("recipe", "the right steps, and what the last one should have been, as JSON: `steptp replay`"),
            text("change", "the slip in the last step; empty where all are right"),
            text("reason", "why the judge refuses it")});
  add(out, token_columns());
  return out;
}

TableSchema rl_schema() {
  TableSchema out = {text("id", "of the row"), messages("prompt", "the question, for one answer")};
  add(out, program_columns());
  add(out, {text("language", "leir: in which programs are written"),
            text("signature", "the known variables, as JSON: for the judge"),
            text("before", "the program that an answer is compared with: for the judge"),
            texts("strategies", "that are known to have a verified step on it, each once"),
            integer("prompt_tokens", "of the prompt with Qwen3's template around it")});
  return out;
}

std::vector<Table> make_tables() {
  std::vector<Table> tables = {{"archive", archive_schema(true)}, {"equal_unsafe", archive_schema(false)}};
  for (const ChatVariant& variant : kVariants) {
    for (const char* kind : {"single", "multi"}) {
      tables.push_back({concat("chat/", variant.name, "/", kind), chat_schema()});
    }
  }
  tables.push_back({"deep", chat_schema()});
  tables.push_back({"no_kernelbench", chat_schema()});
  tables.push_back(
      {"sft_trl", trainer_schema({messages("prompt", "the question"), messages("completion", "the answer")})});
  tables.push_back({"dpo_trl", trainer_schema({messages("prompt", "the question"), messages("chosen", "a right answer"),
                                               messages("rejected", "one that is nearly right, and wrong")})});
  tables.push_back({"dpo_swift", trainer_schema({messages("messages", "the conversation with a right answer"),
                                                 text("rejected_response", "one that is nearly right, and wrong")})});
  tables.push_back({"kto_trl", trainer_schema({messages("prompt", "the question"), messages("completion", "an answer"),
                                               flag("label", "whether it is right")})});
  tables.push_back({"stepwise", stepwise_schema()});
  tables.push_back({"rl", rl_schema()});
  tables.push_back({"near_miss", near_miss_schema()});
  return tables;
}

std::string variant_meaning(const ChatVariant& variant) {
  return concat(variant.is_filtered ? "filtered" : "unfiltered", " rows in ", spoken_name(variant.language),
                variant.has_reasoning ? ", with reasoning" : ", answers only",
                "; single- and multi-answer rows together, as `messages`");
}

std::vector<ExportConfig> make_configs() {
  std::vector<ExportConfig> configs;
  for (const ChatVariant& variant : kVariants) {
    const std::string folder = concat("chat/", variant.name, "/");
    configs.push_back({concat("chat_", variant.name), {folder + "single", folder + "multi"}, variant_meaning(variant)});
  }
  for (const std::string suffix : {"", "_compact"}) {
    for (const std::string kind : {"single", "multi"}) {
      configs.push_back({concat("chat_", kind, suffix),
                         {concat("chat/full", suffix, "/", kind)},
                         concat("the ", kind, "-answer rows of chat_full", suffix)});
    }
  }
  configs.push_back(
      {"archive", {"archive"}, "every verified and safe entry with all that is known of it, before any filter"});
  configs.push_back({"equal_unsafe",
                     {"equal_unsafe"},
                     "entries that are equal but not shown safe, labelled by `safe`; no other config has them"});
  configs.push_back({"deep", {"deep"}, "single-answer rows that start from states behind the original program"});
  configs.push_back({"no_kernelbench", {"no_kernelbench"}, "chat_full without programs that are KernelBench tasks"});
  configs.push_back({"sft_trl", {"sft_trl"}, "chat_full as prompt and completion, for TRL"});
  configs.push_back({"dpo_trl", {"dpo_trl"}, "a right and a nearly right answer, for TRL's DPO"});
  configs.push_back({"dpo_swift", {"dpo_swift"}, "the same for ms-swift"});
  configs.push_back({"kto_trl", {"kto_trl"}, "right and wrong answers, each with its label, for TRL's KTO"});
  configs.push_back(
      {"stepwise",
       {"stepwise"},
       "three to eight verified steps, in half of the rows with a slip in the last; for process rewards"});
  configs.push_back({"rl", {"rl"}, "questions with what the judge needs, for GRPO with steptp.rewards"});
  configs.push_back({"near_miss",
                     {"near_miss"},
                     "steps with a slip in them, in words and in the program, and what shows that they are wrong"});
  return configs;
}

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::leir: return "leir";
    case Language::compact: return "compact";
    case Language::tir: return "tir";
  }
  return {};
}

std::string_view spoken_name(Language language) {
  switch (language) {
    case Language::leir: return "LEIR";
    case Language::compact: return "compact LEIR";
    case Language::tir: return "TVM TIR";
  }
  return {};
}

std::span<const ChatVariant> chat_variants() { return kVariants; }

const std::vector<Table>& all_tables() {
  static const std::vector<Table> tables = make_tables();
  return tables;
}

const Table* find_table(std::string_view name) {
  const auto& tables = all_tables();
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

const std::vector<ExportConfig>& all_configs() {
  static const std::vector<ExportConfig> configs = make_configs();
  return configs;
}

const ExportConfig* find_config(std::string_view name) {
  const auto& configs = all_configs();
  const auto found =
      std::find_if(configs.begin(), configs.end(), [&](const ExportConfig& config) { return config.name == name; });
  return found == configs.end() ? nullptr : &*found;
}

}  // namespace steptp::dataset
