#include "steptp/exports/archive_index.h"

#include <optional>

#include "steptp/exports/expected_times.h"

#include <utility>

#include "steptp/base/text.h"

namespace steptp::dataset {

const std::string& text_of(const Json& row, std::string_view column) {
  static const std::string kNone;
  const Json* value = row.find(column);
  return value == nullptr || value->as_string() == nullptr ? kNone : *value->as_string();
}

bool ArchiveIndex::add(const Json& row, Split split, Signature signature) {
  const std::string key = concat(text_of(row, "program_id"), " ", text_of(row, "parent"));
  std::shared_ptr<const AskedProgram>& before = asked_[key];
  if (!before) {
    before = std::make_shared<AskedProgram>(AskedProgram{
        text_of(row, "program"),
        text_of(row, "origin"),
        text_of(row, "program_id"),
        std::move(signature),
        {text_of(row, "original_leir"), text_of(row, "original_leir_compact"), text_of(row, "original_tir")}});
  }
  if (text_of(row, "parent").empty()) roots_.emplace(text_of(row, "program_id"), before);
  IndexedEntry entry;
  entry.split = split;
  entry.before = before;
  entry.parent = text_of(row, "parent");
  entry.after = {hash_bytes(text_of(row, "transformed_leir")), hash_bytes(text_of(row, "transformed_leir_compact")),
                 hash_bytes(text_of(row, "transformed_tir"))};
  entry.reasoning = text_of(row, "reasoning");
  entry.reasoning_compact = text_of(row, "reasoning_compact");
  entry.strategy = text_of(row, "strategy");
  entry.level = text_of(row, "level");
  entry.difficulty = text_of(row, "difficulty");
  entry.grade = text_of(row, "grade");
  const auto time = [&](const char* column) {
    const Json* value = row.find(column);
    return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
  };
  entry.useful = usefulness({time("expected_gpu_before_us"), time("expected_cpu_before_us")},
                            {time("expected_gpu_after_us"), time("expected_cpu_after_us")});
  return entries_.emplace(text_of(row, "id"), std::move(entry)).second;
}

const IndexedEntry* ArchiveIndex::find(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

const AskedProgram* ArchiveIndex::find_program(std::string_view program_id) const {
  const auto found = roots_.find(program_id);
  return found == roots_.end() ? nullptr : found->second.get();
}

}  // namespace steptp::dataset
