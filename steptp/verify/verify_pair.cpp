#include "steptp/verify/verify_pair.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/base/watchdog.h"
#include "steptp/text/signature_text.h"
#include "steptp/verify/certificate.h"

namespace steptp {

namespace {

std::string first_error(const Document& document) {
  for (const Diagnostic& item : document.diagnostics) {
    if (item.severity == Severity::error) {
      return concat(item.id, ": ", item.message, " (line ", item.line, ", column ", item.column, ")");
    }
  }
  return "it cannot be read";
}

}  // namespace

Pair read_pair(const std::string& name, const std::string& record) {
  Pair pair;
  pair.id = name;
  const auto parsed = parse_json(record);
  if (!parsed) {
    pair.problem = concat("not JSON: ", parsed.error().message, " (byte ", parsed.error().offset, ")");
    return pair;
  }
  if (!parsed->as_object()) {
    pair.problem = concat("a pair is an object, not ", parsed->kind_name());
    return pair;
  }
  if (const Json* id = parsed->find("id")) pair.id = id->as_string() ? *id->as_string() : id->dump();
  const Json* signature = parsed->find("signature");
  if (!signature) {
    pair.problem = "the pair has no \"signature\"";
    return pair;
  }
  for (const char* key : {"before", "after"}) {
    const Json* text = parsed->find(key);
    if (!text || !text->as_string()) {
      pair.problem = concat("the pair has no text \"", key, "\"");
      return pair;
    }
    Json one;
    one.set("signature", *signature).set("leir", *text);
    (key == std::string_view("before") ? pair.before : pair.after) = read_document(concat(name, " ", key), one.dump());
  }
  return pair;
}

Pair make_pair(Document before, Document after) {
  Pair pair;
  pair.id = before.program.name;
  if (!after.has_signature && before.has_signature) after.program.signature = before.program.signature;
  pair.before = std::move(before);
  pair.after = std::move(after);
  return pair;
}

namespace {

/// What makes `before`, or the record, useless: then nothing was asked of `after`.
std::string unusable_because(const Pair& pair) {
  if (!pair.problem.empty()) return pair.problem;
  if (!pair.before.ok) return concat("before: ", first_error(pair.before));
  return pair.before.program.signature.variables.empty() ? "before: it has no signature" : "";
}

}  // namespace

std::string problem_of(const Pair& pair) {
  std::string problem = unusable_because(pair);
  if (problem.empty() && !pair.after.ok) problem = concat("after: ", first_error(pair.after));
  return problem;
}

Judgement verify_pair(const Pair& pair, const VerifyOptions& options) {
  const std::string problem = problem_of(pair);
  Judgement judgement;
  judgement.safe_range = options.safe_range;
  if (problem.empty()) {
    // Our bug, or no memory: it costs this pair and no other.
    try {
      return verify(pair.before.program, pair.after.program, options);
    } catch (const std::bad_alloc&) {
      judgement.reason = "the judge failed on this pair: out of memory";
    } catch (const std::exception& error) {
      judgement.reason = concat("the judge failed on this pair: internal error: ", std::string_view(error.what()));
    }
    return judgement;
  }
  judgement.verdict = Grade::invalid;
  judgement.unusable = !unusable_because(pair).empty();
  judgement.reason = problem;
  return judgement;
}

Judgement verify_in_time(const Pair& pair, VerifyOptions options, double seconds, std::atomic<bool>& stop) {
  std::optional<Watchdog> watchdog;
  if (seconds > 0) watchdog.emplace(seconds, stop);
  options.stop = &stop;
  Judgement judgement = verify_pair(pair, options);
  const bool is_unfinished =
      judgement.verdict == Grade::undecided || (is_equal(judgement.verdict) && judgement.safe == Shown::unknown);
  if (seconds > 0 && stop && is_unfinished) {
    std::array<char, 32> buffer{};
    const auto* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds).ptr;
    judgement.reason = concat("the wall-clock limit of ", std::string_view(buffer.data(), end), " s was reached",
                              judgement.reason.empty() ? "" : ": ", judgement.reason);
  }
  return judgement;
}

