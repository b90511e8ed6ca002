// A certificate says what is needed, and nothing else. Somebody who adds a field, a word, a fact, a condition, a part
// or an assumption to one that the judge wrote is refused, also where what is added is true, and what cannot be shown
// is not confirmed.

#include <algorithm>

#include "replay/domains.h"
#include "replay/fields.h"
#include "testing/certificate_support.h"

namespace steptp::testing {

namespace {

constexpr const char* kVector = "@input A f32[6]\n@input C f32[6]\n@output D f32[6]\n";
constexpr const char* kRows = "@input A f32[4,12]\n@output D f32[4,12]\n";

/// Values with facts of every kind, and side conditions: a softmax by rows.
const CertificateCase kSoftmax = {
    "proved", kRows,
    "tx4 a12 X(tx)=max(X(tx),A(tx,a));tx4 a12 E(tx,a)=exp(A(tx,a)-X(tx));tx4 a12 N(tx)=N(tx)+E(tx,a);"
    "tx4 a12 D(tx,a)=(E(tx,a)+A(tx,a)-A(tx,a))/N(tx);",
    "tx4 a12 X(tx)=max(X(tx),A(tx,a));tx4 a12 E(tx,a)=exp(A(tx,a)-X(tx));tx4 a12 N(tx)=N(tx)+E(tx,a);"
    "tx4 a12 D(tx,a)=E(tx,a)/N(tx);"};
/// Exact by elements, with points and input rules.
const CertificateCase kElements = {"exact", "@input A f32[6] [0.5,8)\n@input C f32[6]\n@output D f32[6]\n",
                                   "tx6 D(tx)=where(A(tx)<C(tx),A(tx),C(tx));", "tx6 D(tx)=min(A(tx),C(tx));"};
const CertificateCase kCells = {"exact", "@input A f32[7200]\n@input C f32[7200]\n@output D f32[7200]\n",
                                "a7200 D(a)=where(a<3000,A(a),where(a<3005,A(a)+C(a),C(a)))*A(a);",
                                "a7200 D(a)=where(a<3005,A(a),0)*A(a)+where(a>=3000,C(a)*A(a),0);"};
const CertificateCase kDiffers = {"differs", kVector, "tx6 D(tx)=A(tx)*2+C(tx);", "tx6 D(tx)=A(tx)*2-C(tx);"};
const CertificateCase kPrecision = {"differs", kVector, "tx6 D(tx)=A(tx)*2;",
                                    "tx6 E^f16(tx)=A(tx);tx6 D(tx)=E^f16(tx)*2;"};

const CertificateCase* const kAll[] = {&kSoftmax, &kElements, &kCells, &kDiffers, &kPrecision};

/// Never confirmed: refused, or the replayer says that it cannot tell.
void expect_not_confirmed(const std::string& text, std::string_view what) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const replayer::Report report = replayer::replay_certificate(text, {.seed = seed});
    EXPECT_NE(report.outcome, Outcome::confirmed) << what << "\n" << text;
    EXPECT_NE(report.outcome, Outcome::unusable) << what << ": " << report.reason;
  }
}

/// Every way to add a field to one object of a document.
std::vector<std::string> with_a_field(const std::string& text, const std::string& field) {
  std::vector<std::string> out;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (text[at] == '{' && !in_string) {
      const bool is_empty = text[at + 1] == '}';
      out.push_back(text.substr(0, at + 1) + field + (is_empty ? "" : ",") + text.substr(at + 1));
    }
  }
  return out;
}

TEST(Surplus, FieldsThatDoNotExist) {
  for (const CertificateCase* item : kAll) {
    const std::string text = confirmed_certificate(*item);
    const auto all = with_a_field(text, R"("certain":true)");
    EXPECT_GE(all.size(), 5u);
    for (const std::string& touched : all) expect_refused(touched, "a field that does not exist");
    // Fields of earlier formats and of other objects.
    for (const char* field :
         {R"("by":"faith")", R"("draw":"generic")", R"("because":"it is")", R"("reason":"it is")"}) {
      for (const std::string& touched : with_a_field(text, field)) expect_refused(touched, field);
    }
  }
}

TEST(Surplus, FieldsThatAreThereTwice) {
  const std::string text = confirmed_certificate(kCells);
  for (const char* key : {"verdict", "proof", "cover", "id", "bound_log2", "where", "form"}) {
    const std::string mark = concat("\"", key, "\":");
    const std::size_t at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << key;
    expect_refused(text.substr(0, at) + mark + "null," + text.substr(at), key);
  }
}

