#pragma once

// What a dataset is exported to: tables, each in a folder of its own with one file per split, and configs, which are
// what people load by name. A config is one table or two of the same columns.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/columns/schema.h"

namespace steptp::dataset {

/// How programs are written in a row.
enum class Language : std::uint8_t { leir, compact, tir };
/// "leir", "compact", "tir": in columns.
[[nodiscard]] std::string_view name_of(Language language);
/// "LEIR", "compact LEIR", "TVM TIR": in prompts.
[[nodiscard]] std::string_view spoken_name(Language language);

/// The published variants for ablations; `f` and `uf` are filtered and unfiltered.
struct ChatVariant {
  std::string_view name;
  Language language = Language::leir;
  bool is_filtered = true;
  bool has_reasoning = true;
};
[[nodiscard]] std::span<const ChatVariant> chat_variants();

struct Table {
  std::string name;  ///< the folder below data/: "archive", "chat/full/single"
  TableSchema schema;
};
[[nodiscard]] const std::vector<Table>& all_tables();
/// Null where there is none of that name.
[[nodiscard]] const Table* find_table(std::string_view name);

struct ExportConfig {
  std::string name;
  std::vector<std::string> tables;
  std::string meaning;
};
/// In the order of the card. The first is what a loader gets that names none.
[[nodiscard]] const std::vector<ExportConfig>& all_configs();
[[nodiscard]] const ExportConfig* find_config(std::string_view name);

}  // namespace steptp::dataset
