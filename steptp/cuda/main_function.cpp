// A main() for people and tests: inputs from an .npz file, outputs compared with another, times measured.
#include "steptp/cuda/host.h"
#include "steptp/cuda/writer.h"

namespace steptp::cuda {

namespace {

/// Reads stored entries, as numpy.savez and `steptp run --save-inputs` write them. bf16 travels as f32.
constexpr const char* kText = R"(
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using StpBytes = std::vector<unsigned char>;
static unsigned long long stp_number(const unsigned char* at, int bytes) {
  unsigned long long value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
  return value;
}
/// The arrays of an .npz file, without their headers; empty where it cannot be read.
static std::map<std::string, StpBytes> stp_read_npz(const char* path) {
  std::map<std::string, StpBytes> out;
  StpBytes data;
  if (FILE* file = std::fopen(path, "rb")) {
    unsigned char buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) data.insert(data.end(), buffer, buffer + n);
    std::fclose(file);
  }
  size_t at = 0;
  while (at + 30 <= data.size() && stp_number(&data[at], 4) == 0x04034b50) {
    const size_t name_bytes = stp_number(&data[at + 26], 2), extra_bytes = stp_number(&data[at + 28], 2);
    if (at + 30 + name_bytes + extra_bytes > data.size()) break;
    unsigned long long size = stp_number(&data[at + 22], 4);
    const size_t extra = at + 30 + name_bytes;
    for (size_t e = extra; e + 4 <= extra + extra_bytes; e += 4 + stp_number(&data[e + 2], 2)) {
      if (stp_number(&data[e], 2) == 1 && size == 0xffffffffULL) size = stp_number(&data[e + 4], 8);
    }
    if (stp_number(&data[at + 8], 2) != 0) {
      std::fprintf(stderr, "%s: compressed entries are not read; use numpy.savez\n", path);
      return {};
    }
    const std::string name((const char*)&data[at + 30], name_bytes);
    const size_t begin = extra + extra_bytes;
    if (begin + size > data.size() || size < 10) break;
    const size_t wide = data[begin + 6] > 1;
    const size_t head = (wide ? 12 : 10) + stp_number(&data[begin + 8], wide ? 4 : 2);
    out[name.substr(0, name.find(".npy"))] = StpBytes(data.begin() + begin + head, data.begin() + begin + size);
    at = begin + size;
  }
  return out;
}

static double stp_half(unsigned bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                       : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
static double stp_value(const std::string& dtype, const unsigned char* at) {
  if (dtype == "f64") { double x; std::memcpy(&x, at, 8); return x; }
  if (dtype == "f32") { float x; std::memcpy(&x, at, 4); return x; }
  if (dtype == "f16") return stp_half((unsigned)stp_number(at, 2));
  if (dtype == "bf16") { unsigned bits = (unsigned)stp_number(at, 2) << 16; float x; std::memcpy(&x, &bits, 4); return x; }
  if (dtype == "i64") return (double)(long long)stp_number(at, 8);
  if (dtype == "i32") return (int)stp_number(at, 4);
  if (dtype == "i16") return (short)stp_number(at, 2);
  if (dtype == "i8") return (signed char)at[0];
  return at[0];
}
static StpBytes stp_from_f32(const StpBytes& wide) {
  StpBytes out;
  for (size_t i = 0; i + 4 <= wide.size(); i += 4) out.push_back(wide[i + 2]), out.push_back(wide[i + 3]);
  return out;
}
static bool stp_ok(cudaError_t error, const char* what) {
  if (error != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error == cudaSuccess;
}

/// PROGRAM inputs.npz [expected.npz [tolerance [repetitions]]]
/// Exit status 0: ran, and what was expected came out, within the tolerance times the largest value expected.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s inputs.npz [expected.npz [tolerance [repetitions]]]\n", argv[0]);
    return 2;
  }
  const double tolerance = argc > 3 ? std::atof(argv[3]) : -1;
  const int repetitions = argc > 4 ? std::atoi(argv[4]) : 10;
  auto inputs = stp_read_npz(argv[1]);
  std::vector<void*> pointers;
  for (const StpVariable& variable : stp_variables) {
    void* pointer = nullptr;
    const size_t bytes = variable.elements * variable.bytes;
    if (!stp_ok(cudaMalloc(&pointer, bytes), "cudaMalloc")) return 4;
    pointers.push_back(pointer);
    if (variable.is_output) {
      cudaMemset(pointer, 0xee, bytes);
      continue;
    }
    StpBytes data = inputs[variable.name];
    if (std::string(variable.dtype) == "bf16" && data.size() == 2 * bytes) data = stp_from_f32(data);
    if (data.size() != bytes) {
      std::fprintf(stderr, "%s: %s has %zu bytes, wanted %zu\n", argv[1], variable.name, data.size(), bytes);
      return 2;
    }
    if (!stp_ok(cudaMemcpy(pointer, data.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy")) return 4;
  }
  void* workspace = nullptr;
  if (!stp_ok(cudaMalloc(&workspace, steptp_workspace_bytes() + 1), "cudaMalloc")) return 4;
  cudaMemset(workspace, 0xee, steptp_workspace_bytes() + 1);
  if (!stp_ok((cudaError_t)steptp_launch(pointers.data(), workspace, nullptr), "launch")) return 4;
  if (!stp_ok(cudaDeviceSynchronize(), "run")) return 4;

  int status = 0;
  auto expected = argc > 2 ? stp_read_npz(argv[2]) : std::map<std::string, StpBytes>();
  for (size_t v = 0; v < pointers.size() && argc > 2; ++v) {
    const StpVariable& variable = stp_variables[v];
    if (!variable.is_output) continue;
    StpBytes got(variable.elements * variable.bytes), want = expected[variable.name];
    cudaMemcpy(got.data(), pointers[v], got.size(), cudaMemcpyDeviceToHost);
    const std::string dtype = variable.dtype;
    if (dtype == "bf16" && want.size() == 2 * got.size()) want = stp_from_f32(want);
    if (want.size() != got.size()) {
      std::fprintf(stderr, "%s: %s has %zu bytes, wanted %zu\n", argv[2], variable.name, want.size(), got.size());
      return 2;
    }
    double largest = 0, worst = 0;
    size_t differ = 0, wrong = 0;
    for (size_t i = 0; i < variable.elements; ++i) {
      const double a = stp_value(dtype, &got[i * variable.bytes]), b = stp_value(dtype, &want[i * variable.bytes]);
      differ += std::memcmp(&got[i * variable.bytes], &want[i * variable.bytes], variable.bytes) != 0;
      if (std::isfinite(b)) largest = std::max(largest, std::fabs(b));
      if (std::isfinite(a) && std::isfinite(b)) worst = std::max(worst, std::fabs(a - b));
      else if (!(a == b || (std::isnan(a) && std::isnan(b)))) ++wrong;
    }
    const double unit = dtype == "f64" ? 1e-12 : dtype == "f32" ? 1e-4 : dtype == "f16" ? 2e-2 : dtype == "bf16" ? 1e-1 : 0;
    const bool good = wrong == 0 && worst <= (tolerance < 0 ? unit : tolerance) * std::max(largest, 1e-30);
    std::printf("%s: %zu of %zu elements differ in bits, largest difference %.3g, largest value %.3g, %zu not finite: %s\n",
                variable.name, differ, variable.elements, worst, largest, wrong, good ? "ok" : "WRONG");
    if (!good) status = 1;
  }
  std::vector<float> times;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < repetitions; ++i) {
    cudaEventRecord(begin);
    steptp_launch(pointers.data(), workspace, nullptr);
    cudaEventRecord(end);
    if (!stp_ok(cudaEventSynchronize(end), "run")) return 4;
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  if (!times.empty()) std::printf("median %.4f ms of %d\n", times[times.size() / 2], repetitions);
  return status;
}
)";

}  // namespace

std::string main_function(const lowering::Arrangement& arrangement) {
  Writer out;
  out.line("#include <cstddef>");
  out.open("struct StpVariable");
  out.line("const char* name;");
  out.line("bool is_output;");
  out.line("const char* dtype;");
  out.line("size_t elements;");
  out.line("size_t bytes;");
  out.close();
  out.line(";");
  out.open("static const StpVariable stp_variables[] =");
  for (const Variable& variable : arrangement.program->signature.variables) {
    out.line("{\"", variable.name, "\", ", variable.role == Role::output ? "true" : "false", ", \"",
             code(variable.dtype), "\", ", arrangement.buffers.at(variable.name).elements, ", ",
             info(variable.dtype).bytes, "},");
  }
  out.close();
  out.line(";");
  return out.text() + kText;
}

}  // namespace steptp::cuda