TEST(Surplus, WordsThatDoNotExist) {
  const std::string proof = confirmed_certificate(kSoftmax);
  expect_refused(changed(proof, R"("finite")", R"("polite")"), "a fact");
  expect_refused(changed(proof, R"("finite","number")", R"("number","finite")"), "facts in another order");
  expect_refused(changed(proof, R"("finite","number")", R"("finite","finite","number")"), "a fact twice");
  expect_refused(changed(proof, R"("needs":"finite")", R"("needs":"friendly")"), "a need");
  expect_refused(changed(proof, R"("verdict":"proved")", R"("verdict":"certain")"), "a verdict");
  const std::string elements = confirmed_certificate(kElements);
  expect_refused(changed(elements, R"("by":"field")", R"("by":"hand")"), "an arithmetic");
  expect_refused(changed(elements, R"("draw":"range")", R"("draw":"lucky")"), "a draw");
}

TEST(Surplus, SectionsOfOtherVerdicts) {
  const Json proof = *parse_json(confirmed_certificate(kSoftmax))->find("proof");
  const std::string differs = confirmed_certificate(kDiffers);
  expect_refused(changed(differs, R"("same":false)", R"("same":true)"), "a difference of the same program");
  expect_refused(changed(confirmed_certificate(kCells), R"("same":false)", R"("same":true)"), "cells of the same one");
  expect_refused(changed(differs, R"("same":false,)", concat(R"("same":false,"proof":)", proof.dump(), ",")),
                 "a proof of a difference");
  const std::string same = confirmed_certificate(
      {"proved", kVector, "tx6 E(tx)=A(tx);tx6 D(tx)=E(tx);", "tx6 F(tx)=A(tx);tx6 D(tx)=F(tx);"});
  ASSERT_NE(same.find(R"("same":true)"), std::string::npos);
  expect_refused(changed(same, R"("same":true,)", concat(R"("same":true,"proof":)", proof.dump(), ",")),
                 "a proof beside the same program");
  const std::string elements = confirmed_certificate(kElements);
  expect_refused(changed(elements, R"("same":false,)", concat(R"("same":false,"proof":)", proof.dump(), ",")),
                 "a proof beside elements");
  const std::string example = parse_json(differs)->find("counterexample")->dump();
  expect_refused(changed(confirmed_certificate(kPrecision), R"("same":false,)",
                         concat(R"("same":false,"counterexample":)", example, ",")),
                 "inputs beside types");
}

/// Every fact that the judge did not state, added to every value: what is false is refused at points, and what is true
/// is refused too where nothing asks for it.
TEST(Surplus, FactsThatAreFalseOrNotNeeded) {
  const auto touched = [](const std::string& text, std::size_t value, const std::vector<std::string>& facts) {
    const Json json = *parse_json(text);
    const Json proof = *json.find("proof");
    Json::Array values = *proof.find("values")->as_array();
    Json::Array words;
    for (const std::string& fact : facts) words.emplace_back(fact);
    values[value] = with_field(values[value], "facts", Json(std::move(words)));
    return with_field(json, "proof", with_field(proof, "values", Json(std::move(values)))).dump();
  };
  // Sums, products and a negative square: no sign matters to anything.
  const CertificateCase plain = {"proved", "@input A f32[4,12]\n@output D f32[4]\n",
                                 "tx4 a12 E(tx,a)=exp(A(tx,a));tx4 a12 D(tx)=D(tx)+E(tx,a)*A(tx,a);",
                                 "tx4 a12 E(tx,a)=exp(A(tx,a));tx4 f3 c4 D(tx)=D(tx)+A(tx,f*4+c)*E(tx,f*4+c);"};
  const std::string quiet = confirmed_certificate(plain);
  EXPECT_EQ(quiet.find("nonnegative"), std::string::npos) << "no sign matters: " << quiet;
  expect_refused(touched(quiet, 0, {"nonnegative", "nonzero", "finite", "number"}), "true, and nothing asks for it");
  expect_refused(touched(quiet, 0, {"nonpositive", "finite", "number"}), "false");
  // Where signs matter, and rows may be hidden: facts that are false.
  const CertificateCase rooted = {"proved", "@input A masked f32[4,12]\n@output D f32[4,12]\n",
                                  "tx4 a12 E(tx,a)=A(tx,a)-A(tx,(a+1)%12);tx4 a12 F(tx,a)=cos(exp(A(tx,a)));tx4 a12 "
                                  "D(tx,a)=abs(E(tx,a)+F(tx,a))*3;",
                                  "tx4 a12 E(tx,a)=-A(tx,(a+1)%12)+A(tx,a);tx4 a12 F(tx,a)=cos(exp(A(tx,a)));tx4 a12 "
                                  "D(tx,a)=3*abs(F(tx,a)+E(tx,a));"};
  std::string text = confirmed_certificate(
      {"proved", "@input A f32[4,12] masked\n@output D f32[4,12]\n", rooted.before, rooted.after});
  const Json::Array values = *parse_json(text)->find("proof")->find("values")->as_array();
  ASSERT_GE(values.size(), 2u) << text;
  std::size_t tried = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::string> known;
    for (const Json& fact : *values[i].find("facts")->as_array()) known.push_back(*fact.as_string());
    for (const char* fact : {"nonnegative", "nonpositive", "nonzero", "finite", "number"}) {
      if (std::find(known.begin(), known.end(), fact) != known.end()) continue;
      std::vector<std::string> more;
      for (const char* word : {"nonnegative", "nonpositive", "nonzero", "finite", "number"}) {
        if (word == std::string_view(fact) || std::find(known.begin(), known.end(), word) != known.end()) {
          more.emplace_back(word);
        }
      }
      expect_not_confirmed(touched(text, i, more), concat(fact, " of value ", i));
      ++tried;
    }
  }
  EXPECT_GE(tried, 6u);
}

