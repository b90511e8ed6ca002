#pragma once

#include <stddef.h>

/// What the shared object with LLVM in it offers, as C: it is loaded on demand, and nothing else includes LLVM.
extern "C" {

struct SteptpLlvmModule;

struct SteptpLlvmEngine {
  int version;  ///< kSteptpLlvmEngineVersion
  const char* llvm_version;
  /// Compiles IR for this machine. Null after a message of at most `message_bytes` bytes.
  SteptpLlvmModule* (*compile)(const char* ir, size_t bytes, char* message, size_t message_bytes);
  /// The address of a function; null where there is none.
  void* (*function)(SteptpLlvmModule* module, const char* name);
  void (*release)(SteptpLlvmModule* module);
};

/// The one symbol of the shared object.
const SteptpLlvmEngine* steptp_llvm_engine();
}

inline constexpr int kSteptpLlvmEngineVersion = 1;
