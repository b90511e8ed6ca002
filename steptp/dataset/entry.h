#pragma once

// The records of a dataset as plain data, with JSON both ways: what the builder writes into the raw store and every
// export reads from it. docs/dataset.md explains each field.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/signature.h"

namespace steptp::dataset {

/// Which part of the dataset a program belongs to; decided before anything is sampled.
enum class Split : std::uint8_t { train, test_shape, test_type, multi_step };
inline constexpr Split kAllSplits[] = {Split::train, Split::test_shape, Split::test_type, Split::multi_step};
[[nodiscard]] std::string_view name_of(Split split);
[[nodiscard]] std::optional<Split> parse_split(std::string_view name);

/// Tokens of one program in each of its forms, under the Qwen3 tokenizer.
struct FormTokens {
  std::uint64_t paper = 0;
  std::uint64_t compact = 0;
  std::uint64_t tir = 0;
  std::uint64_t cuda = 0;
  bool operator==(const FormTokens&) const = default;
};

/// A program that entries start from.
struct DatasetProgram {
  std::string id;            ///< 16 hex digits: canonical program, shapes and dtypes
  std::uint64_t number = 0;  ///< in the plan of the build; records are in this order
  std::string name;          ///< the type and the number of the program among those of its type: "LayerNorm_12"
  std::string type;          ///< of the zoo; "composition" or "import" elsewhere
  Json arguments;      ///< of the type: {"N":16}; of a composition {"seed":...,"index":...}; of an import {"file":...}
  std::string dtype;   ///< that the type was built with ("float32"); empty for an import
  std::string origin;  ///< "kernelbench/level1/12", "zoo", "composition", "import"
  Split split = Split::train;
  Signature signature;
  std::string leir;   ///< paper profile, without signature lines
  std::string torch;  ///< a self-contained PyTorch file; empty for an import
  std::string tir;    ///< as the published data spells it (tvm-0.21)
  std::string cuda;
  std::string structure;  ///< 16 hex digits: operators and who reads whom, without shapes; empty for an import
  FormTokens tokens;
  bool operator==(const DatasetProgram&) const;
};

/// One judgement with inputs of its own.
struct Trial {
  std::uint64_t seed = 0;
  std::string grade;
  std::uint64_t points = 0;
  std::optional<double> bound_log2;
  std::optional<std::int64_t> agree_bits;
  std::optional<bool> safe;  ///< nothing: not known
  bool operator==(const Trial&) const = default;
};

/// What the judge says of an entry, `after` against the root program.
struct EntryVerdict {
  std::string grade;  ///< the weakest of the trials: "proved" or "exact"
  std::optional<double> bound_log2;
  std::uint64_t points = 0;
  std::optional<std::int64_t> agree_bits;
  /// Numerically no worse than the root at all good inputs; the weakest of the trials. Nothing: not known.
  std::optional<bool> safe;
  std::string safe_by;         ///< "proof" or "search"; empty where `safe` is not known
  std::string safe_range;      ///< the magnitudes over which that was asked: "middle"
  std::optional<bool> stable;  ///< the same where each input may be off by half a unit in the last place
  std::vector<std::string> assumes;
  /// Three, each with a fresh seed. Where grade and `safe` are proved, nothing is drawn: then there is none, and
  /// `inputs_drawn` is false. A proof whose `safe` was searched for has one, with the seed of the search.
  std::vector<Trial> trials;
  bool inputs_drawn = false;
  bool operator==(const EntryVerdict&) const = default;
};

/// One verified step.
struct Entry {
  std::string id;           ///< 16 hex digits: program, recipe
  std::string program;      ///< the id of the root
  std::string parent;       ///< the entry whose `after` is this `before`; empty where that is the root
  std::uint64_t depth = 0;  ///< steps between the root and `before`
  Json recipe;              ///< from the root, this step included: an array of {"strategy","choice"}
  std::string before;       ///< paper profile
  std::string after;
  std::string strategy;
  std::string level;           ///< "graph", "operator", "memory", "math"
  std::string difficulty;      ///< "easy", "medium", "difficult"
  Json choice;                 ///< {"at":...}: what `steptp apply --choice` takes
  bool extended = false;       ///< beyond the published form of the strategy
  Json trace;                  ///< the reasoning as structure (reasoning/trace.h)
  std::uint64_t phrasing = 0;  ///< the seed of its wording
  EntryVerdict verdict;
  std::string before_hash;  ///< of the canonical forms
  std::string after_hash;
  std::string tir;  ///< of `after`; that of `before` is the parent's, or the program's
  std::string cuda;
  std::string compiled;                ///< "nvrtc", "tvm", "llvm" or "none": the first of those who compiled it
  std::vector<std::string> compilers;  ///< all of them; known once the build is complete, and no part of the raw store
  FormTokens tokens;                   ///< of `after`
  bool operator==(const Entry&) const;
};

/// Why candidates did not become entries, by reason and strategy: "undecided: online_softmax", ...
using DropCounts = std::map<std::string, std::uint64_t>;

/// A program with all that was made of it: one line of the raw store.
struct ProgramRecord {
  DatasetProgram program;
  /// Equal and safe, in the order in which they were drawn; a parent stands before its children.
  std::vector<Entry> entries;
  /// Equal, but shown unsafe or not shown safe: the config `equal_unsafe` and nothing else is made of them. Their
  /// parents are among `entries`.
  std::vector<Entry> unsafe_entries;
  DropCounts dropped;
  /// Why nothing was made of the program: "crashed: ..." (quarantined), "degenerate", ...; empty where something was.
  std::string excluded;
  bool operator==(const ProgramRecord&) const = default;
};

[[nodiscard]] Json to_json(const DatasetProgram& program);
[[nodiscard]] Json to_json(const Entry& entry);
[[nodiscard]] Json to_json(const ProgramRecord& record);
/// What was written so; the text says what is wrong with another.
[[nodiscard]] Result<ProgramRecord, std::string> record_from_json(const Json& json);

/// 16 hex digits.
[[nodiscard]] std::string hash_name(Hash hash);

/// A row of an export: which entries it is made of.
struct SelectedRow {
  enum class Kind : std::uint8_t { single, multi };
  Kind kind = Kind::single;
  bool is_filtered = true;  ///< false: the same without the filter of difficulties, for the ablation
  bool is_deep = false;     ///< starts from a state behind the root: config `deep`
  Split split = Split::train;
  std::string program;
  std::vector<std::string> entries;  ///< one, or at least two for `multi`, all with one `before`
  bool operator==(const SelectedRow&) const = default;
};
[[nodiscard]] Json to_json(const SelectedRow& row);
[[nodiscard]] Result<SelectedRow, std::string> selected_row_from_json(const Json& json);

}  // namespace steptp::dataset
