// NVRTC for tests: compiles CUDA text with the C++ compiler for the emulation of threads in testing/cuda_emulation, and
// gives the shared object as a cubin to fake_driver.cpp. FAKE_NVRTC_ARCHS lists the architectures that it knows.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Program {
  std::string text;
  std::string log;
  std::string image;
};

std::vector<int> architectures() {
  const char* given = std::getenv("FAKE_NVRTC_ARCHS");
  std::istringstream list(given ? given : "75 80 86 89 90");
  return {std::istream_iterator<int>(list), {}};
}

/// A function that takes parameters as the driver gives them, for each kernel.
std::string trampolines(const std::string& text) {
  static const std::regex kKernel(R"(extern "C" __global__ void __launch_bounds__\((\d+)\) (\w+)\(([^)]*)\))");
  std::string out =
      "extern \"C\" bool fake_diverged() { return emulation::diverged; }\n"
      "extern \"C\" void fake_set_reversed(bool value) { emulation::reversed = value; }\n";
  for (std::sregex_iterator at(text.begin(), text.end(), kKernel), end; at != end; ++at) {
    std::istringstream parameters((*at)[3].str());
    std::string arguments;
    std::string sizes;
    int number = 0;
    for (std::string one; std::getline(parameters, one, ',');) {
      std::string type = std::regex_replace(one, std::regex("__restrict__"), "");
      type.erase(type.find_last_not_of(" ") + 1);
      type.erase(type.find_last_of(" *") + 1);
      arguments += (number ? ", *(" : "*(") + type + "*)p[" + std::to_string(number) + "]";
      sizes += "sizeof(" + type + "), ";
      ++number;
    }
    const std::string name = (*at)[2];
    out += "extern \"C\" const unsigned fake_sizes_" + name + "[] = {" + sizes + "0};\n";
    out += "extern \"C\" void fake_launch_" + name +
           "(const unsigned* g, const unsigned* b, void** p) {\n  emulation::diverged = false;\n"
           "  emulation::launch(dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), [&] { " +
           name + "(" + arguments + "); });\n}\n";
  }
  return out;
}

int build(Program& program) {
  std::string text = program.text;
  const std::string dynamic = "extern __shared__ __align__(16) unsigned char stp_shared[];";
  for (std::size_t at; (at = text.find(dynamic)) != std::string::npos;) text.erase(at, dynamic.size());
  char folder[] = "/tmp/fake_nvrtc_XXXXXX";
  if (!mkdtemp(folder)) return 5;
  const std::string path = folder;
  std::ofstream(path + "/p.cpp") << "#define __CUDACC_RTC__\n#include <cuda_runtime.h>\n"
                                 << text << trampolines(program.text);
  const std::string command =
      "g++ -std=c++20 -O0 -fno-strict-aliasing -fwrapv -ffp-contract=off -w -shared -fPIC -I '" +
      std::string(FAKE_CUDA_EMULATION) + "' -o " + path + "/p.so " + path + "/p.cpp 2> " + path + "/log";
  const int status = std::system(command.c_str());
  std::ifstream log(path + "/log");
  program.log.assign(std::istreambuf_iterator<char>(log), {});
  std::ifstream made(path + "/p.so", std::ios::binary);
  const std::string object{std::istreambuf_iterator<char>(made), {}};
  const std::size_t bytes = object.size();
  program.image = "FAKECUBI" + std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + object;
  for (const char* name : {"/p.cpp", "/p.so", "/log"}) unlink((path + name).c_str());
  rmdir(folder);
  return status == 0 ? 0 : 6;
}

}  // namespace

EXPORTED int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
EXPORTED const char* nvrtcGetErrorString(int error) {
  return error == 6 ? "NVRTC_ERROR_COMPILATION" : error == 5 ? "NVRTC_ERROR_INVALID_OPTION" : "NVRTC_ERROR_FAKE";
}
EXPORTED int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*,
                                const char* const*) {
  *program = new Program{text, {}, {}};
  return 0;
}
EXPORTED int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
EXPORTED int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  if (const char* path = std::getenv("FAKE_CUDA_LOG")) {
    std::ofstream file(path, std::ios::app);
    file << "nvrtcCompileProgram";
    for (int i = 0; i < count; ++i) file << ' ' << options[i];
    file << '\n';
  }
  bool known = false;
  for (const int arch : architectures()) {
    for (int i = 0; i < count; ++i) {
      const std::string option = options[i];
      known = known || option == "--gpu-architecture=sm_" + std::to_string(arch) ||
              option == "--gpu-architecture=compute_" + std::to_string(arch);
    }
  }
  return known ? build(*program) : 5;
}
EXPORTED int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
EXPORTED int nvrtcGetProgramLog(Program* program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return 0;
}
EXPORTED int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = program->image.size();
  return 0;
}
EXPORTED int nvrtcGetCUBIN(Program* program, char* image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return 0;
}
EXPORTED int nvrtcGetPTXSize(Program* program, std::size_t* bytes) { return nvrtcGetCUBINSize(program, bytes); }
EXPORTED int nvrtcGetPTX(Program* program, char* text) { return nvrtcGetCUBIN(program, text); }
EXPORTED int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(architectures().size());
  return 0;
}
EXPORTED int nvrtcGetSupportedArchs(int* list) {
  for (const int arch : architectures()) *list++ = arch;
  return 0;
}
