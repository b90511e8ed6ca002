#include "testing/matrix_programs.h"

#include "steptp/documents/run_document.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp::testing {

namespace {

struct Case {
  const char* name;
  const char* text;
};

constexpr Case kCases[] = {
    {"matrix: halves, two buffers for each factor",
     "@input A f16[64,64]\n@input C f16[64,32]\n@output D f32[64,32]\n"
     "B^{1}_{bx=0}[B^{2}_{wx=0}[T^{32}_{m=0}T^{32}_{n=0}[E^{f32,f}_{m,n}=0;];];"
     "L^{2}_{k=0}[B^{64}_{tx=0}U^{4}_{a=0}V^{8}_{d=0}[F^{f16,s2}_{tx//4+a*16,(tx%4)*8+d}=A^{f16,g}_{tx//4+"
     "a*16,k*32+(tx%4)*8+d};];"
     "B^{64}_{tx=0}U^{2}_{a=0}V^{8}_{d=0}[G^{f16,s2}_{tx//4+a*16,(tx%4)*8+d}=C^{f16,g}_{k*32+tx//4+a*16,(t"
     "x%4)*8+d};];"
     "B^{2}_{wx=0}[T^{32}_{m=0}T^{32}_{n=0}T^{32}_{c=0}[E^{f32,f}_{m,n}=E^{f32,f}_{m,n}+F^{f16,s2}_{wx*32+"
     "m,c}*G^{f16,s2}_{c,n};];];];"
     "B^{2}_{wx=0}[T^{32}_{m=0}T^{32}_{n=0}[D^{f32,g}_{wx*32+m,n}=E^{f32,f}_{m,n};];];];"},
    {"matrix: doubles by the large instruction",
     "@input A f64[32,32]\n@input C f64[32,16]\n@output D f64[32,16]\n"
     "B^{1}_{bx=0}[L^{2}_{k=0}[B^{64}_{tx=0}U^{4}_{a=0}V^{2}_{d=0}[F^{f64,s2}_{tx//8+a*8,(tx%8)*2+d}=A^{f6"
     "4,g}_{tx//8+a*8,k*16+(tx%8)*2+d};];"
     "B^{64}_{tx=0}U^{2}_{a=0}V^{2}_{d=0}[G^{f64,s2}_{tx//8+a*8,(tx%8)*2+d}=C^{f64,g}_{k*16+tx//8+a*8,(tx%"
     "8)*2+d};];"
     "B^{2}_{wx=0}B^{1}_{wy=0}[T^{16}_{m=0}T^{16}_{n=0}T^{16}_{c=0}[E^{f64,f}_{m,n}=E^{f64,f}_{m,n}+F^{f64"
     ",s2}_{wx*16+m,c}*G^{f64,s2}_{c,n};];];];"
     "B^{2}_{wx=0}B^{1}_{wy=0}[T^{16}_{m=0}T^{16}_{n=0}[D^{f64,g}_{wx*16+m,n}=E^{f64,f}_{m,n}*2;];];];"},
    {"matrix: doubles by the small one, rows of twelve",
     "@input A f64[24,12]\n@input C f64[12,16]\n@output D f64[24,16]\n"
     "B^{1}_{bx=0}[B^{96}_{tx=0}L^{3}_{a=0}[F^{f64,s}_{tx//4,(tx%4)*3+a}=A^{f64,g}_{tx//4,(tx%4)*3+a};];"
     "B^{96}_{tx=0}L^{2}_{a=0}[G^{f64,s}_{tx//8,(tx%8)*2+a}=C^{f64,g}_{tx//8,(tx%8)*2+a};];"
     "B^{3}_{wx=0}B^{2}_{wy=0}[T^{8}_{m=0}T^{8}_{n=0}T^{12}_{c=0}[E^{f64,f}_{m,n}=E^{f64,f}_{m,n}+F^{f64,s"
     "}_{wx*8+m,c}*G^{f64,s}_{c,wy*8+n};];"
     "T^{8}_{m=0}T^{8}_{n=0}[D^{f64,g}_{wx*8+m,wy*8+n}=E^{f64,f}_{m,n};];];];"},
    {"matrix: bf16 at odd edges, the right factor by columns",
     "@input A bf16[20,24]\n@input C bf16[30,24]\n@output D bf16[20,30]\n"
     "B^{1}_{bx=0}[L^{2}_{k=0}[B^{64}_{tx=0}L^{8}_{d=0}[F^{bf16,s2}_{tx//2,(tx%2)*8+d}=if_then_else((tx//2"
     "<20)&(k*16+(tx%2)*8+d<24),A^{bf16,g}_{tx//2,k*16+(tx%2)*8+d},0);];"
     "B^{64}_{tx=0}L^{8}_{d=0}[G^{bf16,s2}_{tx//2,(tx%2)*8+d}=if_then_else((tx//2<30)&(k*16+(tx%2)*8+d<24)"
     ",C^{bf16,g}_{tx//2,k*16+(tx%2)*8+d},0);];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{32}_{n=0}T^{16}_{c=0}[E^{f32,f}_{m,n}=E^{f32,f}_{m,n}+F^{bf16,s2}_{wx*16"
     "+m,c}*G^{bf16,s2}_{n,c};];];];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{32}_{n=0}?{(wx*16+m<20)&(n<30)}[D^{bf16,g}_{wx*16+m,n}=E^{f32,f}_{m,n};"
     "];];];"},
    {"matrix: halves in f16, the left factor by columns",
     "@input A f16[40,16]\n@input C f16[16,24]\n@output D f16[32,24]\n"
     "B^{1}_{bx=0}[B^{16}_{tx=0}L^{40}_{d=0}[F^{f16,s}_{tx,d}=A^{f16,g}_{d,tx};];"
     "B^{16}_{tx=0}L^{24}_{d=0}[G^{f16,s}_{d,tx}=C^{f16,g}_{tx,d};];"
     "B^{1}_{wx=0}[T^{32}_{m=0}T^{24}_{n=0}T^{16}_{c=0}[E^{f16,f}_{m,n}=E^{f16,f}_{m,n}+F^{f16,s}_{c,m+8}*"
     "G^{f16,s}_{n,c};];T^{32}_{m=0}T^{24}_{n=0}[D^{f16,g}_{m,n}=max(E^{f16,f}_{m,n},0);];];];"},
    {"matrix: attention with two chained products",
     "@input A f16[32,32]\n@input C f16[64,32]\n@input G f16[64,32]\n@output D f16[32,32]\n"
     "B^{1}_{bx=0}[B^{64}_{tx=0}U^{2}_{a=0}V^{8}_{d=0}[E^{f16,s}_{tx//4+a*16,(tx%4)*8+d}=A^{f16,g}_{tx//4+"
     "a*16,(tx%4)*8+d};];B^{2}_{wx=0}[T^{16}_{m=0}[M^{f32,f}_{m}=-1000;];T^{16}_{m=0}[N^{f32,f}_{m}=0;];"
     "T^{16}_{m=0}T^{32}_{n=0}[O^{f32,f}_{m,n}=0;];];"
     "L^{2}_{k=0}[B^{64}_{tx=0}U^{2}_{a=0}V^{8}_{d=0}[F^{f16,s2}_{tx//4+a*16,(tx%4)*8+d}=C^{f16,g}_{k*32+t"
     "x//4+a*16,(tx%4)*8+d};];"
     "B^{64}_{tx=0}U^{2}_{a=0}V^{8}_{d=0}[H^{f16,s2}_{tx//4+a*16,(tx%4)*8+d}=G^{f16,g}_{k*32+tx//4+a*16,(t"
     "x%4)*8+d};];B^{2}_{wx=0}[T^{16}_{m=0}T^{32}_{n=0}[S^{f32,f}_{m,n}=0;];"
     "T^{16}_{m=0}T^{32}_{n=0}T^{32}_{c=0}[S^{f32,f}_{m,n}=S^{f32,f}_{m,n}+E^{f16,s}_{wx*16+m,c}*F^{f16,s2"
     "}_{n,c};];"
     "T^{16}_{m=0}T^{32}_{n=0}[S^{f32,f}_{m,n}=if_then_else(k*32+n<=wx*16+m+20,S^{f32,f}_{m,n}*0.125,-1000"
     ");];T^{16}_{m=0}[R^{f32,f}_{m}=M^{f32,f}_{m};];"
     "T^{16}_{m=0}T^{32}_{n=0}[M^{f32,f}_{m}=max(M^{f32,f}_{m},S^{f32,f}_{m,n});];"
     "T^{16}_{m=0}[R^{f32,f}_{m}=exp(R^{f32,f}_{m}-M^{f32,f}_{m});];"
     "T^{16}_{m=0}T^{32}_{n=0}[S^{f32,f}_{m,n}=exp(S^{f32,f}_{m,n}-M^{f32,f}_{m});];"
     "T^{16}_{m=0}[W^{f32,f}_{m}=N^{f32,f}_{m}*R^{f32,f}_{m};];"
     "T^{16}_{m=0}T^{32}_{n=0}[W^{f32,f}_{m}=W^{f32,f}_{m}+S^{f32,f}_{m,n};];"
     "T^{16}_{m=0}[N^{f32,f}_{m}=W^{f32,f}_{m};];T^{16}_{m=0}T^{32}_{n=0}[Q^{f16,f}_{m,n}=S^{f32,f}_{m,n};"
     "];T^{16}_{m=0}T^{32}_{n=0}[X^{f32,f}_{m,n}=O^{f32,f}_{m,n}*R^{f32,f}_{m};];"
     "T^{16}_{m=0}T^{32}_{n=0}T^{32}_{c=0}[X^{f32,f}_{m,n}=X^{f32,f}_{m,n}+Q^{f16,f}_{m,c}*H^{f16,s2}_{c,n"
     "};];T^{16}_{m=0}T^{32}_{n=0}[O^{f32,f}_{m,n}=X^{f32,f}_{m,n};];];];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{32}_{n=0}[D^{f16,g}_{wx*16+m,n}=O^{f32,f}_{m,n}/N^{f32,f}_{m};];];];"},
    {"matrix: a convolution with two loops over pixels",
     "@input A f16[2,6,8,16]\n@input C f16[3,3,16,8]\n@output D f32[2,4,4,8]\n"
     "B^{2}_{bx=0}[B^{48}_{tx=0}V^{16}_{d=0}[F^{f16,s}_{tx//8,tx%8,d}=A^{f16,g}_{bx,tx//8,tx%8,d};];"
     "B^{144}_{tx=0}V^{8}_{d=0}[G^{f16,s}_{tx//16,tx%16,d}=C^{f16,g}_{tx//48,tx//16%3,tx%16,d};];"
     "B^{1}_{wx=0}[U^{3}_{a=0}U^{3}_{h=0}T^{4}_{p=0}T^{4}_{q=0}T^{8}_{n=0}T^{16}_{c=0}[E^{f32,f}_{p,q,n}=E"
     "^{f32,f}_{p,q,n}+F^{f16,s}_{p+a,q+h,c}*G^{f16,s}_{a*3+h,c,n};];"
     "T^{4}_{p=0}T^{4}_{q=0}T^{8}_{n=0}[D^{f32,g}_{bx,p,q,n}=E^{f32,f}_{p,q,n};];];];"},
    {"matrix: fragments that pass through shared memory",
     "@input A f16[32,32]\n@input C f16[32,24]\n@output D f32[32,24]\n"
     "B^{1}_{bx=0}[B^{32}_{tx=0}L^{33}_{d=0}[F^{f16,s}_{tx,d}=if_then_else(d<32,A^{f16,g}_{tx,d},0);];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{32}_{c=0}[H^{f16,f}_{m,c}=F^{f16,s}_{wx*16+m,c}*2;];"
     "T^{16}_{m=0}T^{32}_{c=0}[G^{f16,s}_{wx*16+m,c}=H^{f16,f}_{m,c}+1;];"
     "T^{16}_{m=0}T^{32}_{c=0}[H^{f16,f}_{m,c}=G^{f16,s}_{wx*16+15-m,c};];];"
     "B^{24}_{tx=0}L^{32}_{d=0}[K^{f16,s}_{d,tx}=C^{f16,g}_{d,tx};];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{24}_{n=0}T^{32}_{c=0}[E^{f32,f}_{m,n}=E^{f32,f}_{m,n}+H^{f16,f}_{m,c}*K^"
     "{f16,s}_{c,n};];T^{16}_{m=0}T^{24}_{n=0}[D^{f32,g}_{wx*16+m,n}=E^{f32,f}_{m,n};];];];"},
    {"matrix: fewer lanes than threads, a row of 33",
     "@input A f16[32,32]\n@input C f16[32,24]\n@output D f32[32,24]\n"
     "B^{1}_{bx=0}[B^{100}_{tx=0}[U^{1}_{a=0}?{tx<32}[L^{33}_{d=0}[F^{f16,s}_{tx,d}=if_then_else(d<32,A^{f"
     "16,g}_{tx,d},0);];];];B^{24}_{tx=0}L^{32}_{d=0}[K^{f16,s}_{d,tx}=C^{f16,g}_{d,tx};];"
     "B^{2}_{wx=0}[T^{16}_{m=0}T^{24}_{n=0}T^{32}_{c=0}[E^{f32,f}_{m,n}=E^{f32,f}_{m,n}+F^{f16,s}_{wx*16+m"
     ",c}*K^{f16,s}_{c,n};];T^{16}_{m=0}T^{24}_{n=0}[D^{f32,g}_{wx*16+m,n}=E^{f32,f}_{m,n};];];];"},
    {"matrix: f16 by groups, panels of columns",
     "@input A f16[64,128]\n@input C f16[128,128]\n@output D f32[64,128]\n"
     "B^{1}_{bx=0}[L^{2}_{k=0}[U^{2}_{h=0}B^{256}_{tx=0}V^{8}_{d=0}[F^{f16,s2}_{h*32+tx//8,(tx%8)*8+d}=A^{"
     "f16,g}_{h*32+tx//8,k*64+(tx%8)*8+d};];U^{4}_{l=0}B^{256}_{tx=0}V^{8}_{g=0}[G^{f16,s2}_{l*16+tx//16,("
     "tx%16)*8+g}=C^{f16,g}_{k*64+l*16+tx//16,(tx%16)*8+g};];B^{4}_{wx=0}B^{2}_{wy=0}[T^{16}_{m=0}T^{64}_{"
     "n=0}T^{64}_{c=0}[E^{f32,f}_{m,n}=E^{f32,f}_{m,n}+F^{f16,s2}_{wx*16+m,c}*G^{f16,s2}_{c,wy*64+n};];];]"
     ";B^{4}_{wx=0}B^{2}_{wy=0}[T^{16}_{m=0}T^{64}_{n=0}[D^{f32,g}_{wx*16+m,wy*64+n}=E^{f32,f}_{m,n};];];]"
     ";"},
    {"matrix: brain floats by groups, columns along k",
     "@input A bf16[128,64]\n@input C bf16[128,64]\n@output D f32[128,128]\n"
     "B^{1}_{bx=0}[B^{256}_{tx=0}U^{4}_{h=0}V^{8}_{d=0}[F^{bf16,s}_{h*32+tx//8,(tx%8)*8+d}=A^{bf16,g}_{h*3"
     "2+tx//8,(tx%8)*8+d};];B^{256}_{tx=0}U^{4}_{h=0}V^{8}_{d=0}[G^{bf16,s}_{h*32+tx//8,(tx%8)*8+d}=C^{bf1"
     "6,g}_{h*32+tx//8,(tx%8)*8+d};];B^{8}_{wx=0}[T^{16}_{m=0}T^{128}_{n=0}T^{64}_{c=0}[E^{f32,f}_{m,n}=E^"
     "{f32,f}_{m,n}+F^{bf16,s}_{wx*16+m,c}*G^{bf16,s}_{n,c};];T^{16}_{m=0}T^{128}_{n=0}[D^{f32,g}_{wx*16+m"
     ",n}=E^{f32,f}_{m,n}*2;];];];"},
};

}  // namespace

std::vector<Judged> matrix_programs() {
  std::vector<Judged> out;
  for (const Case& one : kCases) {
    const Document document = read_document(one.name, one.text);
    // A case that is not run would test nothing: whoever runs them sees an empty program.
    out.push_back({one.name, {}, {}, {}});
    if (!document.ok || check_program(document.program).verdict != CheckReport::Verdict::ok) continue;
    auto inputs = seeded_inputs(document.program, 1);
    if (!inputs) continue;
    auto result = run(document.program, *inputs);
    if (result) out.back() = {one.name, document.program, *std::move(inputs), std::move(result->outputs)};
  }
  return out;
}

}  // namespace steptp::testing
