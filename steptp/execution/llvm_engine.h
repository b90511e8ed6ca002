#pragma once

#include <stddef.h>

/// What the shared object with LLVM in it offers, as C: it is loaded on demand, and nothing else includes LLVM.
/// Compiling and loading are two steps, so that objects can be kept in between.
extern "C" {

struct SteptpLlvmModule;

struct SteptpLlvmEngine {
  int version;  ///< kSteptpLlvmEngineVersion
  const char* llvm_version;
  /// What an object depends on besides the IR: the version of LLVM, the processor and its features, the passes.
  const char* (*target)();
  /// Compiles IR for this machine and gives the object file to `take`. 0 after a message of at most `message_bytes`
  /// bytes, otherwise 1.
  int (*compile)(const char* ir, size_t bytes, void (*take)(void* context, const char* object, size_t object_bytes),
                 void* context, char* message, size_t message_bytes);
  /// Links an object into this process. Null after a message.
  SteptpLlvmModule* (*load)(const char* object, size_t bytes, char* message, size_t message_bytes);
  /// The address of a function; null where there is none.
  void* (*function)(SteptpLlvmModule* module, const char* name);
  void (*release)(SteptpLlvmModule* module);
};

/// The one symbol of the shared object.
const SteptpLlvmEngine* steptp_llvm_engine();
}

inline constexpr int kSteptpLlvmEngineVersion = 2;
