#include <gtest/gtest.h>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/move_test.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

/// A convolution over any number of dimensions, padded where it says so, with bias and activation behind it.
struct Shape {
  std::int64_t batch = 2;
  std::int64_t channels = 3;
  std::int64_t outputs = 4;
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> window;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  std::string dtype = "f32";
};

std::string convolution(const Shape& shape) {
  const std::string out_names[] = {"c", "d", "f"};
  const std::string window_names[] = {"h", "i", "j"};
  std::string input;
  std::string output;
  std::string window;
  std::string pixels;
  std::string pixel_loops;
  std::string taps;
  std::string tap_loops;
  std::string places;
  std::string inside;
  for (std::size_t i = 0; i < shape.size.size(); ++i) {
    const std::int64_t reach = shape.dilation * (shape.window[i] - 1) + 1;
    const std::int64_t out = (shape.size[i] + 2 * shape.padding - reach) / shape.stride + 1;
    input += concat(",", shape.size[i]);
    output += concat(",", out);
    window += concat(",", shape.window[i]);
    pixels += concat(",", out_names[i]);
    pixel_loops += concat("L(", out_names[i], ",", out, ")");
    taps += concat(",", window_names[i]);
    tap_loops += concat("L(", window_names[i], ",", shape.window[i], ")");
    const std::string place =
        concat(out_names[i], "*", shape.stride, "+", window_names[i], "*", shape.dilation, "-", shape.padding);
    places += concat(",", place);
    inside += concat(i > 0 ? "&" : "", "0<=", place, "&", place, "<", shape.size[i]);
  }
  const std::int64_t in_group = shape.channels / shape.groups;
  const std::int64_t out_group = shape.outputs / shape.groups;
  const std::string channel = shape.groups == 1 ? "g" : concat("a//", out_group, "*", in_group, "+g");
  std::string image = concat("A[tx,", channel, places, "]");
  if (shape.padding > 0) image = concat("if_then_else(", inside, ",", image, ",0)");
  const std::string head = concat("B(tx,", shape.batch, ")L(a,", shape.outputs, ")", pixel_loops);
  return concat("\n@input A ", shape.dtype, "[", shape.batch, ",", shape.channels, input, "]\n@param W ", shape.dtype,
                "[", shape.outputs, ",", in_group, window, "]\n@param Z ", shape.dtype, "[", shape.outputs,
                "]\n@output Y ", shape.dtype, "[", shape.batch, ",", shape.outputs, output, "]\n", head, "L(g,",
                in_group, ")", tap_loops, "[X[tx,a", pixels, "]=X[tx,a", pixels, "]+", image, "*W[a,g", taps, "];];",
                head, "[X[tx,a", pixels, "]=X[tx,a", pixels, "]+Z[a];];", head, "[Y[tx,a", pixels, "]=max(X[tx,a",
                pixels, "],0);];\n");
}

std::string product(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t vector,
                    std::string_view image, std::int64_t following) {
  return concat(R"({"at":"0","form":"product","thread_rows":2,"thread_columns":4,"rows":)", rows, R"(,"columns":)",
                columns, R"(,"depth":)", depth, R"(,"vector":)", vector, R"(,"image":")", image, R"(","following":)",
                following, "}");
}

std::string halo(std::int64_t rows, std::int64_t columns, std::string_view image, std::int64_t following) {
  return concat(R"({"at":"0","form":"halo","thread_rows":2,"thread_columns":4,"rows":)", rows, R"(,"columns":)",
                columns, R"(,"image":")", image, R"(","following":)", following, "}");
}

Program read(const std::string& text, const std::string& dtype) { return shorthand_program(text, {{"T", dtype}}); }

/// The end is judged, and the oracle, which shares no code with the judge's proof, agrees.
void expect_sound(const Program& before, const std::string& choice) {
  const Program after = after_move("window", before, choice);
  const Judgement judgement = verify(before, after);
  EXPECT_TRUE(is_equal(judgement.verdict)) << describe(before, after, judgement);
  EXPECT_TRUE(judgement.is_safe()) << describe(before, after, judgement);
  const OracleOpinion opinion = ask_oracle(before, after, 2);
  EXPECT_TRUE(opinion.compared);
  EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(after);
}

Shape shape_of(int number) {
  Shape shape;
  switch (number) {
    case 0: shape.size = {11}, shape.window = {3}; break;
    case 1: shape.size = {6, 7}, shape.window = {3, 2}, shape.padding = 1; break;
    case 2: shape.size = {9, 10}, shape.window = {2, 3}, shape.stride = 2, shape.dilation = 2, shape.padding = 1; break;
    case 3: shape.size = {4, 5, 6}, shape.window = {2, 3, 2}; break;
    case 4: shape.size = {5, 6}, shape.window = {3, 3}, shape.channels = 4, shape.outputs = 6, shape.groups = 2; break;
    case 5: shape.size = {6, 5}, shape.window = {1, 1}, shape.outputs = 1; break;
    default: shape.size = {3, 6, 5}, shape.window = {2, 2, 2}, shape.stride = 2, shape.padding = 1; break;
  }
  return shape;
}