Json to_json(const certify::Counterexample& found) {
  Json::Array index;
  for (const std::int64_t number : found.index) index.emplace_back(number);
  Json inputs = Json::Object();
  for (const auto& [name, value] : found.inputs) inputs.set(name, value);
  Json out;
  out.set("output", found.output).set("index", std::move(index)).set("seed", found.seed);
  out.set("draw", found.draw).set("before", found.before).set("after", found.after);
  out.set("inputs", std::move(inputs));
  out.set("given", found.given ? to_json(*found.given) : Json());
  return out.set("representable", found.is_representable);
}

Json to_json(const certify::UnsafeExample& found) {
  Json::Array index;
  for (const std::int64_t number : found.index) index.emplace_back(number);
  Json out;
  out.set("output", found.output).set("index", std::move(index)).set("what", found.what);
  return out.set("safe_range", to_json(found.range)).set("given", to_json(found.given));
}

Json to_json(Shown answer) { return answer == Shown::unknown ? Json() : Json(answer == Shown::yes); }

Json to_json(SafeBy support) {
  switch (support) {
    case SafeBy::nothing: return {};
    case SafeBy::proof: return "proof";
    case SafeBy::search: return "search";
  }
  return {};
}

Json to_json(const certify::SafeRange& range) {
  switch (range.kind) {
    case certify::SafeRange::Kind::middle: return "middle";
    case certify::SafeRange::Kind::full: return "full";
    case certify::SafeRange::Kind::given: break;
  }
  return Json::Array{Json(range.low), Json(range.high)};
}

std::optional<certify::SafeRange> parse_safe_range(std::string_view text) {
  using Kind = certify::SafeRange::Kind;
  if (text == "middle") return certify::SafeRange{};
  if (text == "full") return certify::SafeRange{Kind::full, 0, 0};
  certify::SafeRange range{Kind::given, 0, 0};
  const char* end = text.data() + text.size();
  const auto low = std::from_chars(text.data(), end, range.low);
  if (low.ec != std::errc() || low.ptr == end || *low.ptr != ',') return std::nullopt;
  const auto high = std::from_chars(low.ptr + 1, end, range.high);
  if (high.ec != std::errc() || high.ptr != end) return std::nullopt;
  const bool is_range = range.low >= 0 && range.high >= range.low && range.high > 0 && std::isfinite(range.high);
  return is_range ? std::optional(range) : std::nullopt;
}

Json to_json(const std::string& id, const Judgement& judgement) {
  const auto strings = [](const std::vector<std::string>& texts) {
    Json::Array out;
    for (const std::string& text : texts) out.emplace_back(text);
    return out;
  };
  Json out;
  out.set("id", id).set("verdict", name_of(judgement.verdict)).set("same", judgement.same);
  out.set("safe", to_json(judgement.safe)).set("safe_by", to_json(judgement.safe_by));
  out.set("safe_range", to_json(judgement.safe_range)).set("stable", to_json(judgement.stable));
  out.set("vacuous", strings(judgement.vacuous)).set("fills_vacuous", judgement.fills_vacuous);
  out.set("degenerate", judgement.degenerate);
  out.set("independent_of", strings(judgement.independent_of));
  out.set("bound_log2", judgement.bound_log2 ? Json(std::ceil(*judgement.bound_log2)) : Json());
  out.set("points", judgement.points);
  out.set("agree_bits", judgement.agree_bits ? Json(*judgement.agree_bits) : Json());
  out.set("assumes", strings(judgement.assumes)).set("reason", judgement.reason);
  out.set("counterexample", judgement.counterexample ? to_json(*judgement.counterexample) : Json());
  if (judgement.unsafe) out.set("unsafe", to_json(*judgement.unsafe));
  out.set("work", judgement.work);
  return out.set("seed", judgement.seed ? Json(*judgement.seed) : Json());
}

}  // namespace steptp
