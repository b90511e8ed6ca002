#include "steptp/exports/card.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/columns/schema.h"
#include "steptp/exports/tables.h"

namespace steptp::dataset {

namespace {

/// A config with what of it was exported.
struct Listed {
  const ExportConfig* config = nullptr;
  std::vector<const ExportedTable*> tables;

  [[nodiscard]] const SplitFile* file(const ExportedTable& table, Split split) const {
    const auto found = std::find_if(table.splits.begin(), table.splits.end(),
                                    [split](const SplitFile& file) { return file.split == split; });
    return found == table.splits.end() ? nullptr : &*found;
  }
  /// The sum of a count over the tables.
  [[nodiscard]] std::uint64_t sum(Split split, std::uint64_t SplitFile::*count) const {
    std::uint64_t out = 0;
    for (const ExportedTable* table : tables) {
      if (const SplitFile* one = file(*table, split)) out += one->*count;
    }
    return out;
  }
  [[nodiscard]] std::uint64_t sum(std::uint64_t SplitFile::*count) const {
    std::uint64_t out = 0;
    for (const Split split : kAllSplits) out += sum(split, count);
    return out;
  }
};

/// Those with rows: a loader fails on a pattern without files.
std::vector<Listed> listed_configs(const Manifest& manifest) {
  std::vector<Listed> out;
  for (const std::string& name : manifest.configs) {
    Listed one{find_config(name), {}};
    if (one.config == nullptr) continue;
    for (const std::string& table : one.config->tables) {
      if (const ExportedTable* found = manifest.find(table)) one.tables.push_back(found);
    }
    if (!one.tables.empty()) out.push_back(std::move(one));
  }
  return out;
}

std::string_view size_category(std::uint64_t rows) {
  if (rows < 1'000) return "n<1K";
  if (rows < 10'000) return "1K<n<10K";
  if (rows < 100'000) return "10K<n<100K";
  return rows < 1'000'000 ? "100K<n<1M" : "1M<n<10M";
}

void write_files(std::string& out, const Listed& listed, bool is_default) {
  append(out, "- config_name: ", listed.config->name, "\n");
  if (is_default) append(out, "  default: true\n");
  append(out, "  data_files:\n");
  for (const Split split : kAllSplits) {
    if (listed.sum(split, &SplitFile::rows) == 0) continue;
    append(out, "  - split: ", name_of(split), "\n    path:\n");
    for (const ExportedTable* table : listed.tables) {
      if (listed.file(*table, split) != nullptr) append(out, "    - ", parquet_name(table->name, split), "\n");
    }
  }
}

void write_feature(std::string& out, const Column& column) {
  append(out, "  - name: ", column.name, "\n");
  switch (column.kind) {
    case ColumnKind::text: append(out, "    dtype: string\n"); return;
    case ColumnKind::integer: append(out, "    dtype: int64\n"); return;
    case ColumnKind::real: append(out, "    dtype: float64\n"); return;
    case ColumnKind::boolean: append(out, "    dtype: bool\n"); return;
    case ColumnKind::texts: append(out, "    list: string\n"); return;
    case ColumnKind::booleans: append(out, "    list: bool\n"); return;
    case ColumnKind::messages:
      append(out, "    list:\n    - name: role\n      dtype: string\n    - name: content\n      dtype: string\n");
      return;
  }
}

void write_info(std::string& out, const Listed& listed) {
  append(out, "- config_name: ", listed.config->name, "\n  features:\n");
  for (const Column& column : find_table(listed.config->tables.front())->schema) write_feature(out, column);
  append(out, "  splits:\n");
  for (const Split split : kAllSplits) {
    const std::uint64_t rows = listed.sum(split, &SplitFile::rows);
    if (rows == 0) continue;
    append(out, "  - name: ", name_of(split), "\n    num_bytes: ", listed.sum(split, &SplitFile::raw_bytes),
           "\n    num_examples: ", rows, "\n");
  }
  append(out, "  download_size: ", listed.sum(&SplitFile::parquet_bytes),
         "\n  dataset_size: ", listed.sum(&SplitFile::raw_bytes), "\n");
}

std::string front_matter(const std::vector<Listed>& configs) {
  std::string out = "---\nlicense: apache-2.0\npretty_name: StepTP verified steps on tensor programs\n";
  append(out, "language:\n- en\ntask_categories:\n- text-generation\ntags:\n- code\n- compilers\n- gpu\n- reasoning\n");
  const std::uint64_t rows = configs.empty() ? 0 : configs.front().sum(&SplitFile::rows);
  append(out, "size_categories:\n- ", size_category(rows), "\nconfigs:\n");
  for (std::size_t i = 0; i < configs.size(); ++i) write_files(out, configs[i], i == 0);
  append(out, "dataset_info:\n");
  for (const Listed& listed : configs) write_info(out, listed);
  return out + "---\n";
}

std::string config_table(const std::vector<Listed>& configs) {
  std::string out = "| config |";
  for (const Split split : kAllSplits) append(out, " ", name_of(split), " |");
  append(out, " what it holds |\n|---|---:|---:|---:|---:|---|\n");
  for (const Listed& listed : configs) {
    append(out, "| `", listed.config->name, "` |");
    for (const Split split : kAllSplits) append(out, " ", listed.sum(split, &SplitFile::rows), " |");
    append(out, " ", listed.config->meaning, " |\n");
  }
  return out;
}

std::string column_table(const TableSchema& schema) {
  std::string out = "| column | type | meaning |\n|---|---|---|\n";
  for (const Column& column : schema) {
    append(out, "| `", column.name, "` | ", name_of(column.kind), column.optional ? " or null" : "", " | ",
           column.meaning, " |\n");
  }
  return out;
}

bool has_kernelbench(const Manifest& manifest) {
  return std::find(manifest.origins.begin(), manifest.origins.end(), "kernelbench") != manifest.origins.end();
}

std::string compiled_text(const Manifest& manifest) {
  if (manifest.compiled.empty()) return "No program of this data was compiled.\n\n";
  std::string out = "A sample of the transformed programs was compiled as well, without a fault:";
  for (const auto& [compiler, count] : manifest.compiled) append(out, " ", count, " by ", compiler, ";");
  return out + " the archive says which (`compilers`).\n\n";
}

std::string left_out(const Manifest& manifest) {
  std::string out;
  if (manifest.only_useful) {
    append(out,
           "Rows of which no answer is expected to be faster, on an NVIDIA H200 or a plain CPU, are left out.\n\n");
  }
  if (manifest.max_tokens > 0) {
    append(out, "Rows of more than ", manifest.max_tokens, " tokens (prompt and answer together) are left out:");
    if (manifest.rows_too_long.empty()) append(out, " there were none");
    for (const auto& [table, count] : manifest.rows_too_long) append(out, " ", count, " of `", table, "`;");
    append(out, "\n\n");
  }
  if (manifest.near_misses_tried > 0) {
    append(out, "Wrong answers were looked for beside ", manifest.near_misses_tried, " right ones and found for ",
           manifest.near_misses_found, ":");
    for (const auto& [change, count] : manifest.near_miss_changes) append(out, " ", change, " (", count, ");");
    append(out, " each was judged and comes with its counterexample, or with what `check` finds.\n\n");
  }
  return out;
}

constexpr std::uint64_t kFewRows = 100;

/// Strategies that a model sees little of here, and why.
std::string rare_strategies(const Manifest& manifest) {
  std::string rows;
  for (const auto& [name, count] : manifest.strategies) {
    if (count.safe >= kFewRows) continue;
    append(rows, "| `", name, "` | ", count.safe, " | ", count.unsafe, " |\n");
  }
  if (rows.empty()) return concat("Every strategy has at least ", kFewRows, " safe rows.\n\n");
  return concat("Strategies with fewer than ", kFewRows,
                " safe rows in `archive`, all splits together, and how many more are equal but not shown safe:\n\n"
                "| strategy | safe rows | in `equal_unsafe` |\n|---|---:|---:|\n",
                rows, "\n");
}

constexpr std::string_view kIntroduction = R"(
# Verified steps on tensor programs

Each row asks a model to transform a tensor program, written in LEIR (a loop-equation IR), into a different program that
computes the same, and gives such a program, the strategy that was applied and the reasoning. No answer was written by a
model: steps are made by the strategies of StepTP, the reasoning is rendered from the facts that a strategy recorded
while it worked, and every answer was compared with the program it came from by a judge that does not know how it was
made.

```python
from datasets import load_dataset
rows = load_dataset("PATH_OR_NAME", "chat_full", split="train")   # the first config is what you get without a name
print(rows[0]["messages"][1]["content"])
```

)";

constexpr std::string_view kHowRowsAreMade = R"(
An assistant's message with reasoning is exactly `<think>\n{reasoning}\n</think>\n\n<answer>{json}</answer>`, Qwen3's own
form. Rows without reasoning (`*_nocot*`) hold only `<answer>{json}</answer>`: serve a model that was trained on them
with thinking turned off. The JSON of a single answer is `{"transformed_IR":...,"applied_strategy":...}`; of several, a
list of these with `idx`. `prompt_tokens` and `completion_tokens` count with Qwen3's template around the row; many rows
are longer than the 1,024 tokens that some trainers cut at by default, so set their limit or export with `--max-tokens`.

## Splits

`train`; `test_shape`: types of programs that training has, in shapes and dtypes that it has not; `test_type`: types and
compositions that training does not have; `multi_step`: 100 published workloads, never in training. A build that breaks
one of these rules fails.

)";

constexpr std::string_view kVerification = R"(
## What was verified

`grade` says how a transformed program is known to equal the program its recipe starts from: `proved` (a proof that holds
for all inputs and elements) or `exact` (shown cell by cell, or element by element; `bound_log2` bounds the chance of an
error). No row rests on sampled agreement alone, and no answer has numbers where its original never has a value. Beyond
that, every row of every config but `equal_unsafe` is numerically safe: at all inputs of middle magnitude that the
original can bear, it does not overflow, divide by zero or take another branch within the bound of its rounding errors,
and that bound is not much above the one of the original. `safe_by` says whether that is a proof or a search that found
nothing. `equal_unsafe` has the entries that are equal and not shown safe, with the label in `safe`: false where an input
is known at which their bound is worse (a run there need not be), null where that is not decided. Anyone can look again:
`steptp dataset validate DIR` replays every recipe and judges rows anew.

)";

constexpr std::string_view kColumns = R"(
## Columns

Free-form values are JSON in a string. `archive.schema.json` is the JSON Schema of the archive's rows.

)";

constexpr std::string_view kLicences = R"(
## Licence

Apache-2.0, like StepTP, which made the programs, the steps and the texts. Token counts are under the tokenizer of Qwen3
(Apache-2.0). )";