TEST(WindowMove, ConvolutionsOfAllKindsAreProducts) {
  for (int number = 0; number < 7; ++number) {
    const Program before = read(convolution(shape_of(number)), "f32");
    for (const std::string_view image : {"shared", "direct"}) {
      expect_sound(before, product(shape_of(number).groups > 1 ? 3 : 2, 2, 4, 1, image, 2));
      expect_sound(before, product(shape_of(number).groups > 1 ? 4 : 1, 4, 4, 1, image, 0));
      if (HasFailure()) return;
    }
  }
}

TEST(WindowMove, WhatFollowsIsInTheSameKernel) {
  const Program before = read(convolution(shape_of(1)), "f32");
  EXPECT_EQ(after_move("window", before, product(2, 2, 4, 1, "shared", 2)).nests.size(), 1U);
  EXPECT_EQ(after_move("window", before, product(2, 2, 4, 1, "shared", 1)).nests.size(), 2U);
  EXPECT_EQ(after_move("window", before, halo(2, 2, "shared", 2)).nests.size(), 1U);
}

TEST(WindowMove, HalosOfAllKinds) {
  for (const int number : {1, 2, 3, 4, 6}) {
    const Program before = read(convolution(shape_of(number)), "f32");
    expect_sound(before, halo(2, 1, "shared", 2));
    expect_sound(before, halo(1, 2, "direct", 0));
    if (HasFailure()) return;
  }
}

std::string with_channels(std::int64_t channels, std::int64_t depth, std::int64_t following) {
  return concat(R"({"at":"0","form":"halo","thread_rows":2,"thread_columns":4,"rows":1,"columns":1,"depth":)", depth,
                R"(,"image":"shared","channels":)", channels, R"(,"following":)", following, "}");
}

