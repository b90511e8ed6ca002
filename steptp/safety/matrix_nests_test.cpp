// Rule R20 of docs/language.md: matrix nests, units and fragments, one small program for each side of each rule.
#include "steptp/safety/matrix_nests.h"

#include <gtest/gtest.h>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/oracle_support.h"

namespace steptp {
namespace {

constexpr const char* kSignature =
    "@input A f16[32,32]\n@input C f16[32,32]\n@input I f64[32,32]\n@input J f32[32,32]\n"
    "@output D f32[32,32]\n@output K f64[32,32]\n";
/// What all programs begin with: the outputs, and operands in s.
constexpr const char* kHead = "^f32;a32 c32 D(a,c)=J(a,c);a32 c32 K^f64(a,c)=I^f64(a,c);";
constexpr const char* kStaged =
    "tx32 c32{F^f16^s(tx,c)=A^f16(tx,c);G^f16^s(tx,c)=C^f16(tx,c);H^f64^s(tx,c)=I(tx,c);M^s(tx,c)=J(tx,c);}";

std::string in_kernel(std::string_view body) { return concat(kSignature, kHead, "bx1{", kStaged, body, "}"); }

/// Ids and messages of errors and unknowns.
std::string findings_of(const std::string& text) {
  const Document document = read_document("<test>", text);
  if (!document.ok) return document.diagnostics.empty() ? "?" : document.diagnostics[0].message;
  std::string out;
  for (const Diagnostic& item : check_program(document.program).diagnostics) {
    if (item.severity == Severity::warning) continue;
    append(out, out.empty() ? "" : "; ", item.id, ": ", item.message);
  }
  return out;
}

TEST(MatrixNests, Legal) {
  for (const char* body : {
           // a contraction in each type, and its store
           "wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);",
           "wx4 Ta8 Tc32 Td32 E^f64^f(a,c)+=H(wx*8+a,d)*H(d,c);wx4 Ta8 Tc32 K(wx*8+a,c)=E(a,c);",
           "wx2 Ta16 Tc32 Td32 E^f16^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);",
           // several loops of a role; several unit axes; loops around
           "wx2 Ta4 Tc4 Td32 Tf32 E^f(a,c,d)+=F(wx*16+a*4+c,f)*G(f,d);wx2 Ta4 Tc4 Td32 D(wx*16+a*4+c,d)=E(a,c,d);",
           "wx2 wy2 d2 Ta16 Tc16 Tf16 E^f(a,c)+=F(wx*16+a,d*16+f)*G(d*16+f,wy*16+c);"
           "wx2 wy2 Ta16 Tc16 D(wx*16+a,wy*16+c)=E(a,c);",
           // a row statistic, an elementwise equation with it, an offset by a loop that is unrolled
           "wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 N^f(a)=max(N(a),E(a,c));"
           "wx2 Ta16 Tc32 E(a,c)=exp(E(a,c)-N(a));wx2 Ud2 Ta16 Tc16 D(wx*16+a,d*16+c)=E(a,d*16+c);",
           // a chained product: the conversion of a sum is a factor
           "wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 O^f16^f(a,c)=E(a,c);"
           "wx2 Ta16 Tc32 Td32 Q^f(a,c)+=O(a,d)*G(d,c);wx2 Ta16 Tc32 D(wx*16+a,c)=Q(a,c);",
           // a guard on T indices, in a store
           "wx3 Ta16 Tc32 ?(wx*16+a<32) E^f(a,c)=1;wx3 Ta16 Tc32 ?(wx*16+a<32) D(wx*16+a,c)=E(a,c);",
           // data from a unit to its own next nest, and to threads behind a barrier
           "wx2 Ta16 Tc32 M(wx*16+a,c)=2;tx32 c32 D(tx,c)=M(31-tx,c);",
       }) {
    EXPECT_EQ(findings_of(in_kernel(body)), "") << body;
  }
}

/// Causal attention in one kernel: two chained products, masks, and maxima and sums of rows, over tiles that are staged
/// two rounds deep.
constexpr const char* kAttention =
    "@input Q f16[64,32]\n"
    "@input K f16[128,32]\n"
    "@input C f16[128,32]\n"
    "@output O f32[64,32]\n"
    "^f16;bx1{tx128 a16{Qa^s(a*4+tx//32,tx%32)=Q(a*4+tx//32,tx%32);}"
    "wx4 Ta16 N^f32^f(a)=-inf;wx4 Ta16 S^f32^f(a)=0;wx4 Ta16 Tc32 R^f32^f(a,c)=0;"
    "g4{tx128 a8{Ka^s2(a*4+tx//32,tx%32)=K(g*32+a*4+tx//32,tx%32);Ca^s2(a*4+tx//32,tx%32)=C(g*32+a*4+tx//32,tx%32);}"
    "wx4 Ta16 Tc32 E^f32^f(a,c)=0;"
    "wx4 Ta16 Tc32 Td32 E(a,c)+=Qa(wx*16+a,d)*Ka(c,d);"
    "wx4 Ta16 Tc32 ?(wx*16+a<g*32+c) E(a,c)=-inf;"
    "wx4 Ta16 M^f32^f(a)=N(a);"
    "wx4 Ta16 Tc32 N(a)=max(N(a),E(a,c));"
    "wx4 Ta16 W^f32^f(a)=exp(M(a)-N(a));"
    "wx4 Ta16 Tc32 E(a,c)=exp(E(a,c)-N(a));"
    "wx4 Ta16 S(a)=S(a)*W(a);"
    "wx4 Ta16 Tc32 S(a)+=E(a,c);"
    "wx4 Ta16 Tc32 X^f(a,c)=E(a,c);"
    "wx4 Ta16 Tc32 R(a,c)=R(a,c)*W(a);"
    "wx4 Ta16 Td32 Tc32 R(a,d)+=X(a,c)*Ca(c,d);}"
    "wx4 Ta16 Tc32 O^f32(wx*16+a,c)=R(a,c)/S(a);}";

TEST(MatrixNests, AttentionIsOneKernel) {
  EXPECT_EQ(findings_of(kAttention), "");
  const auto matrix = testing::output(kAttention, "O");
  const auto vanilla = testing::output(
      "@input Q f16[64,32]\n@input K f16[128,32]\n@input C f16[128,32]\n@output O f32[64,32]\n"
      "^f16;tx64 g128 d32 E^f32(tx,g)+=Q(tx,d)*K(g,d);tx64 g128 F^f32(tx,g)=where(tx<g,-inf,E(tx,g));"
      "tx64 g128 N^f32(tx)=max(N(tx),F(tx,g));tx64 g128 W^f32(tx,g)=exp(F(tx,g)-N(tx));"
      "tx64 g128 S^f32(tx)+=W(tx,g);tx64 g128 d32 R^f32(tx,d)+=W(tx,g)*C(g,d);tx64 d32 O^f32(tx,d)=R(tx,d)/S(tx);",
      "O");
  ASSERT_EQ(matrix.size(), vanilla.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) EXPECT_NEAR(matrix[i], vanilla[i], 4e-3) << i;
}

struct Refused {
  const char* body;
  const char* finding;  ///< how it begins
};

constexpr Refused kRefused[] = {
    // places
    {"tx32 Ta32 D(tx,a)=1;", "matrix-nest: T loops need a unit"},
    {"Ta32 D(a,0)=1;", "matrix-nest: T loops need a unit"},
    {"wx2 Ta16{D(wx*16+a,0)=1;D(wx*16+a,1)=1;}", "matrix-nest: T loops are around more than one item"},
    {"wx2 Ta16{Tc32 D(wx*16+a,c)=1;}", "matrix-nest: T loops stand in several headers"},
    {"wx2 Ta16 c32 D(wx*16+a,c)=1;", "matrix-nest: the loop c stands behind a T loop"},
    {"wx2 Pc32 Ta16 D(wx*16+a,c)=1;", "matrix-nest: the loop c is a P loop around T loops"},
    // units
    {"wx2 a16 c32 D(wx*16+a,c)=1;", "unit-axes: an equation without T loops stands in a loop over units"},
    {"wx2 tx16 Tc32 D(wx*16+tx,c)=1;", "unit-axes: loops over units and over threads are around one equation"},
    {"wx2 Ta16 Tc32 D(wx*16+a,c)=1;ty32 tx32 D(ty,tx)=2;", "unit-axes: a loop over ty stands in a kernel with units"},
    {"wx2 wy2 Ta16 Tc16 D(wx*16+a,wy*16+c)=1;wx2 Ta16 Tc32 D(wx*16+a,c)=2;",
     "unit-axes: no loop over wy, which the kernel has, is around these T loops"},
    {"wx2 Ta16 E^l(a)=1;wx2 Ta16 D(wx*16+a,0)=E(a);", "unit-axes: E is in scope l"},
    // forms of a contraction
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)+=A(wx*16+a,d)*G(d,c);", "matrix-form: the factor A is in g"},
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*C(d,c);", "matrix-form: the factor C is in g"},
    {"wx2 Ta16 Tc32 Td32 D(wx*16+a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-form: a contraction accumulates in f"},
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)+=G(d,c)*F(wx*16+a,d);", "matrix-form: in E the columns, which F has, stand before"},
    {"wx2 Ta16 Tc32 Td32 E^f(c,a)+=F(wx*16+a,d)*G(d,c);", "matrix-form: in E the columns, which G has, stand before"},
    {"wx2 Tf2 Ta16 Tc32 Td32 E^f(f,a,c)+=F(f*16+a,d)*G(d+f,c);",
     "matrix-form: the T index f occurs in 3 of E, F and G"},
    {"wx2 Ta16 Tc32 Td32 Tf2 E^f(a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-form: the T index f occurs in 0 of E, F and G"},
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)=E(a,c)*F(wx*16+a,d)*G(d,c);", "matrix-form: no form has the left side E without"},
    {"wx2 Ta16 Tc32 Td32 ?(d<30) E^f(a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-form: a guard on T indices stands around"},
    {"wx4 Ta8 Tc32 Td32 E^f64^f(a,c)+=H(wx*8+a,d)*H(d,c);wx4 Ta8 Tc32 Td32 O^f64^f(a,c)+=E(a,d)*H(d,c);",
     "matrix-form: the factor E is in f, and sums in f64"},
    // forms of a reduction
    {"wx2 Ta16 Tc32 N^f(c)=max(N(c),M(wx*16+a,c));", "matrix-form: N has the T index c but not a"},
    {"wx2 Ta16 Tc32 M(wx*16+a,0)=max(M(wx*16+a,0),F(a,c));",
     "matrix-form: no form has the left side M without the T index c"},
    {"wx2 Ta16 Tc32 N^f(a)=M(wx*16+a,c);", "matrix-form: no form has the left side N without the T index c"},
    // shapes
    {"wx2 Ta8 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-shape: 8 rows, and the instruction for f16"},
    {"wx2 Ta16 Tc12 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-shape: 12 columns, and the instruction for f16"},
    {"wx2 Ta16 Tc32 Td24 E^f(a,c)+=F(wx*16+a,d)*G(d,c);", "matrix-shape: 24 inner iterations, and the instruction"},
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)+=M(wx*16+a,d)*M(d,c);",
     "matrix-shape: there is no instruction for factors in f32 and f32"},
    {"wx2 Ta16 Tc32 Td32 E^f64^f(a,c)+=F(wx*16+a,d)*G(d,c);",
     "matrix-shape: there is no instruction for factors in f16"},
    {"wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*M(d,c);",
     "matrix-shape: there is no instruction for factors in f16 and f32"},
    // fragments
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc16 Td16 O^f(a,c)=E(a,c+d);",
     "matrix-form: no form has the left side O without the T index d"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc32 D(wx*16+a,c)=E(15-a,c);",
     "fragment: a subscript of E, which is in f, is not"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Tc32 Ta16 D(wx*16+a,c)=E(a,c);",
     "fragment: the T indices of E, which is in f, are not"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc16 D(wx*16+a,c)=E(a,c+3);",
     "fragment: a subscript of E, which is in f, is not"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 d2 Ta16 Tc16 D(wx*16+a,d*16+c)=E(a,d*16+c);",
     "fragment: a subscript of E, which is in f, is not"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;tx32 c32 D(tx,c)=E(tx%16,c);", "fragment: E is in scope f and is used without T loops"},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc32 Td32 Q^f(a,c)+=F(a,d)*G(d,c);wx2 Tf32 Ta16 Tc32 Q(a,c)=max(Q(a,c),1);",
     "matrix-form: Q has the T index a but not f"},
    // one tensor with other rows
    {"wx2 Ta4 Tc4 Td32 Tf32 E^f(a,c,d)+=F(wx*16+a*4+c,f)*G(f,d);wx2 Ta4 Tc4 Td32 N^f(a)=max(N(a),E(a,c,d));",
     "fragment: of the subscripts of E, which is in f, 1 are rows here, but elsewhere 2"},
    // races of T loops, units and threads
    {"wx2 Ta16 Tc32 D(a,c)=wx;", "race: race: bx=0, wx=0, a=0, c=0 and bx=0, wx=1, a=0, c=0 both write D_{0,0}"},
    {"wx2 Ta16 Tc32 E^f(a,c)=wx;wx2 Ta16 Tc32 D(a,c)=E(a,c);", "race: race: bx=0, wx=0, a=0, c=0 and bx=0, wx=1"},
    {"wx2 Ta16 Tc31 M(wx*16+a,c)=M(wx*16+a,c+1);", "race: race: "},
    {"wx2 Ta16 Tc32 D(wx*16+a//2,c)=a;", "race: race: "},
    {"wx2{d2{Ta16 Tc32 M(wx*16+a,c)=d;Ta16 Tc32 D(wx*16+a,c)=M(31-wx*16-a,c);}}", "race: race: "},
    {"wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc32 D(wx*16+a,c)=E(a+16,c);", "undefined-read: E_{16,0} is read before"},
};