TEST(Surplus, FactsAreOfTensors) {
  const std::string text =
      confirmed_certificate({"proved", kVector, "tx6 E(tx)=1/A(tx);tx6 D(tx)=E(tx)+C(tx);tx6 D(tx)=D(tx)*2;",
                             "tx6 F(tx)=1/A(tx);tx6 D(tx)=2*(F(tx)+C(tx));"});
  const Json proof = *parse_json(text)->find("proof");
  bool is_touched = false;
  for (const Json& value : *proof.find("values")->as_array()) {
    if (value.find("before")->dump() != "[]") continue;
    is_touched = true;
    Json more = value;
    more.set("facts", Json::Array{Json("finite")});
    expect_refused(changed(text, value.dump(), more.dump()), "a fact about a name");
  }
  EXPECT_TRUE(is_touched) << text;
}

TEST(Surplus, SideConditions) {
  const std::string text = confirmed_certificate(kSoftmax);
  const Json proof = *parse_json(text)->find("proof");
  const std::string list = proof.find("conditions")->dump();
  ASSERT_NE(list, "[]") << text;
  const auto with = [&](const std::string& condition) {
    return changed(text, concat("\"conditions\":", list),
                   concat("\"conditions\":", list.substr(0, list.size() - 1), ",", condition, "]"));
  };
  const std::string good = R"({"needs":"finite","of":"A[i0,0]*A[i0,1]","variables":{"i0":[0,3]}})";
  const replayer::Report report = replayer::replay_certificate(with(good));
  ASSERT_EQ(report.outcome, Outcome::confirmed) << text_of(report);
  expect_refused(with(changed(good, R"({"i0":[0,3]})", "{}")), "a variable that nothing binds");
  expect_refused(with(changed(good, R"("i0":[0,3])", R"("i0":[0,3],"i1":[0,3])")), "a variable that is not there");
  expect_refused(with(changed(good, R"("i0":[0,3])", R"("i0":[0,3],"i0":[0,2])")), "bound twice");
  expect_refused(with(changed(good, "[0,3]", "[3,0]")), "an empty range");
  expect_refused(with(good + "," + good), "the same twice");
  expect_refused(with(changed(good, "A[i0,0]*A[i0,1]", "A[i0,0]*#900[i0]")), "of a value that is not listed");
  expect_refused(with(changed(good, "A[i0,0]*A[i0,1]", "A[i0,0]*D[i0,0]")), "of an output");
  expect_refused(with(R"({"needs":"nonzero","of":"2","variables":{}})"), "about a number");
  expect_refused(with(changed(good, "finite", "nonzero")), "false: inputs may be zero");
  expect_refused(with(changed(good, "finite", "nonnegative")), "false: one may be negative");
  expect_refused(with(changed(changed(good, "A[i0,0]*A[i0,1]", "1-A[i0,0]*A[i0,0]"), "finite", "nonzero")),
                 "false where it is one");
  expect_not_confirmed(
      with(changed(changed(good, "A[i0,0]*A[i0,1]", "exp(A[i0,0])-12345678/10000001"), "finite", "nonzero")),
      "false at a point that nothing names");
  // True, but of what no program does anything with that depends on it.
  const CertificateCase plain = {"proved", kRows, "tx4 a12 D(tx,a)=exp(A(tx,a))*3-exp(A(tx,a));",
                                 "tx4 a12 D(tx,a)=2*exp(A(tx,a));"};
  const std::string quiet = confirmed_certificate(plain);
  const std::string own = parse_json(quiet)->find("proof")->find("conditions")->dump();
  const std::string more = R"x({"needs":"nonzero","of":"exp(A[i0,i1])","variables":{"i0":[0,3],"i1":[0,11]}})x";
  expect_refused(changed(quiet, concat("\"conditions\":", own),
                         concat("\"conditions\":", own.substr(0, own.size() - 1), own == "[]" ? "" : ",", more, "]")),
                 "nothing divides");
}