constexpr std::string_view kKernelBench =
    R"(Programs whose `origin` begins with `kernelbench` compute the same as tasks of
KernelBench (MIT licence), written anew: results on KernelBench after training on them are not held out. The config
`no_kernelbench` is without them.
)";

constexpr std::string_view kFiles = R"(
## Files

`data/TABLE/SPLIT.parquet`, and the same rows beside it as JSON lines (`.jsonl.zst`); `checksums.sha256`, for
`sha256sum -c`; `manifest.json`: counts and the configuration that the data was built with.
)";

}  // namespace

std::string card(const Manifest& manifest) {
  const std::vector<Listed> configs = listed_configs(manifest);
  std::string out = front_matter(configs);
  append(out, kIntroduction, "Made of ", manifest.programs, " programs. Rows by config and split:\n\n",
         config_table(configs), "\n", left_out(manifest), kHowRowsAreMade.substr(1), kVerification.substr(1),
         rare_strategies(manifest), compiled_text(manifest), kColumns.substr(1));
  std::vector<const TableSchema*> shown;
  for (const Listed& listed : configs) {
    const Table* table = find_table(listed.config->tables.front());
    const std::string columns = column_table(table->schema);
    const bool is_chat = listed.config->name.starts_with("chat_") || listed.config->name == "deep" ||
                         listed.config->name == "no_kernelbench";
    if (is_chat && !shown.empty()) continue;
    if (is_chat) shown.push_back(&table->schema);
    append(out, "### ", is_chat ? std::string("chat_*, deep, no_kernelbench") : listed.config->name, "\n\n", columns,
           "\n");
  }
  append(out, kLicences.substr(1), has_kernelbench(manifest) ? kKernelBench : std::string_view("\n"), kFiles);
  return out;
}

}  // namespace steptp::dataset