TEST(MatrixNests, Refused) {
  for (const Refused& row : kRefused) {
    EXPECT_TRUE(findings_of(in_kernel(row.body)).starts_with(row.finding))
        << row.body << "\n  " << findings_of(in_kernel(row.body)) << "\n  expected " << row.finding;
  }
}

TEST(MatrixNests, AFragmentIsOfOneKernel) {
  EXPECT_EQ(
      findings_of(concat(kSignature, kHead, "bx1{wx2 Ta16 Tc32 E^f(a,c)=1;}bx1{wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);}")),
      "fragment: E is in scope f, and 2 kernels touch it");
}

TEST(MatrixNests, MeanTheirSerialLoops) {
  const std::string body =
      "wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 N^f(a)=max(N(a),E(a,c));"
      "wx2 Ta16 Tc32 E(a,c)=exp(E(a,c)-N(a));wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);";
  const auto matrix = testing::output(in_kernel(body), "D");
  // The same with threads for units and serial loops for T loops.
  const auto threads =
      testing::output(in_kernel("tx2 a16 c32 d32 E^l(a,c)+=F(tx*16+a,d)*G(d,c);tx2 a16 c32 N^l(a)=max(N(a),E(a,c));"
                                "tx2 a16 c32 E(a,c)=exp(E(a,c)-N(a));tx2 a16 c32 D(tx*16+a,c)=E(a,c);tx32 F(tx,0)=0;"),
                      "D");
  EXPECT_EQ(matrix, threads);
  EXPECT_EQ(matrix.size(), 1024u);
}

