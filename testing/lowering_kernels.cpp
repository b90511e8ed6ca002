// Small programs, one for each rule that a back end has to keep.
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {

namespace {

struct Case {
  const char* name;
  const char* text;
};

constexpr Case kCases[] = {
    {"serial kernel without bound loops",
     "@input A f32[4,5]\n@output D f32[4]\nL^{4}_{a=0}L^{5}_{c=0}[D^{f32,g}_{a}=D^{f32,g}_{a}+A^{f32,g}_{a,c};];"},
    {"every kind of loop",
     "@input A f64[4,3,2,5]\n@output D f64[4,3,2,5]\nB^{4}_{tx=0}P^{3}_{a=0}U^{2}_{c=0}V^{5}_{d=0}"
     "[D^{f64,g}_{tx,a,c,d}=A^{f64,g}_{tx,a,c,d}*A^{f64,g}_{tx,a,c,d}-0.1;];"},
    {"products of halves that are summed in a wider type",
     "@input A f16[4,6]\n@input C bf16[4,6]\n@output D f32[4]\n@output F f64[4]\n"
     "B^{4}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f16,g}_{tx,a}*A^{f16,g}_{tx,5-a};];"
     "B^{4}_{tx=0}L^{6}_{a=0}[F^{f64,g}_{tx}=F^{f64,g}_{tx}+C^{bf16,g}_{tx,a}*C^{bf16,g}_{tx,5-a};];"},
    {"per-thread state that starts undefined in every thread",
     "@input A f32[4,3]\n@output D f32[4]\n"
     "B^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,l};];"},
    {"l data that lives across items and rounds",
     "@input A f32[2,4,3]\n@output D f32[2,4,3]\n"
     "B^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{bx,tx,a};];"
     "B^{4}_{tx=0}[D^{f32,g}_{bx,tx,a}=E^{f32,l};];];"},
    {"l data of an item that begins anew in every thread",
     "@input A f32[2,3,4,6]\n@output D f32[2,3,4,6]\n"
     "B^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[L^{2}_{c=0}L^{3}_{d=0}[E^{f32,l}_{c*3+d}=A^{f32,g}_{bx,a,tx,c*3+d}*2;];"
     "L^{6}_{f=0}[D^{f32,g}_{bx,a,tx,f}=E^{f32,l}_{5-f};];];];"},
    {"l data of an item that lives on in each thread",
     "@input A f32[2,3,4]\n@output D f32[2,3,4]\n"
     "B^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[E^{f32,l}_{a}=A^{f32,g}_{bx,a,tx}*2;"
     "D^{f32,g}_{bx,a,tx}=E^{f32,l}_{0}+E^{f32,l}_{a};];];"},
    {"l data of an item that is written under a condition",
     "@input A f32[2,3,4]\n@output D f32[2,3,4]\n"
     "B^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[L^{1}_{c=0}?{a<1}[E^{f32,l}=A^{f32,g}_{bx,a,tx}*2;];"
     "D^{f32,g}_{bx,a,tx}=E^{f32,l}+a;];];"},
    {"l data of an item of which a part is written",
     "@input A f32[2,3,4]\n@output D f32[2,3,4]\n"
     "B^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[L^{2}_{c=0}[E^{f32,l}_{c}=A^{f32,g}_{bx,a,tx}+c;];"
     "E^{f32,l}_{a//2+1}=A^{f32,g}_{bx,a,tx}*3;D^{f32,g}_{bx,a,tx}=E^{f32,l}_{0}+E^{f32,l}_{1};];];"},
    {"a tile staged through shared memory",
     "@input A f32[3,8]\n@input C f32[8,8]\n@output D f32[3,8]\n"
     "B^{3}_{bxa=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bxa,tx};];"
     "B^{8}_{tx=0}L^{8}_{c=0}[D^{f32,g}_{bxa,tx}=D^{f32,g}_{bxa,tx}+E^{f32,s}_{c}*C^{f32,g}_{c,tx};];];"},
    {"a tile that is staged again in every round",
     "@input A f32[4,8]\n@output D f32[8]\n"
     "B^{1}_{bx=0}L^{4}_{a=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{a,tx};];"
     "B^{8}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,s}_{7-tx};];];"},
    {"data in g that passes between threads of a block",
     "@input A f32[2,8]\n@output D f32[2,8]\n@output E f32[2,8]\n"
     "B^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,g}_{bx,tx}=A^{f32,g}_{bx,tx}*2;];"
     "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,g}_{bx,7-tx};];];"},
    {"shared accumulators start undefined in every block",
     "@input A f64[3,4,5]\n@output D f64[3,4]\n"
     "B^{3}_{bx=0}[B^{4}_{tx=0}L^{5}_{a=0}[E^{f64,s}_{tx}=max(E^{f64,s}_{tx},A^{f64,g}_{bx,tx,a});];"
     "B^{4}_{tx=0}[D^{f64,g}_{bx,tx}=E^{f64,s}_{3-tx};];];"},
    {"unequal extents of one axis",
     "@input A f32[2,8]\n@output D f32[2,8]\n@output F f32[2,3]\n"
     "B^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];B^{3}_{tx=0}[F^{f32,g}_{bx,tx}=E^{f32,s}_{tx+5};];"
     "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{tx}+1;];];"},
    {"an item without a loop over a thread axis",
     "@input A f32[2,4]\n@output D f32[2,4]\n"
     "B^{2}_{bx=0}[E^{f32,s}=A^{f32,g}_{bx,0}*3;B^{4}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}+A^{f32,g}_{bx,tx};];];"},
    {"an item of one thread that accumulates",
     "@input A f32[2,4]\n@output D f32[2,4]\n"
     "B^{2}_{bx=0}[L^{4}_{a=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,a};];"
     "B^{4}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}*A^{f32,g}_{bx,tx};];];"},
    {"items that accumulate and lack one of two thread axes",
     "@input A f32[4,3]\n@output D f32[4]\n@output F f32[4,3]\n"
     "B^{1}_{bx=0}[B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
     "B^{4}_{tx=0}B^{3}_{ty=0}[F^{f32,g}_{tx,ty}=A^{f32,g}_{tx,ty}+D^{f32,g}_{tx};];];"},
    {"a reduction over whole warps",
     "@input A f32[3,128]\n@output D f32[3]\n"
     "B^{3}_{bx=0}[B^{128}_{tx=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,tx};];D^{f32,g}_{bx}=E^{f32,s}*2;];"},
    {"a product over whole warps",
     "@input A f64[3,64]\n@output D f64[3]\n"
     "B^{3}_{bx=0}[B^{64}_{tx=0}[E^{f64,s}=E^{f64,s}*(A^{f64,g}_{bx,tx}+2);];D^{f64,g}_{bx}=E^{f64,s};];"},
    {"a guarded reduction to which some blocks contribute nothing",
     "@input A f32[2,10]\n@output D f32[2]\n"
     "B^{4}_{bx=0}[B^{16}_{tx=0}?{tx<10&bx<2}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{bx,tx};];];"},
    {"a guarded maximum over warps along two axes",
     "@input A f64[2,40,3]\n@output D f64[2]\n"
     "B^{2}_{bx=0}[B^{48}_{tx=0}B^{4}_{ty=0}?{tx<40&ty<3}[E^{f64,s}=max(E^{f64,s},A^{f64,g}_{bx,tx,ty});];"
     "D^{f64,g}_{bx}=E^{f64,s};];"},
    {"reductions one after another in a loop",
     "@input A i32[3,64]\n@output D i32[3]\n@output F i32[3]\n"
     "B^{1}_{bx=0}[L^{3}_{a=0}[B^{64}_{tx=0}[D^{i32,g}_{a}=D^{i32,g}_{a}+A^{i32,g}_{a,tx};];"
     "B^{64}_{tx=0}[F^{i32,g}_{a}=min(F^{i32,g}_{a},A^{i32,g}_{a,tx}*D^{i32,g}_{a});];];];"},
    {"items that lack one of two thread axes",
     "@input A f32[4,3]\n@output D f32[4]\n@output F f32[4,3]\n"
     "B^{1}_{bx=0}[B^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx,1};];"
     "B^{4}_{tx=0}B^{3}_{ty=0}[F^{f32,g}_{tx,ty}=A^{f32,g}_{tx,ty}+D^{f32,g}_{tx};];];"},
    {"a reduction over threads",
     "@input A f32[3,37]\n@output D f32[3]\n"
     "B^{3}_{bx=0}[B^{37}_{tx=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,tx};];D^{f32,g}_{bx}=E^{f32,s}*2;];"},
    {"a reduction over threads, each with several elements",
     "@input A f64[2,8,5]\n@output D f64[2]\n"
     "B^{2}_{bx=0}[B^{8}_{tx=0}L^{5}_{a=0}[E^{f64,s}=max(E^{f64,s},A^{f64,g}_{bx,tx,a});];D^{f64,g}_{bx}=E^{f64,s};];"},
    {"a reduction of l data over threads",
     "@input A f32[2,8,5]\n@output D f32[2]\n"
     "B^{2}_{bx=0}[B^{8}_{tx=0}L^{5}_{a=0}[F^{f32,l}=F^{f32,l}+A^{f32,g}_{bx,tx,a};];"
     "B^{8}_{tx=0}[E^{f32,s}=E^{f32,s}+F^{f32,l};];D^{f32,g}_{bx}=E^{f32,s};];"},
    {"a reduction over one of two thread axes",
     "@input A f32[4,6]\n@output D f32[4]\n"
     "B^{1}_{bx=0}[B^{4}_{ty=0}B^{6}_{tx=0}[E^{f32,s}_{ty}=E^{f32,s}_{ty}+A^{f32,g}_{ty,tx};];"
     "B^{4}_{ty=0}[D^{f32,g}_{ty}=E^{f32,s}_{ty};];];"},
    {"a guarded reduction over threads",
     "@input A f32[3,10]\n@output D f32[3]\n"
     "B^{3}_{bx=0}[B^{16}_{tx=0}?{tx<10}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,tx};];D^{f32,g}_{bx}=E^{f32,s};];"},
    {"groups of threads reduce",
     "@input A i32[12]\n@output D i32[3]\n"
     "B^{1}_{bx=0}[B^{12}_{tx=0}[E^{i32,s}_{tx//4}=E^{i32,s}_{tx//4}+A^{i32,g}_{tx};];"
     "B^{3}_{tx=0}[D^{i32,g}_{tx}=E^{i32,s}_{tx};];];"},
    {"threads reduce into several elements",
     "@input A f32[6,5]\n@output D f32[5]\n"
     "B^{1}_{bx=0}[B^{6}_{tx=0}L^{5}_{a=0}[E^{f32,s}_{a}=E^{f32,s}_{a}+A^{f32,g}_{tx,a};];"
     "B^{5}_{tx=0}[D^{f32,g}_{tx}=E^{f32,s}_{tx};];];"},
    {"an accumulator that is converted on the way",
     "@input A f32[8]\n@output D i32[1]\n"
     "B^{1}_{bx=0}[B^{8}_{tx=0}[E^{i32,s}=E^{i32,s}+A^{f32,g}_{tx}*3;];D^{i32,g}_{bx}=E^{i32,s};];"},
    {"rows of halves with wide sums, several in a block",
     "@input A f16[11,203]\n@output D f32[11]\n@output F f16[11,203]\n"
     "B^{3}_{bx=0}[B^{4}_{ty=0}B^{32}_{tx=0}L^{7}_{a=0}?{bx*4+ty<11&a*32+tx<203}"
     "[E^{f32,s}_{ty}=E^{f32,s}_{ty}+A^{f16,g}_{bx*4+ty,a*32+tx}*A^{f16,g}_{bx*4+ty,a*32+tx};];"
     "B^{4}_{ty=0}?{bx*4+ty<11}[D^{f32,g}_{bx*4+ty}=E^{f32,s}_{ty};];"
     "B^{4}_{ty=0}B^{32}_{tx=0}L^{7}_{a=0}?{bx*4+ty<11&a*32+tx<203}[F^{f16,g}_{bx*4+ty,a*32+tx}="
     "A^{f16,g}_{bx*4+ty,a*32+tx}/sqrt(E^{f32,s}_{ty}/203+0.1);];];"},
    {"rows of halves in vectors, each by four warps",
     "@input A f16[6,1024]\n@output D f32[6]\n"
     "B^{3}_{bx=0}[B^{2}_{ty=0}B^{128}_{tx=0}V^{8}_{a=0}[E^{f32,s}_{ty}=E^{f32,s}_{ty}+A^{f16,g}_{bx*2+ty,tx*8+a};];"
     "B^{2}_{ty=0}[D^{f32,g}_{bx*2+ty}=E^{f32,s}_{ty};];];"},
    {"narrow sums of what is wide, some rows guarded",
     "@input A f32[5,40]\n@output D f16[5]\n@output F "
     "bf16[5]\nB^{2}_{bx=0}[B^{4}_{ty=0}B^{40}_{tx=0}?{bx*4+ty<5}[D^{f16,g}_{bx*4+ty}=D^{f16,g}_{bx*4+ty}+round(A^{f32,"
     "g}_{bx*4+ty,tx}*2);];B^{4}_{ty=0}B^{40}_{tx=0}?{bx*4+ty<5}[F^{bf16,g}_{bx*4+ty}=max(F^{bf16,g}_{bx*4+ty},A^{f32,"
     "g}_{bx*4+ty,tx});];];"},
    {"halves in parts of a warp",
     "@input A f16[3,64]\n@input C bf16[3,64]\n@output D f16[3,8]\n@output F "
     "bf16[3,8]\nB^{3}_{bx=0}[B^{64}_{tx=0}[D^{f16,g}_{bx,tx//8}=D^{f16,g}_{bx,tx//"
     "8}+round(A^{f16,g}_{bx,tx}*2);];B^{64}_{tx=0}[F^{bf16,g}_{bx,tx%8}=F^{bf16,g}_{bx,tx%8}+round(C^{bf16,g}_{bx,tx}*"
     "2);];];"},
    {"neighbours of a group stand apart in a warp",
     "@input A i16[32]\n@input C i8[32]\n@output D i16[8]\n@output F i8[16]\n"
     "B^{1}_{bx=0}[B^{32}_{tx=0}[D^{i16,g}_{tx%8}=D^{i16,g}_{tx%8}+A^{i16,g}_{tx};];"
     "B^{32}_{tx=0}[F^{i8,g}_{tx//16*8+tx%8}=max(F^{i8,g}_{tx//16*8+tx%8},C^{i8,g}_{tx});];];"},
    {"groups of a block that is no multiple of a warp",
     "@input A f32[5,24]\n@output D f32[5,3]\n"
     "B^{5}_{bx=0}[B^{24}_{tx=0}[D^{f32,g}_{bx,tx//8}=D^{f32,g}_{bx,tx//8}+A^{f32,g}_{bx,tx};];];"},
    {"groups of twelve, and guarded",
     "@input A f32[2,48]\n@output D f32[2,4]\n"
     "B^{2}_{bx=0}[B^{48}_{tx=0}?{tx<30}[E^{f32,s}_{tx//12}=E^{f32,s}_{tx//12}+A^{f32,g}_{bx,tx};];"
     "B^{4}_{tx=0}?{tx<3}[D^{f32,g}_{bx,tx}=E^{f32,s}_{tx};];B^{4}_{tx=0}?{tx>2}[D^{f32,g}_{bx,tx}=7;];];"},
    {"groups of two warps, guarded, and each with several elements",
     "@input A f64[3,4,128]\n@output D f64[3,2,4]\n"
     "B^{3}_{bx=0}[B^{128}_{tx=0}U^{4}_{a=0}?{bx<2|a<3|tx>99}[D^{f64,g}_{bx,tx//64,a}=D^{f64,g}_{bx,tx//64,a}+"
     "A^{f64,g}_{bx,a,tx};];L^{1}_{c=0}?{bx>1}[D^{f64,g}_{bx,0,3}=5;];];"},
    {"a guarded element that nobody contributes to keeps its value",
     "@input A f32[8,16]\n@output D f32[8]\n"
     "B^{1}_{bx=0}[B^{8}_{tx=0}[D^{f32,g}_{tx}=tx*0.5;];"
     "B^{8}_{ty=0}B^{16}_{tx=0}?{ty%3==1&tx>4}[D^{f32,g}_{ty}=D^{f32,g}_{ty}+A^{f32,g}_{ty,tx};];];"},
    {"columns: the faster axis is kept",
     "@input A f32[12,20]\n@output D f32[20]\n"
     "B^{1}_{bx=0}[B^{12}_{ty=0}B^{20}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{ty,tx};];];"},
    {"the first and the last of three axes are reduced",
     "@input A f64[3,4,5]\n@output D f64[4]\n"
     "B^{1}_{bx=0}[B^{3}_{tz=0}B^{4}_{ty=0}B^{5}_{tx=0}[D^{f64,g}_{ty}=D^{f64,g}_{ty}+A^{f64,g}_{tz,ty,tx};];];"},
    {"several elements of vectors and unrolled loops in warps",
     "@input A f16[2,64,3,4]\n@output D "
     "f16[2,3,4]\nB^{2}_{bx=0}[B^{64}_{tx=0}U^{3}_{a=0}V^{4}_{c=0}[E^{f16,s}_{a,c}=E^{f16,s}_{a,c}+round(A^{f16,g}_{bx,"
     "tx,a,c}*2);];B^{12}_{tx=0}[D^{f16,g}_{bx,tx//4,tx%4}=E^{f16,s}_{tx//4,tx%4};];];"},
    {"more elements than a thread holds, in any order of loops",
     "@input A f32[3,11,20,9]\n@output D f32[11,20]\n"
     "B^{1}_{bx=0}[L^{3}_{d=0}[L^{11}_{a=0}B^{9}_{tx=0}L^{20}_{c=0}[D^{f32,g}_{a,c}=D^{f32,g}_{a,c}+A^{f32,g}_{d,a,c,"
     "tx};"
     "];];];"},
    {"more elements inside of the loop over threads than a thread holds",
     "@input A f32[9,11,20,3]\n@output D f32[11,20]\n"
     "B^{9}_{tx=0}L^{3}_{d=0}L^{11}_{a=0}L^{20}_{c=0}[D^{f32,g}_{a,c}=D^{f32,g}_{a,c}+A^{f32,g}_{tx,a,c,d};];"},
    {"elements one after another where parts are many",
     "@input A f64[300,40]\n@output D f64[40]\n"
     "B^{300}_{tx=0}L^{40}_{a=0}?{(tx+a)%3>0}[D^{f64,g}_{a}=D^{f64,g}_{a}+A^{f64,g}_{tx,a};];"},
    {"groups beside an axis without a loop and a wider sibling",
     "@input A f32[12]\n@output D f32[3]\n@output F f32[4,16]\n"
     "B^{1}_{bx=0}[B^{12}_{tx=0}[D^{f32,g}_{tx//4}=D^{f32,g}_{tx//4}+A^{f32,g}_{tx};];"
     "B^{4}_{ty=0}B^{16}_{tx=0}[F^{f32,g}_{ty,tx}=A^{f32,g}_{(tx+ty)%12};];];"},
    {"a split row index of two axes",
     "@input A f32[64,8]\n@output D f32[64]\n"
     "B^{2}_{bx=0}[B^{4}_{ty=0}B^{32}_{tx=0}L^{2}_{c=0}[D^{f32,g}_{bx*32+ty*8+tx//4}=D^{f32,g}_{bx*32+ty*8+tx//4}+"
     "A^{f32,g}_{bx*32+ty*8+tx//4,tx%4*2+c};];];"},
    {"results of a group that others read in the same round",
     "@input A f32[5,32]\n@output D f32[5,32]\n"
     "B^{1}_{bx=0}L^{5}_{a=0}[B^{32}_{tx=0}[E^{f32,s}_{tx//4}=E^{f32,s}_{tx//4}+A^{f32,g}_{a,tx};];"
     "B^{32}_{tx=0}[D^{f32,g}_{a,tx}=E^{f32,s}_{7-tx//4};];];"},
    {"elements that groups share, thread after thread",
     "@input A f32[12,3]\n@output D f32[6]\n"
     "B^{1}_{bx=0}[B^{12}_{tx=0}L^{3}_{a=0}[E^{f32,s}_{tx//4+a}=E^{f32,s}_{tx//4+a}+A^{f32,g}_{tx,a};];"
     "B^{6}_{tx=0}?{tx<5}[D^{f32,g}_{tx}=E^{f32,s}_{tx};];D^{f32,g}_{5}=1;];"},
    {"sharing: tiles of two types, one after the other",
     "@input A f32[2,512]\n@output D f32[2,64]\n@output G f64[2,64]\n"
     "B^{2}_{bx=0}[B^{64}_{tx=0}L^{8}_{a=0}[E^{f32,s}_{a*64+tx}=A^{f32,g}_{bx,a*64+tx}*2;];"
     "B^{64}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{511-tx*8}+E^{f32,s}_{tx};];"
     "B^{64}_{tx=0}L^{4}_{a=0}[F^{f64,s}_{a*64+tx}=A^{f32,g}_{bx,a*64+tx}+1;];"
     "B^{64}_{tx=0}[G^{f64,g}_{bx,tx}=F^{f64,s}_{255-tx*4}*F^{f64,s}_{tx};];];"},
    {"barriers: a tile that is filled in rounds of its own",
     "@input A f32[5,16]\n@output D f32[5,16]\nB^{1}_{bx=0}L^{5}_{a=0}[U^{2}_{c=0}B^{8}_{tx=0}[E^{f32,s}_{c*8+tx}="
     "A^{f32,g}_{a,c*8+tx};];L^{2}_{c=0}B^{8}_{tx=0}[D^{f32,g}_{a,c*8+tx}=E^{f32,s}_{15-(c*8+tx)};];];"},
    {"barriers: more is pending at the end of a second round than of a first",
     "@input A f32[3,64]\n@output D f32[3,64]\n"
     "B^{1}_{bx=0}L^{3}_{a=0}[B^{64}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{a,tx};];"
     "B^{64}_{tx=0}[F^{f32,s}_{tx}=A^{f32,g}_{a,tx}*2;];B^{64}_{tx=0}[G^{f32,s}_{tx}=E^{f32,s}_{63-tx};];"
     "B^{64}_{tx=0}[H^{f32,s}_{tx}=E^{f32,s}_{63-tx}+F^{f32,s}_{63-tx};];"
     "B^{64}_{tx=0}[D^{f32,g}_{a,tx}=G^{f32,s}_{63-tx}+F^{f32,s}_{63-tx}+H^{f32,s}_{tx};];];"},
    {"sharing: two tiles in each round of a loop",
     "@input A f32[3,512]\n@input C f32[3,512]\n@output D f32[2,64]\n@output G f32[2,64]\n"
     "B^{2}_{bx=0}L^{3}_{d=0}[B^{64}_{tx=0}L^{8}_{a=0}[E^{f32,s}_{a*64+tx}=A^{f32,g}_{d,a*64+tx}*(bx+2);];"
     "B^{64}_{tx=0}[D^{f32,g}_{bx,tx}=D^{f32,g}_{bx,tx}+E^{f32,s}_{511-tx*8};];"
     "B^{64}_{tx=0}L^{8}_{a=0}[F^{f32,s}_{a*64+tx}=C^{f32,g}_{d,a*64+tx}+bx;];"
     "B^{64}_{tx=0}[G^{f32,g}_{bx,tx}=G^{f32,g}_{bx,tx}+F^{f32,s}_{511-tx*8};];];"},
    {"sharing: not with what the next round reads",
     "@input A f32[4,256]\n@output D f32[4,64]\n@output G f32[4,64]\n"
     "B^{1}_{bx=0}L^{4}_{d=0}[B^{64}_{tx=0}L^{4}_{a=0}[F^{f32,s}_{a*64+tx}=A^{f32,g}_{d,a*64+tx}*3;];"
     "B^{64}_{tx=0}[D^{f32,g}_{d,tx}=F^{f32,s}_{255-tx*4};];"
     "B^{64}_{tx=0}[G^{f32,g}_{d,tx}=if_then_else(d>0,E^{f32,s}_{255-tx*4},0);];"
     "B^{64}_{tx=0}L^{4}_{a=0}[E^{f32,s}_{a*64+tx}=A^{f32,g}_{d,a*64+tx}+1;];];"},
    {"sharing: not with what is written part by part and read behind the loop",
     "@input A f32[4,256]\n@output D f32[4,64]\n@output G f32[64]\n"
     "B^{1}_{bx=0}[L^{4}_{d=0}[B^{64}_{tx=0}L^{4}_{a=0}[F^{f32,s}_{a*64+tx}=A^{f32,g}_{d,a*64+tx}*3;];"
     "B^{64}_{tx=0}[D^{f32,g}_{d,tx}=F^{f32,s}_{255-tx*4};];"
     "B^{64}_{tx=0}[E^{f32,s}_{d*64+tx}=A^{f32,g}_{d,tx}+1;];];"
     "B^{64}_{tx=0}[G^{f32,g}_{tx}=E^{f32,s}_{255-tx*4};];];"},
    {"sharing: not with an accumulator that begins with the block",
     "@input A f32[2,256]\n@output D f32[2,64]\n@output G f32[2,64]\n"
     "B^{2}_{bx=0}[B^{64}_{tx=0}L^{4}_{a=0}[F^{f32,s}_{a*64+tx}=A^{f32,g}_{bx,a*64+tx}*3;];"
     "B^{64}_{tx=0}[D^{f32,g}_{bx,tx}=F^{f32,s}_{255-tx*4};];"
     "B^{64}_{tx=0}L^{4}_{a=0}L^{2}_{c=0}[E^{f32,s}_{a*64+tx}=E^{f32,s}_{a*64+tx}+A^{f32,g}_{bx,a*64+tx}*c;];"
     "B^{64}_{tx=0}[G^{f32,g}_{bx,tx}=E^{f32,s}_{255-tx*4};];];"},
    {"sharing: with an accumulator that is set where it begins",
     "@input A f32[2,256]\n@output D f32[2,64]\n@output G f32[2,64]\n"
     "B^{2}_{bx=0}[B^{64}_{tx=0}L^{4}_{a=0}[F^{f32,s}_{a*64+tx}=A^{f32,g}_{bx,a*64+tx}*3;];"
     "B^{64}_{tx=0}[D^{f32,g}_{bx,tx}=F^{f32,s}_{255-tx*4};];"
     "B^{64}_{tx=0}L^{4}_{a=0}[E^{f32,s}_{a*64+tx}=0.5;];"
     "B^{64}_{tx=0}L^{4}_{a=0}L^{2}_{c=0}[E^{f32,s}_{255-(a*64+tx)}=E^{f32,s}_{255-(a*64+tx)}+A^{f32,g}_{bx,a*64+tx}*c;"
     "];"
     "B^{64}_{tx=0}[G^{f32,g}_{bx,tx}=E^{f32,s}_{255-tx*4};];];"},
    {"sharing: a tile and the cells of a reduction",
     "@input A f64[3,300]\n@output D f64[3,300]\n@output G f64[3]\n"
     "B^{1}_{bx=0}L^{3}_{d=0}[B^{300}_{tx=0}[F^{f64,s}_{tx}=A^{f64,g}_{d,tx}*3;];"
     "B^{300}_{tx=0}[D^{f64,g}_{d,tx}=F^{f64,s}_{299-tx};];"
     "B^{300}_{tx=0}[G^{f64,g}_{d}=max(G^{f64,g}_{d},A^{f64,g}_{d,tx});];];"},
    {"sharing: with flags that say what is defined",
     "@input A f32[2,1024]\n@output D f32[2,64]\n@output G f32[2,64]\n"
     "B^{2}_{bx=0}[B^{64}_{tx=0}L^{16}_{a=0}[E^{f32,s}_{a*64+tx}=E^{f32,s}_{a*64+tx}*A^{f32,g}_{bx,a*64+tx};];"
     "B^{64}_{tx=0}L^{16}_{a=0}[E^{f32,s}_{a*64+tx}=E^{f32,s}_{a*64+tx}+1;];"
     "B^{64}_{tx=0}[G^{f32,g}_{bx,tx}=E^{f32,s}_{1023-tx*16};];"
     "B^{64}_{tx=0}L^{16}_{a=0}[F^{f32,s}_{a*64+tx}=A^{f32,g}_{bx,a*64+tx}*3;];"
     "B^{64}_{tx=0}[D^{f32,g}_{bx,tx}=F^{f32,s}_{1023-tx*16};];];"},
    {"sums that begin in registers: a loop over elements inside of the reduction",
     "@input A f32[4,3,5]\n@output D f32[4,5]\n"
     "B^{4}_{tx=0}L^{3}_{a=0}L^{5}_{c=0}[D^{f32,g}_{tx,c}=D^{f32,g}_{tx,c}+A^{f32,g}_{tx,a,c};];"},
    {"sums that begin in registers: in vectors",
     "@input A f16[4,8,8]\n@output D f16[4,8]\n@output F f32[4]\n"
     "B^{4}_{tx=0}[L^{8}_{a=0}V^{8}_{c=0}[D^{f16,g}_{tx,c}=max(D^{f16,g}_{tx,c},A^{f16,g}_{tx,a,c});];"
     "L^{8}_{a=0}V^{8}_{c=0}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+A^{f16,g}_{tx,a,c};];];"},
    {"sums that begin in registers: guards that leave elements out",
     "@input A f32[5,4]\n@output D f32[5]\n@output F f32[8]\n"
     "B^{8}_{tx=0}[L^{4}_{a=0}?{tx<5&a>0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
     "L^{2}_{c=0}?{c*4+tx//2<99}[F^{f32,g}_{tx}=F^{f32,g}_{tx}*(c+2);];];"},
    {"sums that begin in registers: one contribution each, also in a vector",
     "@input A f32[4,8]\n@output D f32[4,8]\n@output F f64[4]\n"
     "B^{4}_{tx=0}[L^{2}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=D^{f32,g}_{tx,a*4+c}+A^{f32,g}_{tx,a*4+c};];"
     "F^{f64,g}_{tx}=min(F^{f64,g}_{tx},A^{f32,g}_{tx,3});];"},
    {"sums that do not begin in registers: with others in the loop, of two equations, of launches and blocks",
     "@input A f32[4,3]\n@output D f32[4]\n@output F f32[4]\n@output G f32[4]\n@output H f32[3]\n"
     "B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};"
     "F^{f32,g}_{tx}=F^{f32,g}_{tx}+D^{f32,g}_{tx}*A^{f32,g}_{tx,a};];"
     "B^{4}_{tx=0}[L^{3}_{a=0}[G^{f32,g}_{tx}=G^{f32,g}_{tx}+A^{f32,g}_{tx,a};];G^{f32,g}_{tx}=G^{f32,g}_{tx}+tx;];"
     "L^{4}_{c=0}B^{3}_{tx=0}[H^{f32,g}_{tx}=H^{f32,g}_{tx}+A^{f32,g}_{c,tx};];"},
    {"sums that begin in registers, and are added to behind a guard and by other rounds",
     "@input A f32[9,2,3]\n@output D f32[9,2]\n@output F f32[9]\n@output G f32[9]\n"
     "B^{9}_{tx=0}L^{2}_{c=0}[L^{3}_{a=0}[D^{f32,g}_{tx,c}=D^{f32,g}_{tx,c}+A^{f32,g}_{tx,c,a};];"
     "D^{f32,g}_{tx,1-c}=D^{f32,g}_{tx,1-c}+A^{f32,g}_{tx,c,0};];"
     "B^{9}_{tx=0}[L^{3}_{a=0}?{tx<5}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+A^{f32,g}_{tx,0,a};];"
     "L^{3}_{a=0}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+A^{f32,g}_{tx,1,a};];];"
     "B^{9}_{tx=0}L^{3}_{a=0}[G^{f32,g}_{tx}=G^{f32,g}_{tx}+A^{f32,g}_{tx,0,a};];"
     "B^{9}_{tx=0}[G^{f32,g}_{tx}=G^{f32,g}_{tx}+7;];"},
    {"a reduction over blocks",
     "@input A f32[4,3]\n@output D "
     "f32[3]\nB^{4}_{bx=0}B^{3}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{bx,tx};];"},
    {"a reduction over blocks and threads",
     "@input A f32[4,8]\n@output D f32\nB^{4}_{bx=0}B^{8}_{tx=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{bx,tx};];"},
    {"threads outside of blocks",
     "@input A f32[4,3]\n@output D f32[4,3]\n"
     "B^{3}_{tx=0}B^{4}_{bx=0}[D^{f32,g}_{bx,tx}=A^{f32,g}_{bx,tx}+1;];"},
    {"host loops, one launch per iteration",
     "@input A f32[3,4]\n@output D f32[3,4]\n"
     "L^{3}_{a=0}[B^{4}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{a,tx}*2;];B^{4}_{tx=0}[D^{f32,g}_{a,tx}=E^{f32,g}_{3-tx};];]"
     ";"},
    {"a guard and a bare equation under host loops",
     "@input A f32[3,4]\n@output D f32[2,4]\n@output F f32[3]\n"
     "L^{3}_{a=0}[F^{f32,g}_{a}=A^{f32,g}_{a,a}+a;L^{1}_{c=0}?{a<2}[B^{4}_{tx=0}[D^{f32,g}_{a,tx}=A^{f32,g}_{a+1,tx};];"
     "];];"},
    {"scoped data starts undefined at every launch",
     "@input A f32[3,4,2]\n@output D f32[3,4]\n"
     "L^{3}_{a=0}B^{4}_{tx=0}[L^{2}_{c=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{a,tx,c};];D^{f32,g}_{a,tx}=E^{f32,l};];"},
    {"a recurrence",
     "@input A f32[3,9]\n@output D f32[3,9]\nB^{3}_{tx=0}L^{9}_{a=0}"
     "[D^{f32,g}_{tx,a}=max(if_then_else(a-1<0,-inf,D^{f32,g}_{tx,a-1}),A^{f32,g}_{tx,a});];"},
    {"a padded copy that depends on laziness",
     "@input A f32[3,4,4]\n@output D f32[3,6,6]\nB^{3}_{tx=0}L^{6}_{c=0}L^{6}_{d=0}"
     "[D^{f32,g}_{tx,c,d}=if_then_else(1<=c<5&1<=d<5,A^{f32,g}_{tx,c-1,d-1},0);];"},
    {"indirect reads",
     "@input A f64[6,5]\n@input C i64[6]\n@output D "
     "f64[6]\nB^{6}_{tx=0}[D^{f64,g}_{tx}=-A^{f64,g}_{tx,C^{i64,g}_{tx}};];"},
    {"accumulators of two operators",
     "@input A f32[4,3]\n@output D f32[8]\n"
     "B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}*A^{f32,g}_{tx,a};];"
     "B^{8}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx//2,a};];"},
    {"more shared memory than is static",
     "@input A f64[8192]\n@output D f64[8192]\n"
     "B^{1}_{bx=0}[B^{64}_{tx=0}L^{128}_{a=0}[E^{f64,s}_{a*64+tx}=A^{f64,g}_{a*64+tx};];"
     "B^{64}_{tx=0}L^{128}_{a=0}[D^{f64,g}_{a*64+tx}=E^{f64,s}_{8191-(a*64+tx)};];];"},
    {"vectors of aligned elements",
     "@input A f32[8,16]\n@output D f32[8,16]\n"
     "B^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=A^{f32,g}_{tx,a*4+c}*A^{f32,g}_{tx,0}+1;];"},
    {"vectors of elements that are not aligned",
     "@input A f32[8,18]\n@output D f32[8,16]\n"
     "B^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=A^{f32,g}_{tx,a*4+c+1};];"},
    {"sums whose element divides the loop",
     "@input A f32[12,4]\n@output D f32[2,3]\n"
     "L^{12}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//6,a//2%3}=D^{f32,g}_{a//6,a//2%3}+A^{f32,g}_{a,c};];"},
    {"vectors of which two are aligned",
     "@input A f16[8,18]\n@output D f16[8,18]\n"
     "B^{8}_{tx=0}[L^{2}_{a=0}V^{8}_{c=0}[D^{f16,g}_{tx,a*8+c}=A^{f16,g}_{tx,a*8+c}*A^{f16,g}_{tx,a*8+c+1}+c;];"
     "L^{2}_{c=0}[D^{f16,g}_{tx,c+16}=A^{f16,g}_{tx,c+16};];];"},
    {"vectors over rows of odd length",
     "@input A f16[8,15]\n@input C f16[15]\n@output D f16[8,15]\n"
     "B^{15}_{tx=0}V^{8}_{c=0}[D^{f16,g}_{(tx*8+c)//15,(tx*8+c)%15}="
     "A^{f16,g}_{(tx*8+c)//15,(tx*8+c)%15}*C^{f16,g}_{(tx*8+c)%15};];"},
    {"lanes of a wider type than the vector",
     "@input A f16[8,8]\n@output D f32[8,8]\n"
     "B^{8}_{tx=0}V^{8}_{c=0}[D^{f32,g}_{tx,c}=A^{f16,g}_{tx,c}*2;];"},
    {"vectors that accumulate",
     "@input A f16[4,3,8]\n@output D f16[4,8]\n"
     "B^{4}_{tx=0}L^{3}_{a=0}V^{8}_{c=0}[D^{f16,g}_{tx,c}=D^{f16,g}_{tx,c}+A^{f16,g}_{tx,a,c};];"},
    {"a reduction over a vector loop",
     "@input A f32[4,8]\n@output D f32[4]\n"
     "B^{4}_{tx=0}L^{2}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a*4+c};];"},
    {"demoted tensors are global",
     "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[E^{f32,l}_{tx}=A^{f32,g}_{tx}+1;];"
     "B^{4}_{tx=0}[D^{f32,g}_{tx}=E^{f32,l}_{tx}*2;];"},
    {"guards of odd tiles",
     "@input A f32[19]\n@output D f32[19]\n"
     "B^{3}_{bx=0}B^{8}_{tx=0}?{bx*8+tx<19}[D^{f32,g}_{bx*8+tx}=A^{f32,g}_{bx*8+tx}*2;];"},
    {"a uniform guard around a barrier",
     "@input A f32[3,8]\n@output D f32[2,8]\n"
     "B^{3}_{bx=0}[L^{1}_{a=0}?{bx<2}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
     "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{7-tx};];];];"},
    {"integers wrap in their type",
     "@input A i8[4]\n@input C i32[4]\n@output D i8[4]\n@output E i32[4]\n@output F u8[4]\nB^{4}_{tx=0}"
     "[D^{i8,g}_{tx}=A^{i8,g}_{tx}*A^{i8,g}_{tx}*A^{i8,g}_{tx}-100;E^{i32,g}_{tx}=C^{i32,g}_{tx}**9*C^{i32,g}_{tx}**9;"
     "F^{u8,g}_{tx}=A^{i8,g}_{tx}*50;];"},
    {"quotients and remainders floor",
     "@input A i32[16]\n@input C f64[16]\n@output D i32[16]\n@output E i32[16]\n@output F f64[16]\n@output G f64[16]\n"
     "B^{16}_{tx=0}[D^{i32,g}_{tx}=A^{i32,g}_{tx}//3;E^{i32,g}_{tx}=A^{i32,g}_{tx}%3;F^{f64,g}_{tx}=C^{f64,g}_{tx}//"
     "0.3;"
     "G^{f64,g}_{tx}=C^{f64,g}_{tx}%0.3;];"},
    {"subscripts below zero on the way",
     "@input A f32[9]\n@output D f32[9]\nB^{9}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{(tx-4)//2+2}+A^{f32,g}_{(tx-4)%5};];"},
    {"conversions between all kinds",
     "@input A f64[8]\n@input C i64[8]\n@input H f16[8]\n@output D f16[8]\n@output E bf16[8]\n@output F i8[8]\n"
     "@output G u8[8]\n@output I bool[8]\n@output J bf16[8]\n@output K "
     "f32[8]\nB^{8}_{tx=0}[D^{f16,g}_{tx}=A^{f64,g}_{tx}*1.1;"
     "E^{bf16,g}_{tx}=A^{f64,g}_{tx}*1.1;F^{i8,g}_{tx}=A^{f64,g}_{tx}*300;G^{u8,g}_{tx}=A^{f64,g}_{tx}*300;"
     "I^{bool,g}_{tx}=C^{i64,g}_{tx}>0|A^{f64,g}_{tx}<0;J^{bf16,g}_{tx}=C^{i64,g}_{tx}*1234567890123+tx;"
     "K^{f32,g}_{tx}=H^{f16,g}_{tx}*H^{f16,g}_{tx}/(tx+1);];"},
    {"functions",
     "@input A f64[8]\n@input C f32[8]\n@output D f64[8]\n@output E f32[8]\nB^{8}_{tx=0}"
     "[D^{f64,g}_{tx}=exp(A^{f64,g}_{tx})+erf(A^{f64,g}_{tx})*tanh(A^{f64,g}_{tx})-sqrt(abs(A^{f64,g}_{tx}));"
     "E^{f32,g}_{tx}=log(abs(C^{f32,g}_{tx})+1)*sin(C^{f32,g}_{tx})+cos(C^{f32,g}_{tx})**2+rsqrt(abs(C^{f32,g}_{tx})+1)"
     "+"
     "floor(C^{f32,g}_{tx}*8)+ceil(C^{f32,g}_{tx}*8)+round(C^{f32,g}_{tx}*8);];"},
    {"ahead: vectors in three rounds",
     "@input A f32[7,256]\n@output D f32[64]\n"
     "B^{1}_{bx=0}L^{7}_{k=0}[B^{64}_{tx=0}V^{4}_{d=0}[E^{f32,s3}_{tx*4+d}=A^{f32,g}_{k,tx*4+d};];"
     "B^{64}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,s3}_{255-tx*4};];];"},
    {"ahead: halves, zeros at the edges, one operand by elements",
     "@input A f16[30,21]\n@input C f16[21,32]\n@output D f32[30,32]\n"
     "B^{2}_{bx=0}L^{3}_{k=0}[B^{16}_{tx=0}L^{8}_{c=0}[E^{f16,s2}_{tx,c}=if_then_else((bx*16+tx<30)&(k*8+c<21),"
     "A^{f16,g}_{bx*16+tx,k*8+c},0);];B^{32}_{tx=0}V^{8}_{d=0}[F^{f16,s2}_{tx//4,(tx%4)*8+d}="
     "if_then_else(k*8+tx//4<21,C^{f16,g}_{k*8+tx//4,(tx%4)*8+d},0);];"
     "B^{32}_{tx=0}L^{16}_{a=0}L^{8}_{c=0}?{bx*16+a<30}[D^{f32,g}_{bx*16+a,tx}=D^{f32,g}_{bx*16+a,tx}+"
     "E^{f16,s2}_{a,c}*F^{f16,s2}_{c,tx};];];"},
    {"ahead: doubles, in each round of a loop around, with fewer rounds than there is room for",
     "@input A f64[3,3,64]\n@input C f64[3,2,64]\n@output D f64[3,64]\n"
     "B^{3}_{bx=0}L^{2}_{a=0}[L^{3}_{k=0}[B^{64}_{tx=0}[E^{f64,s5}_{tx}=A^{f64,g}_{bx,k,tx};];"
     "B^{64}_{tx=0}[D^{f64,g}_{bx,tx}=D^{f64,g}_{bx,tx}+E^{f64,s5}_{63-tx}*C^{f64,g}_{bx,a,tx};];];];"},
    {"ahead: a product, which goes through registers, in rounds of a loop around",
     "@input A f32[5,256]\n@output D f32[256]\n"
     "B^{1}_{bx=0}L^{2}_{c=0}[L^{5}_{k=0}[B^{64}_{tx=0}U^{4}_{d=0}[E^{f32,s2}_{d*64+tx}=A^{f32,g}_{k,d*64+tx}*2;];"
     "B^{64}_{tx=0}L^{4}_{d=0}[D^{f32,g}_{tx*4+d}=D^{f32,g}_{tx*4+d}+E^{f32,s2}_{255-tx*4-d};];];];"},
    {"ahead: not what the kernel writes, and not what stands beside another equation",
     "@input A f32[4,64]\n@output D f32[64]\n@output G f32[4,64]\n"
     "B^{1}_{bx=0}L^{4}_{k=0}[B^{64}_{tx=0}[G^{f32,g}_{k,tx}=A^{f32,g}_{k,tx}+1;];"
     "B^{64}_{tx=0}[E^{f32,s2}_{tx}=G^{f32,g}_{k,63-tx};];B^{64}_{tx=0}[F^{f32,s3}_{tx}=A^{f32,g}_{k,tx};"
     "H^{f32,s}_{tx}=A^{f32,g}_{k,tx}*2;];B^{64}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,s2}_{63-tx}"
     "*F^{f32,s3}_{63-tx}+H^{f32,s}_{63-tx};];];"},
    {"ahead: beside a tile that shares its bytes",
     "@input A f32[4,512]\n@input C f32[512]\n@output D f32[64]\n"
     "B^{1}_{bx=0}[B^{64}_{tx=0}L^{8}_{a=0}[F^{f32,s}_{a*64+tx}=C^{f32,g}_{a*64+tx}*2;];"
     "B^{64}_{tx=0}[D^{f32,g}_{tx}=F^{f32,s}_{511-tx*8};];"
     "L^{4}_{k=0}[B^{64}_{tx=0}L^{8}_{a=0}[E^{f32,s2}_{a*64+tx}=A^{f32,g}_{k,a*64+tx};];"
     "B^{64}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,s2}_{511-tx*8};];];"
     "B^{64}_{tx=0}L^{8}_{a=0}[G^{f32,s}_{a*64+tx}=C^{f32,g}_{a*64+tx}+1;];"
     "B^{64}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}*G^{f32,s}_{511-tx*8};];];"},
    {"names that are keywords of C++",
     "@input A f32[3,4]\n@output Half f32[3,4]\n"
     "L^{3}_{do=0}L^{4}_{for=0}[Half^{f32,g}_{do,for}=A^{f32,g}_{do,for};];"},
};

}  // namespace

std::vector<Judged> written_kernels() {
  std::vector<Judged> out;
  for (const Case& one : kCases) {
    const Document document = read_document(one.name, one.text);
    if (document.ok) {
      if (auto made = judged(one.name, document.program)) {
        out.push_back(*std::move(made));
        continue;
      }
    }
    // A case that is not run would test nothing: whoever runs them sees an empty program.
    out.push_back({one.name, {}, {}, {}});
  }
  return out;
}

}  // namespace steptp::testing
