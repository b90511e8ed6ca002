#include "steptp/exports/manifest.h"

#include <algorithm>

#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

constexpr std::int64_t kFormat = 3;

Json counts_json(const std::map<std::string, std::uint64_t>& counts) {
  Json out{Json::Object{}};
  for (const auto& [name, count] : counts) out.set(name, count);
  return out;
}

/// Reads members of an object; the first that is not as it should be is named in `problem`.
struct Members {
  const Json& json;
  std::string& problem;

  [[nodiscard]] const Json* member(const char* key) const {
    const Json* found = json.find(key);
    if (found == nullptr && problem.empty()) problem = concat("'", std::string_view(key), "' is missing");
    return found;
  }
  [[nodiscard]] std::uint64_t natural(const char* key) const {
    const Json* found = member(key);
    if (found == nullptr) return 0;
    if (found->as_integer() != nullptr && *found->as_integer() >= 0) {
      return static_cast<std::uint64_t>(*found->as_integer());
    }
    if (problem.empty()) problem = concat("'", std::string_view(key), "' is not a count");
    return 0;
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json* found = member(key);
    if (found == nullptr) return {};
    if (found->as_string() != nullptr) return *found->as_string();
    if (problem.empty()) problem = concat("'", std::string_view(key), "' is not a string");
    return {};
  }
  [[nodiscard]] Json::Array array(const char* key) const {
    const Json* found = member(key);
    if (found == nullptr) return {};
    if (found->as_array() != nullptr) return *found->as_array();
    if (problem.empty()) problem = concat("'", std::string_view(key), "' is not an array");
    return {};
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    for (const Json& item : array(key)) {
      if (item.as_string() != nullptr) out.push_back(*item.as_string());
      if (item.as_string() == nullptr && problem.empty())
        problem = concat("'", std::string_view(key), "' holds no text");
    }
    return out;
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> counts(const char* key) const {
    std::map<std::string, std::uint64_t> out;
    const Json* found = member(key);
    if (found == nullptr || found->as_object() == nullptr) return out;
    const Members inner{*found, problem};
    for (const auto& [name, count] : *found->as_object()) out[name] = inner.natural(name.c_str());
    return out;
  }
};

ExportedTable table_from_json(const Json& json, std::string& problem) {
  const Members members{json, problem};
  ExportedTable out;
  out.name = members.text("table");
  for (const Json& item : members.array("splits")) {
    const Members inner{item, problem};
    const auto split = parse_split(inner.text("split"));
    if (!split && problem.empty()) problem = "a split of another name";
    out.splits.push_back({split.value_or(Split::train), inner.natural("rows"), inner.natural("raw_bytes"),
                          inner.natural("parquet_bytes"), inner.natural("too_long")});
  }
  return out;
}

}  // namespace

const ExportedTable* Manifest::find(std::string_view table) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const ExportedTable& item) { return item.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

Json to_json(const Manifest& manifest) {
  Json::Array listed;
  for (const ExportedTable& table : manifest.tables) {
    Json::Array splits;
    for (const SplitFile& file : table.splits) {
      Json one;
      one.set("split", name_of(file.split)).set("rows", file.rows).set("raw_bytes", file.raw_bytes);
      one.set("parquet_bytes", file.parquet_bytes).set("too_long", file.too_long);
      splits.push_back(std::move(one));
    }
    Json one;
    one.set("table", table.name).set("splits", std::move(splits));
    listed.push_back(std::move(one));
  }
  Json out;
  out.set("format", kFormat).set("configs", Json::Array(manifest.configs.begin(), manifest.configs.end()));
  out.set("programs", manifest.programs).set("origins", Json::Array(manifest.origins.begin(), manifest.origins.end()));
  out.set("only_useful", manifest.only_useful);
  out.set("max_tokens", manifest.max_tokens).set("rows_too_long", counts_json(manifest.rows_too_long));
  out.set("near_misses_tried", manifest.near_misses_tried).set("near_misses_found", manifest.near_misses_found);
  out.set("near_miss_changes", counts_json(manifest.near_miss_changes));
  out.set("compiled", counts_json(manifest.compiled));
  Json strategies{Json::Object{}};
  for (const auto& [name, rows] : manifest.strategies) {
    Json one;
    strategies.set(name, one.set("safe", rows.safe).set("unsafe", rows.unsafe));
  }
  out.set("strategies", std::move(strategies));
  return out.set("tables", std::move(listed)).set("configuration", manifest.configuration);
}

Result<Manifest, std::string> manifest_from_json(const Json& json) {
  std::string problem;
  const Members members{json, problem};
  const std::uint64_t format = members.natural("format");
  if (problem.empty() && format != kFormat) return concat("it has format ", format, ", and this reads ", kFormat);
  Manifest out;
  out.configs = members.texts("configs");
  out.programs = members.natural("programs");
  out.origins = members.texts("origins");
  out.max_tokens = members.natural("max_tokens");
  const Json* only_useful = members.member("only_useful");
  out.only_useful = only_useful && only_useful->as_bool() && *only_useful->as_bool();
  out.rows_too_long = members.counts("rows_too_long");
  out.near_misses_tried = members.natural("near_misses_tried");
  out.near_misses_found = members.natural("near_misses_found");
  out.near_miss_changes = members.counts("near_miss_changes");
  out.compiled = members.counts("compiled");
  if (const Json* strategies = members.member("strategies"); strategies && strategies->as_object()) {
    for (const auto& [name, rows] : *strategies->as_object()) {
      const Members inner{rows, problem};
      out.strategies[name] = {inner.natural("safe"), inner.natural("unsafe")};
    }
  }
  for (const Json& item : members.array("tables")) out.tables.push_back(table_from_json(item, problem));
  if (const Json* configuration = members.member("configuration")) out.configuration = *configuration;
  if (!problem.empty()) return problem;
  return out;
}

std::string parquet_name(const std::string& table, Split split) {
  return concat("data/", table, "/", name_of(split), ".parquet");
}
std::string jsonl_name(const std::string& table, Split split) {
  return concat("data/", table, "/", name_of(split), ".jsonl.zst");
}

}  // namespace steptp::dataset
