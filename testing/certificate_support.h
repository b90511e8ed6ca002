#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "replay/replay.h"
#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/verify/certificate.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::testing {

using Outcome = replayer::Report::Outcome;

/// A pair of compact texts under one signature, with the verdict that is expected.
struct CertificateCase {
  const char* verdict;
  const char* header;
  const char* before;
  const char* after;
};

inline Pair pair_of(const CertificateCase& item) {
  return make_pair(read_document("before", concat(item.header, item.before, "\n")),
                   read_document("after", concat(item.header, item.after, "\n")));
}

inline std::string certificate_of(const Pair& pair, std::string* verdict = nullptr) {
  VerifyOptions options;
  options.keep_record = true;
  const Judgement judgement = verify_pair(pair, options);
  if (verdict) *verdict = concat(name_of(judgement.verdict), judgement.reason.empty() ? "" : ": ", judgement.reason);
  return certificate(pair, judgement).dump();
}

inline std::string text_of(const replayer::Report& report) {
  return concat(name_of(report.outcome), ": ", report.reason);
}

/// Replaces one occurrence; the test is wrong where there is none.
inline std::string changed(const std::string& text, const std::string& from, const std::string& to, int which = 0) {
  std::size_t at = text.find(from);
  for (int i = 0; i < which && at != std::string::npos; ++i) at = text.find(from, at + 1);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  if (at == std::string::npos) return {};
  return text.substr(0, at) + to + text.substr(at + from.size());
}

/// The object with another value of a field that it has.
inline Json with_field(const Json& object, std::string_view key, const Json& value) {
  EXPECT_TRUE(object.find(key)) << key;
  Json::Object out;
  for (const auto& [name, old] : *object.as_object()) out.emplace_back(name, name == key ? value : old);
  return out;
}

inline std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

/// Changes the text of a program together with its hash, as somebody would who knows the format.
inline std::string with_program(const std::string& text, const char* key, const std::string& from,
                                const std::string& to) {
  const auto json = parse_json(text);
  const std::string old_program = *json->find(key)->as_string();
  const std::string new_program = changed(old_program, from, to);
  std::string out = changed(text, concat("\"", key, "\":", quote_json(old_program)),
                            concat("\"", key, "\":", quote_json(new_program)));
  return changed(out, hexadecimal(hash_text(old_program)), hexadecimal(hash_text(new_program)),
                 std::string_view(key) == "after" && *json->find("before")->as_string() == old_program ? 1 : 0);
}

inline void expect_refused(const std::string& text, std::string_view what) {
  const replayer::Report report = replayer::replay_certificate(text);
  EXPECT_TRUE(report.outcome == Outcome::refused || report.outcome == Outcome::unusable)
      << what << " -> " << text_of(report) << "\n"
      << text;
  EXPECT_FALSE(report.reason.empty()) << what;
}

/// The certificate of a pair that has the expected verdict, and is confirmed.
inline std::string confirmed_certificate(const CertificateCase& item) {
  std::string verdict;
  std::string text = certificate_of(pair_of(item), &verdict);
  EXPECT_TRUE(verdict.starts_with(item.verdict)) << verdict << "\n" << item.before << "\n" << item.after;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const replayer::Report report = replayer::replay_certificate(text, {.seed = seed});
    EXPECT_EQ(report.outcome, Outcome::confirmed) << text_of(report) << "\n" << text;
  }
  return text;
}

}  // namespace steptp::testing