TEST(Surplus, PartsAndValuesThatNothingRefersTo) {
  const std::string text = confirmed_certificate(kSoftmax);
  const Json proof = *parse_json(text)->find("proof");
  const std::string parts = proof.find("parts")->dump();
  const std::size_t end = parts.rfind(']');
  const std::string touched =
      changed(text, concat("\"parts\":", parts),
              concat("\"parts\":", parts.substr(0, end), parts == "[]" ? "" : ",", "\"A[i0,0]*2\"]"));
  expect_refused(touched, "a part");
  const Json last = proof.find("values")->as_array()->back();
  Json name =
      *parse_json(R"({"number":900,"shape":[4],"before":[],"after":[],"regions":[{"where":"always","form":"1"}]})");
  expect_refused(changed(text, last.dump(), concat(last.dump(), ",", name.dump())), "a name");
}

TEST(Surplus, InputsThatAreNotThoseOfTheSignature) {
  const std::string text = confirmed_certificate(kElements);
  const auto refused = [&](const char* from, const char* to, const char* what) {
    expect_refused(changed(text, from, to), what);
  };
  refused(R"("draw":"range","low":0.5,"high":8)", R"("draw":"range","low":0.5,"high":7)", "another range");
  refused(R"("draw":"range","low":0.5,"high":8)", R"("draw":"any")", "more than its domain");
  const Json inputs = *parse_json(text)->find("evaluation")->find("inputs");
  for (const Json& input : *inputs.as_array()) {
    for (const std::string& piece : {concat(input.dump(), ","), concat(",", input.dump())}) {
      if (text.find(piece) != std::string::npos) expect_refused(changed(text, piece, ""), "an input left out");
    }
    expect_refused(changed(text, input.dump(), concat(input.dump(), ",", input.dump())), "an input twice");
  }
  // Constants have the values of the signature; nothing can be given for them or for outputs.
  const std::string differs = confirmed_certificate(kDiffers);
  expect_refused(changed(differs, R"("fill":{)", R"("fill":{"D":"1",)"), "values of an output");
  expect_refused(changed(differs, R"("fill":{)", R"("fill":{"Z":"1",)"), "values of nothing");
}

TEST(Surplus, RangesOfIntegers) {
  const Document document = read_document("p",
                                          "@input I i32[6] [0,6)\n@input J i32[6]\n@input A f32[6]\n@output D f32[6]\n"
                                          "tx6 D(tx)=A(I^i32(tx))+A(J^i32(tx));\n");
  ASSERT_TRUE(document.ok);
  const auto read = [&](const std::string& first, const std::string& second) {
    const std::string list = concat(R"([{"name":"I","draw":"integer",)", first, R"(},{"name":"J","draw":"integer",)",
                                    second, R"(},{"name":"A","draw":"any"}])");
    return replayer::read_input_rules(*parse_json(list), document.program).size();
  };
  const std::string range = R"("low":0,"high":5,"nonzero":false,"bounded":false)";
  const std::string by_use = R"("low":0,"high":5,"nonzero":false,"bounded":true)";
  EXPECT_EQ(read(range, by_use), 3u);
  for (const char* wrong :
       {R"("low":0,"high":4,"nonzero":false,"bounded":false)", R"("low":0,"high":6,"nonzero":false,"bounded":false)",
        R"("low":-1,"high":5,"nonzero":false,"bounded":false)", R"("low":0,"high":5,"nonzero":true,"bounded":false)",
        R"("low":0,"high":5,"nonzero":false,"bounded":true)", R"("low":5,"high":0,"nonzero":false,"bounded":false)"}) {
    EXPECT_THROW(static_cast<void>(read(wrong, by_use)), replayer::BadFile) << wrong;
  }
  EXPECT_THROW(static_cast<void>(read(range, range)), replayer::BadFile) << "a range that no use gives";
}

