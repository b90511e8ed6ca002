// Files as they come from outside: header lines, JSON records.
#include "steptp/text/document.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/text/signature_text.h"

namespace steptp {
namespace {

TEST(SignatureLine, PrintsAndReadsBack) {
  for (const char* line :
       {"@input A f32[16,1024]", "@input A f32", "@constant C i64[4] [0,10)", "@param D bf16[1] positive",
        "@output E bool[2,3,4] any", "@input Ab f16 nonzero", "@input A f64[9223372036854775807]",
        "@input A f32 [-1.5,0.25)", "@input A f32 [1e-10,1e+300)"}) {
    const auto variable = parse_signature_line(std::string_view(line).substr(1));
    ASSERT_TRUE(variable.ok()) << line << variable.error();
    EXPECT_EQ(print_signature_line(*variable), line);
    const auto from_json = variable_from_json(to_json(*variable));
    ASSERT_TRUE(from_json.ok()) << from_json.error();
    EXPECT_EQ(*from_json, *variable) << line;
  }
  // Read, and printed as above.
  const std::pair<const char*, const char*> spellings[] = {{"const A float32[ 4 , 5 ]", "@constant A f32[4,5]"},
                                                           {"  input\tA   bfloat16[1]\r", "@input A bf16[1]"},
                                                           {"input A f32[]", "@input A f32"}};
  for (const auto& [text, printed] : spellings) {
    const auto variable = parse_signature_line(text);
    ASSERT_TRUE(variable.ok()) << text << ": " << variable.error();
    EXPECT_EQ(print_signature_line(*variable), printed);
  }
}

TEST(SignatureLine, TheFirstDifferenceIsNamed) {
  const auto signature = [](std::string_view text) {
    return read_document("text", std::string(text)).program.signature;
  };
  const std::string both = "@input A f32[8]\n@output D f32[8]\n";
  EXPECT_EQ(signature_difference(signature(both), signature(both)), "");
  EXPECT_EQ(signature_difference(signature(both), signature("@input A f32[9] positive\n@output D f32[8]\n")),
            "A is @input A f32[8] in before and @input A f32[9] positive in after");
  EXPECT_EQ(signature_difference(signature(both), signature("@output D f32[8]\n")),
            "before has @input A f32[8], which after lacks");
  EXPECT_EQ(signature_difference(signature(both), signature(both + "@input C f32\n"), "the root", "the program"),
            "the program has @input C f32, which the root lacks");
  EXPECT_EQ(signature_difference(signature(both), signature("@output D f32[8]\n@input A f32[8]\n")),
            "the variables stand in another order");
  EXPECT_EQ(signature_difference(signature("@constant C i64[2] values [0,1]\n" + both),
                                 signature("@constant C i64[2] values [0,2]\n" + both)),
            "C has other values in after than in before");
}

TEST(SignatureLine, MalformedHeaders) {
  const std::pair<const char*, const char*> cases[] = {
      {"@", "unknown header '@'"},
      {"@inputs A f32", "unknown header '@inputs'"},
      {"@Input A f32", "unknown header '@Input'"},
      {"@input", "'' is not a tensor's name"},
      {"@input a f32", "'a' is not a tensor's name"},
      {"@input L f32", "'L' is not a tensor's name"},
      {"@input Tq f32", "'Tq' is not a tensor's name"},
      {"@input AB f32", "'AB' is not a tensor's name"},
      {"@input A1 f32", "'A1' is not a tensor's name"},
      {"@input A", "'' is not a dtype"},
      {"@input A float", "'float' is not a dtype"},
      {"@input A [4]", "'' is not a dtype"},
      {"@input A f32[4", "the shape is not closed"},
      {"@input A f32[4,]", "'4' is not a dimension"},
      {"@input A f32[,4]", "'' is not a dimension"},
      {"@input A f32[n]", "'n' is not a dimension"},
      {"@input A f32[4.0]", "'4.0' is not a dimension"},
      {"@input A f32[0]", "dimension 0 of A: dimensions are at least 1"},
      {"@input A f32[-4]", "dimension -4 of A"},
      {"@input A f32[9223372036854775808]", "is not a dimension"},
      {"@input A f32[4294967296,4294967296]", "the number of elements of A does not fit in 64 bits"},
      {"@input A f32[4] big", "'big' is not a domain"},
      {"@input A f32[4] [0,10]", "'[0,10]' is not a domain"},
      {"@input A f32[4] [0)", "'[0)' is not a domain"},
      {"@input A f32[4] [,1)", "is not a domain"},
      {"@input A f32[4] [a,b)", "is not a domain"},
      {"@input A f32[4] [3,3)", "the domain [3,3) is empty"},
      {"@input A f32[4] [nan,1)", "is empty"},
      {"@input A f32[4] any more", "'more' after the declaration of A is not understood"},
      {"@program", "@program has no name"},
      {"@program   ", "@program has no name"},
      {"@program a\x01z", "not printable text"},
      {"@program \xff", "not printable text"},
  };
  for (const auto& [line, message] : cases) {
    const Document document = read_document("file", concat("@output D f32\n", line, "\ntx1 D=1;\n"));
    EXPECT_FALSE(document.ok) << line;
    ASSERT_EQ(document.diagnostics.size(), 1u) << line << "\n" << render(document.diagnostics, *document.source);
    EXPECT_EQ(document.diagnostics[0].id, "header") << line;
    EXPECT_EQ(document.diagnostics[0].line, 2u) << line;
    EXPECT_EQ(document.diagnostics[0].column, 1u) << line;
    EXPECT_NE(document.diagnostics[0].message.find(message), std::string::npos)
        << line << ": " << document.diagnostics[0].message;
  }
}

TEST(Document, HeadersThenProgram) {
  const Document document = read_document(
      "file",
      "# first\n\n  @program Row softmax \r\n@input A f32[4]\n# between\n@output D f32[4]\n\ntx4 D(tx)=A(e);\n");
  EXPECT_EQ(document.program.name, "Row softmax");
  EXPECT_EQ(document.program.signature.variables.size(), 2u);
  EXPECT_EQ(document.profile, Profile::compact);
  ASSERT_EQ(document.diagnostics.size(), 1u);
  EXPECT_EQ(document.diagnostics[0].line, 8u) << "places are places in the file";
  EXPECT_EQ(document.diagnostics[0].column, 13u);
}

TEST(Document, SeveralProblemsAreAllReported) {
  const Document document = read_document("file", "@input a f32\n@input A f99\n@output D f32[4]\ntx4 D(e)=1;\n");
  ASSERT_EQ(document.diagnostics.size(), 3u) << render(document.diagnostics, *document.source);
  EXPECT_EQ(document.diagnostics[0].id, "header");
  EXPECT_EQ(document.diagnostics[1].id, "header");
  EXPECT_EQ(document.diagnostics[2].id, "reserved");
}

TEST(Document, SignatureAsAWhole) {
  const std::pair<const char*, const char*> cases[] = {
      {"@input A f32\n@output A f32\ntx1 A=1;", "the signature names A twice"},
      {"@input A f32\ntx1 D=A;", "the signature has no output"},
  };
  for (const auto& [text, message] : cases) {
    const Document document = read_document("file", text);
    EXPECT_FALSE(document.ok);
    ASSERT_EQ(document.diagnostics.size(), 1u);
    EXPECT_EQ(document.diagnostics[0].id, "signature");
    EXPECT_EQ(document.diagnostics[0].message, message);
  }
  EXPECT_FALSE(read_document("file", "@output D f32").ok) << "no program";
  const Document late = read_document("file", "@output D f32\ntx1 D=1;\n@input A f32\n");
  EXPECT_FALSE(late.ok) << "a header line behind the program";
  const Document bare = read_document("file", "tx1 D=1;");
  EXPECT_TRUE(bare.ok);
  EXPECT_FALSE(bare.has_signature);
}

TEST(Document, Records) {
  const Document document = read_document(
      "record",
      R"json( {"program":"P","signature":[{"name":"C","role":"const","dtype":"int64","shape":[2,2],"values":[[0,1],[2,3]]},
      {"name":"A","role":"input","dtype":"f32","shape":[4],"domain":"[0,1)","unit":null},{"name":"D","role":"output","dtype":"float32","shape":[]}],
      "leir":"tx1 D=A(C^i64(0,0));","id":7})json");
  ASSERT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  EXPECT_EQ(document.program.name, "P");
  const auto& variables = document.program.signature.variables;
  EXPECT_EQ(variables[0].values, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(variables[1].domain.kind, Domain::Kind::range);
  EXPECT_TRUE(variables[2].shape.empty());
  EXPECT_EQ(*document.record.find("id")->as_integer(), 7);
  EXPECT_EQ(document.source->text(), "tx1 D=A(C^i64(0,0));");
}

TEST(Document, MaskedInputs) {
  const std::string text = "@input A f32[4] masked\n@output D f32[4]\ntx4 D(tx)=A(tx);\n";
  const Document document = read_document("masked", text);
  ASSERT_TRUE(document.ok);
  EXPECT_EQ(document.program.signature.variables[0].domain.kind, Domain::Kind::masked);
  const std::string printed = print_document(document.program, Profile::paper);
  EXPECT_NE(printed.find("@input A f32[4] masked\n"), std::string::npos);
  EXPECT_EQ(read_document("again", printed).program.signature, document.program.signature);
  EXPECT_FALSE(read_document("integers", "@input A i32[4] masked\n@output D i32[4]\ntx4 D(tx)=A(tx);\n").ok);
}

TEST(Document, WrongRecords) {
  const std::string entry = R"({"name":"D","role":"output","dtype":"f32","shape":[4]})";
  const auto with = [&](const std::string& part) {
    return concat(R"({"signature":[)", entry, ",", part, R"(],"leir":"tx4 D(tx)=1;"})");
  };
  const std::pair<std::string, const char*> cases[] = {
      {R"({})", "no \"leir\""},
      {R"({"leir":null})", "\"leir\" is null, wanted a string"},
      {R"({"leir":["tx4 D(tx)=1;"]})", "\"leir\" is an array"},
      {R"({"leir":"tx4 D(tx)=1;","program":3})", "\"program\" is an integer"},
      {R"({"leir":"tx4 D(tx)=1;","program":"a\nb"})", "not printable text"},
      {R"({"leir":"tx4 D(tx)=1;","signature":{}})", "\"signature\" is an object"},
      {R"({"leir":"tx4 D(tx)=1;","signature":["A"]})", "an entry of the signature is a string"},
      {with(R"({"role":"input","dtype":"f32","shape":[4]})"), "has no \"name\""},
      {with(R"({"name":5,"role":"input","dtype":"f32","shape":[4]})"), "\"name\" in the signature is an integer"},
      {with(R"({"name":"a","role":"input","dtype":"f32","shape":[4]})"), "'a' is not a tensor's name"},
      {with(R"({"name":"A","dtype":"f32","shape":[4]})"), "has no \"role\""},
      {with(R"({"name":"A","role":"in","dtype":"f32","shape":[4]})"), "'in' is not a role"},
      {with(R"({"name":"A","role":"input","shape":[4]})"), "has no \"dtype\""},
      {with(R"({"name":"A","role":"input","dtype":"f33","shape":[4]})"), "'f33' is not a dtype"},
      {with(R"({"name":"A","role":"input","dtype":"f32"})"), "A has no \"shape\""},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":4})"), "\"shape\" of A is an integer"},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":["4"]})"), "\"shape\" of A holds a string"},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":[4.0]})"), "\"shape\" of A holds "},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":[0]})"), "dimension 0 of A"},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":[4294967296,4294967296]})"), "does not fit in 64 bits"},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":[4],"domain":5})"), "\"domain\" of A is an integer"},
      {with(R"({"name":"A","role":"input","dtype":"f32","shape":[4],"domain":"odd"})"), "'odd' is not a domain"},
      {with(R"({"name":"A","role":"constant","dtype":"f32","shape":[4],"values":5})"), "\"values\" is not an array"},
      {with(R"({"name":"A","role":"constant","dtype":"f32","shape":[4],"values":[1,2,3]})"),
       "A has 4 elements, but \"values\" has 3"},
      {with(R"({"name":"A","role":"constant","dtype":"f32","shape":[1],"values":["x"]})"), "\"values\" holds a string"},
      {with(R"({"name":"A","role":"constant","dtype":"f32","shape":[1],"values":[null]})"), "\"values\" holds null"},
      {with(R"({"name":"A","role":"constant","dtype":"i8","shape":[1],"values":[128]})"), "wanted integers of i8"},
      {with(R"({"name":"A","role":"constant","dtype":"i8","shape":[1],"values":[0.5]})"), "wanted integers of i8"},
      {with(R"({"name":"A","role":"constant","dtype":"i8","shape":[1],"values":["nan"]})"), "wanted integers of i8"},
      {with(R"({"name":"A","role":"constant","dtype":"i64","shape":[1],"values":[9007199254740994]})"), "below 2^53"},
  };
  for (const auto& [text, message] : cases) {
    const Document document = read_document("record", text);
    EXPECT_FALSE(document.ok) << text;
    ASSERT_EQ(document.diagnostics.size(), 1u) << text;
    EXPECT_EQ(document.diagnostics[0].id, "record") << text;
    EXPECT_NE(document.diagnostics[0].message.find(message), std::string::npos) << text << "\n"
                                                                                << document.diagnostics[0].message;
  }
  const Document output = read_document(
      "record",
      R"({"signature":[{"name":"D","role":"output","dtype":"f32","shape":[1],"values":[1]}],"leir":"tx1 D(tx)=1;"})");
  ASSERT_EQ(output.diagnostics.size(), 1u);
  EXPECT_EQ(output.diagnostics[0].id, "signature");
}