/// Input channels come in rounds, with their weights, and a thread makes several output channels of what is staged.
TEST(WindowMove, ChannelsInRounds) {
  for (const int number : {1, 2, 6}) {
    const Program before = read(convolution(shape_of(number)), "f32");
    expect_sound(before, with_channels(2, 1, 2));
    expect_sound(before, with_channels(3, 3, 0));
    if (HasFailure()) return;
  }
  expect_move("window", R"(
@input A f32[2,4,5,6]
@param W f32[4,4,2,3]
@output D f32[2,4,4,4]
B(tx,2)L(a,4)L(c,4)L(d,4)L(f,4)L(g,2)L(h,3)[D[tx,a,c,d]=D[tx,a,c,d]+A[tx,f,c+g,d+h]*W[a,f,g,h];];
)",
              with_channels(2, 2, 0), R"(B(bzo,4)B(byk,2)B(bxm,1)[
  L(n,2)[
    L(d,5)B(tyi,2)B(txj,4)?{d*8+tyi*4+txj<36}[
      F:s[(d*8+tyi*4+txj)//18,(d*8+tyi*4+txj)//6%3,(d*8+tyi*4+txj)%6]=
        A[bzo//2,n*2+(d*8+tyi*4+txj)//18,byk*2+(d*8+tyi*4+txj)//6%3,bxm*4+(d*8+tyi*4+txj)%6];];
    L(i,3)B(tyk,2)B(txj,4)[
      G:s[(i*2+tyk)//3,(i*8+tyk*4+txj)//6%2,(i*8+tyk*4+txj)//3%2,(i*8+tyk*4+txj)%3]=
        W[(bzo%2)*2+(i*2+tyk)//3,n*2+(i*8+tyk*4+txj)//6%2,(i*8+tyk*4+txj)//3%2,(i*8+tyk*4+txj)%3];];
    B(tyl,2)B(txd,4)U(f,2)U(g,2)U(h,3)U(a,2)U(c,1)[E:l[a]=E:l[a]+F:s[f,tyl+c+g,txd+h]*G:s[a,f,g,h];];];
  B(tyl,2)B(txd,4)U(a,2)U(c,1)[D[bzo//2,(bzo%2)*2+a,byk*2+tyl+c,bxm*4+txd]=E:l[a];];];)");
}

TEST(WindowMove, PoolingReadsATileWithItsHalo) {
  expect_move("window", R"(
@input A f32[3,2,10,9]
@output D f32[3,2,8,8]
B(tx,3)L(a,2)L(c,8)L(d,8)L(f,3)L(g,2)[D[tx,a,c,d]=max(D[tx,a,c,d],A[tx,a,c+f,d+g]);];
)",
              R"({"at":"0","form":"halo","thread_rows":2,"thread_columns":4,"rows":2,"columns":1,"image":"shared"})",
              R"(B(bza,6)B(byf,2)B(bxh,2)[
  L(c,4)B(tyf,2)B(txg,4)?{c*8+tyf*4+txg<30}[
   F:s[(c*8+tyf*4+txg)//5,(c*8+tyf*4+txg)%5]=
     A[bza//2,bza%2,byf*4+(c*8+tyf*4+txg)//5,bxh*4+(c*8+tyf*4+txg)%5];];
  B(tyc,2)B(txd,4)U(g,3)U(i,2)U(f,2)[E:l[f]=max(E:l[f],F:s[tyc*2+f+g,txd+i]);];
  B(tyc,2)B(txd,4)U(f,2)[D[bza//2,bza%2,byf*4+tyc*2+f,bxh*4+txd]=E:l[f];];];)");
}

TEST(WindowMove, StencilsThatAddNothingUp) {
  const Program before = move_program(R"(
@input A f32[12,14]
@output D f32[10,12]
B(tx,10)L(a,12)[D[tx,a]=A[tx,a+1]+A[tx+2,a+1]+A[tx+1,a]+A[tx+1,a+2]-4*A[tx+1,a+1];];
)");
  expect_sound(before, halo(2, 1, "shared", 0));
  expect_sound(before, halo(1, 2, "direct", 0));
}

TEST(WindowMove, NarrowAndWideElements) {
  for (const char* dtype : {"f16", "f64"}) {
    Shape shape = shape_of(1);
    shape.dtype = dtype;
    const Program before = read(convolution(shape), dtype);
    for (const std::string& choice :
         {product(2, 2, 4, 1, "shared", 2), product(2, 1, 4, 1, "direct", 2), halo(1, 2, "shared", 2)}) {
      const Program after = after_move("window", before, choice);
      const OracleOpinion opinion = ask_oracle(before, after, 2);
      EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(after);
    }
  }
}

/// The only element along an axis is read as element 0.
TEST(WindowMove, AxesOfOneElement) {
  const Program before = move_program(R"(
@input A f32[2,3,6]
@param W f32[1,3,3]
@output Y f32[2,1,4]
B(tx,2)L(a,1)L(c,4)L(g,3)L(h,3)[X[tx,a,c]=X[tx,a,c]+A[tx,g,c+h]*W[a,g,h];];
B(tx,2)L(a,1)L(c,4)[Y[tx,a,c]=exp(X[tx,0,c]);];
)");
  EXPECT_EQ(after_move("window", before, product(2, 2, 4, 1, "shared", 1)).nests.size(), 1U);
}

TEST(WindowMove, Refuses) {
  const auto refuse = [](std::string_view program, const std::string& choice, std::string_view need,
                         std::string_view message) { expect_move_refusal("window", program, choice, need, message); };
  const std::string pooling = R"(
@input A f32[3,10,9]
@output D f32[3,8,8]
B(tx,3)L(c,8)L(d,8)L(f,3)L(g,2)[D[tx,c,d]=max(D[tx,c,d],A[tx,c+f,d+g]);];
)";
  refuse(pooling, product(1, 1, 4, 1, "shared", 0), "product", "it is not D=D+A*C");
  refuse(pooling, halo(1, 1, "shared", 1), "following", "there is no expression behind it any more");
  refuse(pooling, halo(1, 1, "shared", -1), "following", "negative");
  refuse(pooling, halo(0, 1, "shared", 0), "sizes", "sizes from 1 to 4096");
  const auto with = [&](std::string_view more) {
    const std::string plain = halo(1, 1, "shared", 0);
    return concat(plain.substr(0, plain.size() - 1), more, "}");
  };
  refuse(pooling, with(R"(,"buffers":-1)"), "choice", "\"buffers\" is from 1 to 5, not -1");
  refuse(pooling, with(R"(,"buffers":4096)"), "choice", "from 1 to 5, not 4096");
  refuse(pooling, with(R"(,"padding":4096)"), "sizes", "padding is of the form product");
  refuse(pooling, halo(16, 16, "shared", 0), "registers", "288 registers");
  refuse(pooling, with_channels(2, 1, 0), "axes", "no output channels of its own");
  refuse(pooling, with_channels(0, 1, 0), "sizes", "0 channels");
  refuse(pooling, with_channels(201, 1, 0), "sizes", "201 channels");
  refuse(convolution(shape_of(4)), product(2, 2, 4, 1, "shared", 0), "sizes", "3 channels of a group");
  refuse(convolution(shape_of(4)), product(1, 2, 4, 1, "shared", 0), "sizes", "3 channels of a group");
  refuse(convolution(shape_of(1)), with_channels(200, 1, 0), "registers", "401 registers");
  refuse(
      convolution(shape_of(1)),
      R"({"at":"0","form":"product","thread_rows":2,"thread_columns":2,"rows":1,"columns":1,"channels":2,"image":"shared"})",
      "axes", "as rows");
  refuse(pooling,
         R"({"at":"0","form":"halo","thread_rows":64,"thread_columns":32,"rows":1,"columns":1,"image":"shared"})",
         "threads", "2048 threads");
  refuse(pooling,
         R"({"at":"0","form":"other","thread_rows":2,"thread_columns":2,"rows":1,"columns":1,"image":"shared"})",
         "choice", "other");
  refuse(R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=exp(A[tx,a]);];
)",
         halo(1, 1, "shared", 0), "windows", "nothing is read along windows");
  refuse(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(a,6)?{a<5}[D[tx]=D[tx]+A[tx,a];];
)",
         halo(1, 1, "shared", 0), "equation", "guard");
  refuse(R"(
@input A f32[8,6]
@input C f32[6,5]
@output D f32[8,5]
B(tx,8)L(a,5)L(c,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)",
         product(1, 1, 4, 1, "shared", 0), "axes", "not exactly one operand is read along windows");
  refuse(R"(
@input A f32[8,6]
@input W f32[3]
@output D f32[8,4]
B(tx,8)L(c,4)L(h,3)[D[tx,c]=D[tx,c]+A[tx,c+h]*W[h];];
)",
         product(1, 1, 4, 1, "shared", 0), "axes", "no channels of their own");
  refuse(convolution(shape_of(1)),
         R"({"at":"0","form":"product","thread_rows":32,"thread_columns":32,"rows":4,"columns":4,"depth":256,)"
         R"("image":"shared"})",
         "shared", "bytes");
}

/// By matrix instructions: types, and sizes of units.
TEST(WindowMove, RefusesWhatInstructionsDoNotTake) {
  const auto program = [](std::string_view dtype, std::string_view product) {
    std::string out = "\n@input A TYPE[4,32,40,40]\n@param W TYPE[512,32,3,3]\n@output D TYPE[4,512,38,38]\n";
    append(out, "B(tx,4)L(a,512)L(c,38)L(d,38)L(f,32)L(g,3)L(h,3)[D:TYPE[tx,a,c,d]=D:TYPE[tx,a,c,d]+", product,
           ";];\n");
    for (std::size_t at = 0; (at = out.find("TYPE", at)) != std::string::npos;) out.replace(at, 4, dtype);
    return out;
  };
  const auto units = [](int unit_rows, int unit_columns, int rows, int columns, int depth, int buffers) {
    return concat(R"({"at":"0","form":"matrix","thread_rows":)", unit_rows, R"(,"thread_columns":)", unit_columns,
                  R"(,"rows":)", rows, R"(,"columns":)", columns, R"(,"depth":)", depth,
                  R"(,"image":"shared","buffers":)", buffers, "}");
  };
  constexpr std::string_view kWeightsFirst = "W:TYPE[a,f,g,h]*A:TYPE[tx,f,c+g,d+h]";
  const std::string halves = program("f16", kWeightsFirst);
  const auto refuse = [&](const std::string& choice, std::string_view need) {
    expect_move_refusal("window", halves, choice, need);
  };
  expect_move_refusal("window", program("f32", kWeightsFirst), units(1, 1, 16, 16, 16, 2), "types", "f32");
  expect_move_refusal("window", program("f16", "A:TYPE[tx,f,c+g,d+h]*W:TYPE[a,f,g,h]"), units(1, 1, 16, 16, 16, 2),
                      "types", "first factor");
  refuse(units(1, 1, 8, 16, 16, 2), "sizes");
  refuse(units(1, 1, 16, 16, 16, 6), "choice");
  refuse(units(8, 8, 16, 16, 16, 1), "units");
  refuse(units(4, 4, 64, 64, 64, 5), "shared");
  refuse(units(1, 1, 128, 128, 16, 1), "registers");
}

TEST(WindowMove, AWindowMayBeTooLongForSharedMemory) {
  expect_move_refusal("window", R"(
@input A f32[1,70000]
@output D f32[1,10001]
B(tx,1)L(c,10001)L(g,60000)[D[tx,c]=max(D[tx,c],A[tx,c+g]);];
)",
                      R"({"at":"0","form":"halo","thread_rows":1,"thread_columns":32,"rows":1,"columns":1,"depth":1,)"
                      R"("image":"shared","following":0})",
                      "step", "240124 bytes in s");
}

}  // namespace
}  // namespace steptp::testing