TEST(Surplus, Assumptions) {
  const std::string text = confirmed_certificate(kSoftmax);
  const auto with = [&](const std::string& assumption) {
    return changed(text, R"("assumes":[])", concat(R"("assumes":[)", quote_json(assumption), "]"));
  };
  for (const char* assumption :
       {"", "A", "A is not", "A is not zero ", "A is positive", "Z is not zero", "D is not zero", "all is well",
        "A lies in [0,4) where it indexes A", "A lies in [4,0) where it indexes X", "A lies in [0,4)"}) {
    expect_refused(with(assumption), assumption);
  }
  expect_refused(changed(confirmed_certificate(kDiffers), R"("assumes":[])", R"("assumes":["A is not zero"])"),
                 "a difference that assumes");
  // One that the judge made is believed, and said.
  const CertificateCase indexed = {"proved", "@input A f32[6]\n@input I i32[4]\n@output D f32[4]\n",
                                   "tx4 D(tx)=A(I^i32(tx))*2;", "tx4 D(tx)=2*A(I^i32(tx));"};
  std::string verdict;
  const std::string gather = certificate_of(pair_of(indexed), &verdict);
  ASSERT_TRUE(verdict.starts_with("proved")) << verdict;
  ASSERT_NE(gather.find("I lies in [0,6) where it indexes A"), std::string::npos) << gather;
  const replayer::Report report = replayer::replay_certificate(gather);
  EXPECT_EQ(report.outcome, Outcome::confirmed) << text_of(report);
  expect_refused(changed(gather, "indexes A", "indexes D"), "another tensor");
  expect_refused(changed(gather, "[0,6)", "[6,6)"), "no value");
}

/// Programs that agree but at ties, at thresholds, at ends of domains, or where all is hidden: the forms are those of
/// an honest certificate, and one program is another.
TEST(Surplus, ProgramsThatDifferWhereDrawsMustGo) {
  const auto expect_seen = [](const CertificateCase& item, const std::string& from, const std::string& to) {
    const std::string text = confirmed_certificate(item);
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const replayer::Report report =
          replayer::replay_certificate(with_program(text, "after", from, to), {.seed = seed});
      EXPECT_TRUE(report.outcome == Outcome::refused || report.outcome == Outcome::unusable)
          << text_of(report) << " seed " << seed << "\n"
          << to;
    }
  };
  expect_seen({"proved", kVector, "tx6 D(tx)=round(A(tx))*2;", "tx6 D(tx)=2*round(A(tx));"}, "round(A^{f32,g}_{tx})",
              "floor(A^{f32,g}_{tx}+0.5)");
  expect_seen(
      {"proved", kVector, "tx6 D(tx)=where(A(tx)>1000,A(tx),C(tx))*2;", "tx6 D(tx)=2*where(A(tx)>1000,A(tx),C(tx));"},
      ">1000", ">=1000");
  expect_seen({"proved", kVector, "tx6 D(tx)=where(A(tx)<C(tx),1,2)*2;", "tx6 D(tx)=2*where(A(tx)<C(tx),1,2);"}, "<C",
              "<=C");
  expect_seen({"proved", "@input A f32[6] [0.5,8)\n@output D f32[6]\n", "tx6 D(tx)=A(tx)*2+1;", "tx6 D(tx)=1+2*A(tx);"},
              "2*A^{f32,g}_{tx}", "2*if_then_else(A^{f32,g}_{tx}>7.99999999,7,A^{f32,g}_{tx})");
  expect_seen(
      {"proved", "@input A f32[6] masked\n@output D f32[6]\n", "tx6 D(tx)=exp(A(tx))*2;", "tx6 D(tx)=2*exp(A(tx));"},
      "exp(A^{f32,g}_{tx})", "if_then_else(A^{f32,g}_{tx}==-inf,1,exp(A^{f32,g}_{tx}))");
  expect_seen(
      {"proved", "@input I i32[6] [0,100000)\n@output D f32[6]\n", "tx6 D(tx)=I^i32(tx)*2;", "tx6 D(tx)=2*I^i32(tx);"},
      "2*I^{i32,g}_{tx}", "2*if_then_else(I^{i32,g}_{tx}>=99999,7,I^{i32,g}_{tx})");
}

}  // namespace

}  // namespace steptp::testing
