// Any bytes as a certificate: the replayer comes to an answer with a reason, the same one twice, and where it confirms
// that two programs are equal, the reference evaluator finds no difference between them. Hashes are written anew after
// a change, so that changed programs get past them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/round_trip.h"
#include "replay/replay.h"
#include "steptp/base/hash.h"
#include "testing/meaning.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace steptp;

constexpr std::uint64_t kBudget = 50'000;
constexpr std::uint64_t kStepsOfMeaning = 20'000;
constexpr std::uint64_t kSeeds = 3;

std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

/// The certificate with the hashes of what it holds; nothing where it is not one.
std::optional<std::string> with_hashes(const std::string& text) {
  const auto json = parse_json(text);
  if (!json || !json->as_object()) return std::nullopt;
  Json hashes;
  for (const char* key : {"before", "after"}) {
    const Json* program = json->find(key);
    if (!program || !program->as_string()) return std::nullopt;
    hashes.set(key, hexadecimal(hash_text(*program->as_string())));
  }
  const Json* signature = json->find("signature");
  if (!signature) return std::nullopt;
  hashes.set("signature", hexadecimal(hash_text(signature->dump())));
  Json out = *json;
  out.set("hash", std::move(hashes));
  return out.dump();
}

Program program_of(const Json& certificate, const char* key) {
  Json record;
  record.set("leir", *certificate.find(key)).set("signature", *certificate.find("signature"));
  const Document document = read_document(key, record.dump());
  if (!document.ok) fuzz::fail("what is confirmed can be read", record.dump(), "");
  return document.program;
}

void expect_equal(const std::string& text) {
  const Json certificate = *parse_json(text);
  const Program before = program_of(certificate, "before");
  const Program after = program_of(certificate, "after");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const testing::MeaningInputs inputs{seed, {}};
    const auto found = testing::first_difference(before, after, inputs, {}, kStepsOfMeaning);
    if (found) fuzz::fail("no difference where equality is confirmed", text, found->before + " and " + found->after);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 == 0) return size;
  const auto text = with_hashes(std::string(reinterpret_cast<const char*>(data), size));
  if (!text || text->size() > max_size) return size;
  std::copy(text->begin(), text->end(), data);
  return text->size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using replayer::Report;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const replayer::Options options{1, kBudget};
  const Report report = replayer::replay_certificate(text, options);
  const bool is_confirmed = report.outcome == Report::Outcome::confirmed;
  if (!is_confirmed && report.reason.empty()) fuzz::fail("a reason", text, replayer::name_of(report.outcome));
  const Report again = replayer::replay_certificate(text, options);
  if (again.outcome != report.outcome || again.reason != report.reason || again.retested != report.retested) {
    fuzz::fail("the same answer again", text, again.reason);
  }
  if (is_confirmed && (report.verdict == "proved" || report.verdict == "exact")) expect_equal(text);
  return 0;
}
