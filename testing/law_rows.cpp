#include "testing/law_rows.h"

#include <cctype>
#include <ostream>

#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/text/document.h"

namespace steptp::testing {

namespace {

constexpr std::string_view kElements =
    "@input A f32[100]\n@input C f32[100]\n@input E f32[100]\n@input F f32[100] positive\n@input Q f32[100] positive\n"
    "@input N f32[100] nonzero\n@input M f32[100] masked\n@input H f32[100] masked\n@input I i64[100]\n"
    "@input J i64[100] [0,10)\n@input W i8[100]\n@input K bool[100]\n@output D f32[100]\n";

/// A capital stands for the element of that tensor at the index of the loop.
std::string elements_of(std::string_view formula) {
  std::string out;
  for (const char c : formula) {
    const bool is_tensor = c >= 'A' && c <= 'Z';
    if (!is_tensor) {
      out += c;
      continue;
    }
    const std::string_view dtype = c == 'I' || c == 'J' ? "i64" : c == 'W' ? "i8" : c == 'K' ? "bool" : "f32";
    append(out, c, "^{", dtype, ",g}_{tx}");
  }
  return out;
}

Program program_of(std::string_view signature, std::string_view text) {
  const std::string whole = signature.empty()
                                ? concat(kElements, "B^{100}_{tx=0}[D^{f32,g}_{tx}=", elements_of(text), ";];")
                                : concat(signature, text);
  Document document = read_document("row", whole);
  EXPECT_TRUE(document.ok) << whole << "\n" << (document.ok ? "" : render(document.diagnostics, *document.source));
  return document.program;
}

bool is_accepted(By by, const Proof& proof) {
  switch (by) {
    case By::proof: return proof.proved;
    case By::residues: return proof.proved || proof.shown;
    case By::as_written: return proof.is_as_written;
  }
  return false;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const LawRow& row) { return out << row.law; }

std::string law_name(const ::testing::TestParamInfo<LawRow>& row) {
  std::string out;
  for (const char c : row.param.law) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

TEST_P(Law, HoldsAndItsNeighboursDoNot) {
  const LawRow& row = GetParam();
  const Proof proof = prove(program_of(row.signature, row.before), program_of(row.signature, row.after));
  EXPECT_TRUE(is_accepted(row.by, proof)) << row.before << "\n" << row.after << "\n" << proof.reason;
  EXPECT_FALSE(row.wrong.empty()) << "a law needs a pair that it must refuse";
  for (const Refused& pair : row.wrong) {
    const std::string_view before = pair.before.empty() ? row.before : pair.before;
    const Proof refused = prove(program_of(row.signature, before), program_of(row.signature, pair.after));
    // What is proved is accepted by every row but those of roundings.
    const bool is_wrong = row.by == By::as_written ? refused.is_as_written : refused.proved || refused.shown;
    EXPECT_FALSE(is_wrong) << "accepted: " << before << "\n" << pair.after;
  }
}

}  // namespace steptp::testing