TEST(Document, ConstantsAreHeldAsTheirTypeHoldsThem) {
  const Document document = read_document(
      "constants", "@constant K f16[4] values [2049,0.1,100000,6e-8]\n@output D f16[4]\na4 D^f16(a)=K^f16(a);");
  ASSERT_TRUE(document.ok);
  const std::vector<double> held = document.program.signature.find("K")->values;
  EXPECT_EQ(held[0], 2048);
  EXPECT_EQ(held[1], 0.0999755859375);
  EXPECT_EQ(held[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(held[3], 0x1p-24);
  const std::string printed = print_document(document.program, Profile::compact);
  EXPECT_NE(printed.find("[2048,0.1,\"inf\",6e-08]"), std::string::npos) << printed;
}

TEST(Document, TextsThatAreNoJson) {
  for (const char* text : {"{", "{]", R"({"leir":"x",})", R"({"leir":"x"} {})", R"({"leir":"x","leir":"y"})",
                           "{\"leir\":\"\xff\"}", R"({"leir":"\ud800"})", R"({"leir":1e999})"}) {
    const Document document = read_document("record", text);
    EXPECT_FALSE(document.ok) << text;
    ASSERT_EQ(document.diagnostics.size(), 1u) << text;
    EXPECT_EQ(document.diagnostics[0].id, "json") << text << document.diagnostics[0].message;
    EXPECT_GE(document.diagnostics[0].line, 1u) << text;
  }
  const Document deep =
      read_document("record", concat("{\"leir\":", std::string(100'000, '['), std::string(100'000, ']'), "}"));
  ASSERT_EQ(deep.diagnostics.size(), 1u);
}

TEST(Document, DiagnosticsOfRecordsPointIntoTheProgramText) {
  const Document document = read_document("record", R"({"leir":"tx4 D(tx)=1;\ntx4 D(e)=1;"})");
  ASSERT_EQ(document.diagnostics.size(), 1u);
  EXPECT_EQ(document.diagnostics[0].line, 2u);
  EXPECT_EQ(document.diagnostics[0].column, 7u);
}

}  // namespace
}  // namespace steptp
