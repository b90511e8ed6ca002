// Recurrences that are folds, and rows that may be masked as a whole.
#include "testing/law_rows.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRow =
    "@input A f32[8,60]\n@input C f32[8,60]\n@input E f32[8]\n@input M f32[8,60] masked\n@output D f32[8]\n";
constexpr std::string_view kTriangle = "@input A f32[8,60]\n@input C f32[8,60]\n@output D f32[8,60]\n";
constexpr std::string_view kMaximum = "tx8 a60 D(tx) max=A(tx,a);";
constexpr std::string_view kSums = "tx8 a60 E(tx) max=A(tx,a);tx8 a60 D(tx)+=exp(A(tx,a)-E(tx));";
constexpr std::string_view kSumOfLogs = "tx8 a60 D(tx)+=log(A(tx,a));";
constexpr std::string_view kSoftmax =
    "tx8 a60 O(tx) max=M(tx,a);tx8 a60 F(tx)+=exp(M(tx,a)-O(tx));tx8 D(tx)=exp(M(tx,5)-O(tx))/F(tx);";

const std::vector<LawRow> kRows = {
    {.law = "a running maximum",
     .signature = kRow,
     .before = kMaximum,
     .after = "tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=max(where(a-1<0,0,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,59);"},
               {"tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,58);"}}},
    {.law = "a running maximum of what may be NaN",
     .signature = kRow,
     .before = "tx8 a60 D(tx) max=log(A(tx,a));",
     .after = "tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),log(A(tx,a)));tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=where(a<1,log(A(tx,0)),max(X(tx,a-1),log(A(tx,a))));tx8 D(tx)=X(tx,59);"}}},
    {.law = "a running maximum with a start",
     .signature = kRow,
     .before = "tx8{R(tx)=0;a60 R(tx) max=A(tx,a);D(tx)=R(tx);}",
     .after = "tx8 a60 X(tx,a)=max(where(a-1<0,0,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=max(where(a-1<0,0,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,59);", kMaximum},
               {"tx8 a60 X(tx,a)=max(where(a-1<0,1,X(tx,a-1)),A(tx,a));tx8 D(tx)=X(tx,59);"}}},
    {.law = "a running sum",
     .signature = kTriangle,
     .before = "tx8 a60 c60 D(tx,a)+=where(c<=a,A(tx,c),0);",
     .after = "tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1))+A(tx,a);",
     .wrong = {{"tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1))+A(tx,59-a);"},
               {"tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1))+A(tx,0);"}}},
    {.law = "a running sum with a start",
     .signature = kRow,
     .before = "tx8{S(tx)=0;a59 S(tx)+=C(tx,a+1);D(tx)=S(tx)+A(tx,3);}",
     .after = "tx8{X(tx,0)=A(tx,3);a59 X(tx,a+1)=X(tx,a)+C(tx,a+1);}tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8{X(tx,0)=A(tx,3);a59 X(tx,a+1)=X(tx,a)+C(tx,a+1);}tx8 D(tx)=X(tx,59);",
                "tx8 a59 D(tx)+=C(tx,a+1);"},
               {"tx8{X(tx,0)=0;a59 X(tx,a+1)=X(tx,a)+C(tx,a+1);}tx8 D(tx)=X(tx,59);"}}},
    {.law = "a running sum of anything",
     .signature = kRow,
     .before = kSumOfLogs,
     .after = "tx8 a60 X(tx,a)=where(a-1<0,0,X(tx,a-1))+log(A(tx,a));tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=where(a-1<0,0,X(tx,a-1)*2)+log(A(tx,a));tx8 D(tx)=X(tx,59);"},
               {"tx8 a60 X(tx,a)=where(a-1<0,0,X(tx,a-1)+1)+log(A(tx,a));tx8 D(tx)=X(tx,59);"},
               {"tx8 a60 X(tx,a)=where(a-1<0,0,X(tx,a-1)*X(tx,a-1))+log(A(tx,a));tx8 D(tx)=X(tx,59);"}}},
    {.law = "a running product",
     .signature = kTriangle,
     .before = "tx8 a60 c60 D(tx,a)=D(tx,a)*where(c<=a,log(A(tx,c)),1);",
     .after = "tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1))*log(A(tx,a));",
     .wrong = {{"tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1))*log(C(tx,a));"},
               {"tx8 a60 D(tx,a)=where(a<1,2,D(tx,a-1))*log(A(tx,a));"},
               {"tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1)*D(tx,a-1))*log(A(tx,a));"},
               {"tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1)+1)*log(A(tx,a));"},
               {"tx8 a60 D(tx,a)=where(a<1,log(A(tx,a)),D(tx,a-1)*log(A(tx,a))+C(tx,a));"}}},
    {.law = "a running product of sums",
     .signature = kTriangle,
     .before = "tx8 a60 c60 D(tx,a)=D(tx,a)*where(c<=a,A(tx,c)+C(tx,c),1);",
     .after = "tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1))*(A(tx,a)+C(tx,a));",
     .wrong = {{"tx8 a60 D(tx,a)=where(a<1,1,D(tx,a-1))*(A(tx,a)+C(tx,0));"}}},
    {.law = "a running sum with weights",
     .signature = kTriangle,
     .before = "tx8 a60 c60 E(tx,a)+=where(c<=a,A(tx,c)*(c+1),0);tx8 a60 D(tx,a)=E(tx,a)/(a+1);",
     .after = "tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1)*a/(a+1))+A(tx,a);",
     .wrong = {{"tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1)*(a-1)/(a+1))+A(tx,a);"},
               {"tx8 a60 D(tx,a)=where(a<1,0,D(tx,a-1)*(a+1)/(a+1))+A(tx,a);"}}},
    {.law = "a rescaled sum of exponentials",
     .signature = "@input A f32[8,60]\n@output D f32[8]\n",
     .before = kSums,
     .after = "tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),A(tx,a));tx8 a60 N(tx,a)=where(a-1<0,0,N(tx,a-1)*"
              "exp(X(tx,a-1)-X(tx,a)))+exp(A(tx,a)-X(tx,a));tx8 D(tx)=N(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),A(tx,a));tx8 a60 N(tx,a)=where(a-1<0,0,N(tx,a-1)*"
                "exp(X(tx,a)-X(tx,a-1)))+exp(A(tx,a)-X(tx,a));tx8 D(tx)=N(tx,59);"},
               {"tx8 a60 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),A(tx,a));tx8 a60 N(tx,a)=where(a-1<0,0,N(tx,a-1)*"
                "exp(X(tx,a-1)-A(tx,a)))+exp(A(tx,a)-X(tx,a));tx8 D(tx)=N(tx,59);"}}},
    {.law = "a recurrence that overwrites its element",
     .signature = "@input A f32[8,60]\n@output D f32[8]\n",
     .before = kSums,
     .after = "tx8{X(tx)=-inf;N(tx)=0;}tx8 a60{G(tx)=X(tx);X(tx)=max(G(tx),A(tx,a));"
              "N(tx)=N(tx)*exp(G(tx)-X(tx))+exp(A(tx,a)-X(tx));}tx8 D(tx)=N(tx);",
     .wrong = {{"tx8{X(tx)=-inf;N(tx)=0;}tx8 a60{X(tx)=max(X(tx),A(tx,a));G(tx)=X(tx);"
                "N(tx)=N(tx)*exp(G(tx)-X(tx))+exp(A(tx,a)-X(tx));}tx8 D(tx)=N(tx);"},
               {"tx8{X(tx)=0;N(tx)=0;}tx8 a60{G(tx)=X(tx);X(tx)=max(G(tx),A(tx,a));"
                "N(tx)=N(tx)*exp(G(tx)-X(tx))+exp(A(tx,a)-X(tx));}tx8 D(tx)=N(tx);"}}},
    {.law = "any recurrence has its body",
     .signature = kRow,
     .before = "tx8 a60 X(tx,a)=where(a<1,0,sin(X(tx,a-1))*2)+A(tx,a);tx8 D(tx)=X(tx,59);",
     .after = "tx8 a60 X(tx,a)=A(tx,a)+where(a<1,0,2*sin(X(tx,a-1)));tx8 D(tx)=X(tx,59);",
     .wrong = {{"tx8 a60 X(tx,a)=where(a<1,0,cos(X(tx,a-1))*2)+A(tx,a);tx8 D(tx)=X(tx,59);"},
               {"tx8 a60 X(tx,a)=where(a<1,0,sin(X(tx,a-1))*2)+A(tx,a);tx8 D(tx)=X(tx,58);"}}},
    {.law = "a difference of what may be masked",
     .before = "C*exp(M-M)",
     .after = "if_then_else(M==-inf,inf-inf,C)",
     .wrong = {{"C*exp(M-M)", "C"}, {"C*exp(H-H)", "if_then_else(M==-inf,inf-inf,C)"}}},
    {.law = "nothing by nothing",
     .before = "if_then_else(A>0,0,C)/if_then_else(A>0,0,F)",
     .after = "if_then_else(A>0,inf-inf,C/F)",
     .wrong = {{"if_then_else(A>0,0,C)/if_then_else(A>0,0,F)", "C/F"},
               {"if_then_else(A>0,inf-inf,C/F)", "if_then_else(A>0,0,C)/if_then_else(A>0,1,F)"}}},
    {.law = "a sum of exponentials is zero with their maximum",
     .signature = kRow,
     .before = "tx8{S(tx)=0;a60 S(tx)+=exp(M(tx,a));D(tx)=where(S(tx)==0,E(tx),A(tx,0));}",
     .after = "tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=where(X(tx)==-inf,E(tx),A(tx,0));}",
     .wrong = {{"tx8{X(tx)=inf;a60 X(tx) min=M(tx,a);D(tx)=where(X(tx)==-inf,E(tx),A(tx,0));}"},
               {"tx8{X(tx)=-inf;a59 X(tx) max=M(tx,a);D(tx)=where(X(tx)==-inf,E(tx),A(tx,0));}"},
               {"tx8 D(tx)=A(tx,0);"}}},
    {.law = "the sum of a row less its maximum is positive",
     .signature = kRow,
     .before = kSoftmax,
     .after = "tx8 a60 F(tx)+=exp(M(tx,a));tx8 D(tx)=exp(M(tx,5))/F(tx);",
     .wrong = {{"tx8 a59 F(tx)+=exp(M(tx,a));tx8 D(tx)=exp(M(tx,5))/F(tx);"},
               {"tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);S(tx)=0;a59 S(tx)+=exp(M(tx,a)-X(tx));"
                "D(tx)=exp(M(tx,5)-X(tx))/S(tx)*S(tx);}",
                "tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=exp(M(tx,5)-X(tx));}"},
               {"tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=where(X(tx)==-inf,inf-inf,exp(M(tx,5)));}",
                "tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=exp(M(tx,5)-X(tx));}"}},
     .by = By::residues},
    {.law = "less the maximum of its own row",
     .signature = kRow,
     .before = "tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=exp(M(tx,5)-X(tx))*2;}",
     .after = "tx8{X(tx)=-inf;a60 X(tx) max=M(tx,a);D(tx)=exp(M(tx,5)-X(tx))+exp(M(tx,5)-X(tx));}",
     .wrong = {{"tx8 a60 X(tx) max=M(tx,a);tx8 D(tx)=1/exp(M(7-tx,5)-X(tx))+(exp(M(tx,5)-X(tx))-exp(M(tx,5)-X(tx)));",
                "tx8 a60 X(tx) max=M(tx,a);tx8 D(tx)=1/exp(M(7-tx,5)-X(tx));"}}},
    {.law = "a rescaled sum over a masked row",
     .signature = kRow,
     .before = kSoftmax,
     .after = "tx8 a60{X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),M(tx,a));N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,"
              "N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+exp(M(tx,a)-X(tx,a)));}tx8 D(tx)=exp(M(tx,5)-X(tx,59))/N(tx,59);",
     .wrong = {{"tx8 a60{X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),M(tx,a));N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,"
                "N(tx,a-1)*exp(X(tx,a)-X(tx,a-1)))+exp(M(tx,a)-X(tx,a)));}tx8 D(tx)=exp(M(tx,5)-X(tx,59))/N(tx,59);"},
               {"tx8 a60{X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),M(tx,a));N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,3,"
                "N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+exp(M(tx,a)-X(tx,a)));}tx8 D(tx)=exp(M(tx,5)-X(tx,59))/N(tx,59);"},
               {"tx8 a60{X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),M(tx,a));N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,"
                "N(tx,a-1)*1)+exp(M(tx,a)-X(tx,a)));}tx8 D(tx)=exp(M(tx,5)-X(tx,59))/N(tx,59);"},
               {"tx8 a60{X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),M(tx,a));N(tx,a)=where(M(tx,a)==-inf,0,where(a-1<0,0,"
                "N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+exp(M(tx,a)-X(tx,a)));}tx8 D(tx)=exp(M(tx,5)-X(tx,59))/N(tx,59);"}}},
};

INSTANTIATE_TEST_SUITE_P(Recurrences, Law, ::testing::ValuesIn(kRows), law_name);

}  // namespace
}  // namespace steptp::testing
