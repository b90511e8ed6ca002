#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "testing/lowering_support.h"

namespace steptp::testing {

inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

inline void remove_lines(std::string& text, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(with, at)) != std::string::npos;) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    text.erase(begin, text.find('\n', at) + 1 - begin);
    at = begin;
  }
}

/// Many programs in one shared object: each in a namespace of its own, with an entry point by its number.
class Emulated {
 public:
  explicit Emulated(const std::string& name)
      : path_(concat(::testing::TempDir(), "/steptp_cuda_", name.substr(0, 3), "_", static_cast<long long>(getpid()))) {
  }
  ~Emulated() {
    if (handle_) dlclose(handle_);
    for (const char* end : {".cpp", ".so", ".log"}) std::filesystem::remove(path_ + end);
  }

  /// Shared memory that several tensors share is one array of the emulation, which is poisoned when a block starts.
  void add(const std::string& cuda) {
    std::string text = cuda;
    replace_all(text, "extern \"C\" ", "");
    remove_lines(text, "unsigned char stp_shared[");
    const std::string number = concat(count_++);
    append(source_, "namespace p", number, " {\n", text, "}\n");
    append(source_, "extern \"C\" int launch_", number,
           "(void* const* v, void* w, bool r) { emulation::diverged = false;", " emulation::reversed = r; return p",
           number, "::steptp_launch(v, w, nullptr); }\n");
    append(source_, "extern \"C\" size_t workspace_", number, "() { return p", number,
           "::steptp_workspace_bytes(); }\n");
  }

  bool build() {
    const std::string head =
        "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <stddef.h>\n";
    if (!write_file(path_ + ".cpp", head + source_)) return false;
    const std::string command = concat(
        "g++ -std=c++20 -O0 -fno-strict-aliasing -fwrapv -ffp-contract=off -w -shared -fPIC -I '", STEPTP_SOURCE_DIR,
        "/testing/cuda_emulation' -o '", path_, ".so' '", path_, ".cpp' 2> '", path_, ".log'");
    if (std::system(command.c_str()) != 0) {
      ADD_FAILURE() << read_file(path_ + ".log").value().substr(0, 4000);
      return false;
    }
    handle_ = dlopen(concat(path_, ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) ADD_FAILURE() << dlerror();
    return handle_ != nullptr;
  }

  /// Of a text that was written by hand; 0 where nothing parts and no instruction is misused.
  int launch(std::size_t number, void* const* pointers, void* workspace, bool reversed) {
    using Launch = int (*)(void* const*, void*, bool);
    return reinterpret_cast<Launch>(dlsym(handle_, concat("launch_", number).c_str()))(pointers, workspace, reversed);
  }

  Tensors run(std::size_t number, const Judged& one, bool reversed) {
    const auto bytes = reinterpret_cast<std::size_t (*)()>(dlsym(handle_, concat("workspace_", number).c_str()));
    Tensors tensors = one.inputs;
    for (const auto& [name, tensor] : one.outputs) {
      Tensor poisoned = tensor;
      std::fill(poisoned.data.begin(), poisoned.data.end(), std::byte{0xee});
      tensors.insert_or_assign(name, std::move(poisoned));
    }
    // Buffers begin at multiples of 16 bytes, as on a device.
    std::vector<std::vector<std::max_align_t>> memory;
    std::vector<void*> pointers;
    for (const Variable& variable : one.program.signature.variables) {
      const Tensor& tensor = tensors.at(variable.name);
      memory.emplace_back((tensor.data.size() + kBehind) / sizeof(std::max_align_t) + 1);
      std::memcpy(memory.back().data(), tensor.data.data(), tensor.data.size());
      // Zeros with a sign: even an identity that is added there shows.
      for (std::size_t at = 0; at < kBehind; ++at) behind(memory.back(), tensor)[at] = at % 4 == 3 ? 0x80 : 0;
      pointers.push_back(memory.back().data());
    }
    std::vector<std::max_align_t> workspace(bytes() / sizeof(std::max_align_t) + 1);
    std::memset(workspace.data(), 0xee, workspace.size() * sizeof(std::max_align_t));
    EXPECT_EQ(launch(number, pointers.data(), workspace.data(), reversed), 0)
        << one.name << ": threads part at a barrier";
    Tensors out;
    std::size_t at = 0;
    for (const Variable& variable : one.program.signature.variables) {
      Tensor& tensor = tensors.at(variable.name);
      for (std::size_t i = 0; i < kBehind; ++i) {
        EXPECT_EQ(behind(memory[at], tensor)[i], i % 4 == 3 ? 0x80 : 0)
            << one.name << " writes behind " << variable.name;
      }
      if (variable.role == Role::output) {
        std::memcpy(tensor.data.data(), pointers[at], tensor.data.size());
        out.insert_or_assign(variable.name, tensor);
      }
      ++at;
    }
    return out;
  }

 private:
  static constexpr std::size_t kBehind = 32;
  static unsigned char* behind(std::vector<std::max_align_t>& memory, const Tensor& tensor) {
    return reinterpret_cast<unsigned char*>(memory.data()) + tensor.data.size();
  }

  std::string path_;
  std::string source_;
  std::size_t count_ = 0;
  void* handle_ = nullptr;
};

}  // namespace steptp::testing
