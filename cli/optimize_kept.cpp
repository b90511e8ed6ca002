#include "cli/optimize_kept.h"

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/optimize/output_folder.h"
#include "steptp/text/document.h"

namespace steptp::cli {

namespace {

constexpr const char* kFile = "answer.json";

/// Of what the answer says itself, so that it is noticed where its file is damaged.
std::string sum_of(const KeptAnswer& answer) {
  const OptimizeTexts& texts = answer.texts;
  Json out = Json::Array{static_cast<std::int64_t>(answer.status), texts.json, texts.words, texts.brief, texts.errors};
  return sha256_hex(out.dump());
}

/// Whether all files are there as they were written.
bool has_files(const std::string& folder, const Json* sums) {
  if (!sums || !sums->as_object() || sums->as_object()->empty()) return false;
  for (const auto& [name, sum] : *sums->as_object()) {
    const auto content = read_file(concat(folder, "/", name));
    if (!content || !sum.as_string() || sha256_hex(*content) != *sum.as_string()) return false;
  }
  return true;
}

}  // namespace

std::string optimize_key(const Document& document, const OptimizeRequest& request) {
  return sha256_hex(concat(STEPTP_VERSION, "\n", print_document(document.program, Profile::paper), "\n",
                           to_json(request.rates).dump(), "\n", request.judging.seed, "\n",
                           request.require_safe ? 1 : 0, request.with_timing ? 1 : 0));
}

Result<bool, Diagnostic> keep_answer(const std::string& folder, const std::string& key, const KeptAnswer& answer,
                                     const std::map<std::string, std::string>& files) {
  Json sums;
  for (const auto& [name, content] : files) sums.set(name, sha256_hex(content));
  const OptimizeTexts& texts = answer.texts;
  Json out;
  out.set("key", key).set("sum", sum_of(answer)).set("status", static_cast<std::int64_t>(answer.status));
  out.set("json", texts.json).set("words", texts.words).set("brief", texts.brief).set("errors", texts.errors);
  out.set("files", std::move(sums));
  return write_files(folder, {{kFile, out.dump() + "\n"}});
}

std::optional<KeptAnswer> kept_answer(const std::string& folder, const std::string& key) {
  const auto content = read_file(concat(folder, "/", kFile));
  if (!content) return std::nullopt;
  const auto parsed = parse_json(*content);
  if (!parsed || !parsed->as_object()) return std::nullopt;
  const auto text = [&](std::string_view name) -> const std::string* {
    const Json* value = parsed->find(name);
    return value ? value->as_string() : nullptr;
  };
  const std::string* asked = text("key");
  const Json* status = parsed->find("status");
  if (!asked || *asked != key || !status || !status->as_integer()) return std::nullopt;
  KeptAnswer out;
  out.status = static_cast<Status>(*status->as_integer());
  for (const auto& [name, into] : {std::pair("json", &out.texts.json), std::pair("words", &out.texts.words),
                                   std::pair("brief", &out.texts.brief), std::pair("errors", &out.texts.errors)}) {
    const std::string* found = text(name);
    if (!found) return std::nullopt;
    *into = *found;
  }
  const std::string* sum = text("sum");
  if (!sum || *sum != sum_of(out) || !has_files(folder, parsed->find("files"))) return std::nullopt;
  return out;
}

}  // namespace steptp::cli