TEST(MatrixNests, RolesAreRead) {
  const Program program = testing::program_of(in_kernel(
      "wx2 Ta4 Tc4 Td32 Tf32 E^f(a,c,d)+=F(wx*16+a*4+c,f)*G(f,d);wx2 Ta4 Tc4 Td32 D(wx*16+a*4+c,d)=E(a,c,d);"));
  const AccessTable table = collect_accesses(program);
  const auto nest = matrix_nest(table.statements[6]);
  ASSERT_TRUE(nest.ok());
  EXPECT_EQ(nest->form, MatrixForm::contraction);
  EXPECT_EQ(nest->roles, (std::vector{MatrixRole::row, MatrixRole::row, MatrixRole::column, MatrixRole::inner}));
  EXPECT_EQ(nest->first->tensor, "F");
  EXPECT_EQ(nest->shape.inner, 16);
  const auto rows = fragment_rows(table, {6, 7});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->at("E"), 2u);
}

TEST(MatrixNests, AreWrittenAsTheyAreRead) {
  const std::string text =
      in_kernel("wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);");
  const Program program = testing::program_of(text);
  EXPECT_TRUE(is_extended(program));
  for (const Profile profile : {Profile::paper, Profile::compact}) {
    const std::string printed = print_document(program, profile);
    const Document again = read_document("<again>", printed);
    ASSERT_TRUE(again.ok) << printed;
    EXPECT_TRUE(equal(program, again.program)) << printed;
    EXPECT_EQ(print_document(again.program, profile), printed);
  }
}

TEST(MatrixNests, LanesAndFragmentsAreCounted) {
  const auto warnings = [](const std::string& body) {
    const Document document = read_document("<test>", in_kernel(body));
    CheckOptions options;
    options.device = &default_device();
    std::string out;
    for (const Diagnostic& item : check_program(document.program, options).diagnostics)
      append(out, item.id, ": ", item.message, "\n");
    return out;
  };
  EXPECT_NE(warnings("wx33 Ta16 Tc32 E^f(a,c)=1;wx33 Ta16 Tc32 ?(wx<2) D(wx*16+a,c)=E(a,c);")
                .find("launch-limit: 1056 threads in a block"),
            std::string::npos);
  EXPECT_NE(warnings("wx1 Ta256 Tc64 E^f(a,c)=1;wx1 Ta32 Tc32 D(a,c)=E(a,c);")
                .find("l-spills: 2048 bytes of f data in a lane"),
            std::string::npos);
  EXPECT_EQ(warnings("wx2 Ta16 Tc32 E^f(a,c)=1;wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);").find("launch-limit"),
            std::string::npos);
}

}  // namespace
}  // namespace steptp
