// The shared object that holds LLVM: IR as text in, addresses of functions out (ORC, one JIT per program). Only this
// file includes headers of LLVM.
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "steptp/execution/llvm_engine.h"

struct SteptpLlvmModule {
  LLVMOrcLLJITRef jit = nullptr;
};

namespace {

/// Conversions that machines without instructions for half call by these names.
extern "C" _Float16 steptp_truncate_to_half(float x) { return static_cast<_Float16>(x); }
extern "C" float steptp_extend_half(_Float16 x) { return static_cast<float>(x); }

void say(const std::string& text, char* message, std::size_t bytes) {
  if (bytes > 0) std::snprintf(message, bytes, "%s", text.c_str());
}

std::string text_of(LLVMErrorRef error) {
  char* text = LLVMGetErrorMessage(error);
  std::string out = text;
  LLVMDisposeErrorMessage(text);
  return out;
}

/// Loops that could not be unrolled or vectorised as asked are no news to a caller; errors come back by other ways.
void keep_quiet(LLVMDiagnosticInfoRef, void*) {}

LLVMTargetMachineRef host_machine(std::string& problem) {
  char* triple = LLVMGetDefaultTargetTriple();
  char* processor = LLVMGetHostCPUName();
  char* features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target = nullptr;
  char* error = nullptr;
  LLVMTargetMachineRef machine = nullptr;
  if (LLVMGetTargetFromTriple(triple, &target, &error) != 0) {
    problem = error;
    LLVMDisposeMessage(error);
  } else {
    machine = LLVMCreateTargetMachine(target, triple, processor, features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                      LLVMCodeModelJITDefault);
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(processor);
  LLVMDisposeMessage(features);
  return machine;
}

/// The module, checked and optimised for the machine; null after a problem was noted.
LLVMModuleRef read_module(LLVMContextRef context, const char* ir, std::size_t bytes, LLVMTargetMachineRef machine,
                          std::string& problem) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, bytes, "program");
  LLVMModuleRef module = nullptr;
  char* error = nullptr;
  if (LLVMParseIRInContext(context, buffer, &module, &error) != 0) {
    problem = error;
    LLVMDisposeMessage(error);
    return nullptr;
  }
  char* triple = LLVMGetTargetMachineTriple(machine);
  LLVMSetTarget(module, triple);
  LLVMDisposeMessage(triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &error) != 0) problem = error;
  LLVMDisposeMessage(error);
  if (problem.empty()) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    if (LLVMErrorRef failed = LLVMRunPasses(module, "default<O2>", machine, options)) problem = text_of(failed);
    LLVMDisposePassBuilderOptions(options);
  }
  if (problem.empty()) return module;
  LLVMDisposeModule(module);
  return nullptr;
}

LLVMErrorRef add_symbols(LLVMOrcLLJITRef jit) {
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(jit);
  const auto symbol = [&](const char* name, void* address) {
    LLVMOrcCSymbolMapPair pair = {};
    pair.Name = LLVMOrcLLJITMangleAndIntern(jit, name);
    pair.Sym.Address = reinterpret_cast<LLVMOrcExecutorAddress>(address);
    pair.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
    return pair;
  };
  LLVMOrcCSymbolMapPair symbols[] = {
      symbol("__truncsfhf2", reinterpret_cast<void*>(&steptp_truncate_to_half)),
      symbol("__extendhfsf2", reinterpret_cast<void*>(&steptp_extend_half)),
  };
  if (LLVMErrorRef error = LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(symbols, 2))) return error;
  LLVMOrcDefinitionGeneratorRef process = nullptr;
  const char prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
  if (LLVMErrorRef error = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix, nullptr, nullptr)) {
    return error;
  }
  LLVMOrcJITDylibAddGenerator(library, process);
  return nullptr;
}

SteptpLlvmModule* compile(const char* ir, std::size_t bytes, char* message, std::size_t message_bytes) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
  });
  std::string problem;
  LLVMTargetMachineRef machine = host_machine(problem);
  if (!machine) {
    say(problem, message, message_bytes);
    return nullptr;
  }
  LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
  LLVMContextSetDiagnosticHandler(LLVMOrcThreadSafeContextGetContext(context), keep_quiet, nullptr);
  LLVMModuleRef module = read_module(LLVMOrcThreadSafeContextGetContext(context), ir, bytes, machine, problem);
  SteptpLlvmModule* out = nullptr;
  if (module) {
    LLVMOrcThreadSafeModuleRef shared = LLVMOrcCreateNewThreadSafeModule(module, context);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                  LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    machine = nullptr;  // the builder has taken it
    LLVMOrcLLJITRef jit = nullptr;
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, builder);
    if (!error) error = add_symbols(jit);
    if (!error) {
      error = LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), shared);
    } else {
      LLVMOrcDisposeThreadSafeModule(shared);
    }
    if (error) {
      problem = text_of(error);
      if (jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
    } else {
      out = new SteptpLlvmModule{jit};
    }
  }
  if (machine) LLVMDisposeTargetMachine(machine);
  LLVMOrcDisposeThreadSafeContext(context);
  if (!out) say(problem, message, message_bytes);
  return out;
}

void* function(SteptpLlvmModule* module, const char* name) {
  LLVMOrcExecutorAddress address = 0;
  if (LLVMErrorRef error = LLVMOrcLLJITLookup(module->jit, &address, name)) {
    LLVMConsumeError(error);
    return nullptr;
  }
  return reinterpret_cast<void*>(address);
}

void release(SteptpLlvmModule* module) {
  LLVMConsumeError(LLVMOrcDisposeLLJIT(module->jit));
  delete module;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const SteptpLlvmEngine* steptp_llvm_engine() {
  static const SteptpLlvmEngine engine = {kSteptpLlvmEngineVersion, STEPTP_LLVM_VERSION, compile, function, release};
  return &engine;
}
