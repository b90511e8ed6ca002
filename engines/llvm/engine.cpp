// The shared object that holds LLVM: IR as text in, addresses of functions out (ORC, one JIT per program). Only this
// file includes headers of LLVM.
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <cstdio>
#include <cstring>
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

/// The machine we run on. Looked up once: asking the processor costs more than loading an object.
struct Host {
  LLVMTargetRef target = nullptr;
  std::string triple;
  std::string processor;
  std::string features;
  std::string name;  ///< all that objects depend on
  std::string problem;
};

std::string taken(char* message) {
  std::string out = message;
  LLVMDisposeMessage(message);
  return out;
}

/// What is of use to loops over arrays, in the order of LLVM's own O2. Loads are eliminated before loops are unrolled,
/// because that takes the square of their number; calls, branches and globals have next to nothing to gain.
constexpr const char* kPasses =
    "always-inline,globaldce,function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,jump-threading,"
    "correlated-propagation,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-instsimplify,loop-simplifycfg,"
    "licm<no-allowspeculation>,loop-rotate,licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;trivial>),"
    "simplifycfg,instcombine<no-verify-fixpoint>,loop(loop-idiom,indvars,loop-deletion),loop-load-elim,"
    "loop(loop-unroll-full),sroa<modify-cfg>,vector-combine,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,"
    "jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm<allowspeculation>),"
    "simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>,loop(loop-rotate,"
    "loop-deletion),loop-vectorize,infer-alignment,instcombine<no-verify-fixpoint>,"
    "simplifycfg<hoist-common-insts;sink-common-insts>,slp-vectorizer,vector-combine,instcombine<no-verify-fixpoint>,"
    "loop-unroll<O2>,sroa<preserve-cfg>,instcombine<no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"
    "instsimplify,div-rem-pairs,simplifycfg)";
/// For versions of LLVM that do not know one of these.
constexpr const char* kOwnPasses = "default<O2>";
/// Unrolled tiles are blocks of thousands of loads and stores, of which the schedulers compare each with all others:
/// they give up sooner, after 100 and not after 1000.
/// Sums in order become vectors but for the additions.
constexpr const char* kLimits[] = {"steptp", "-dag-maps-huge-region=100", "-force-ordered-reductions"};
constexpr int kLimitCount = sizeof(kLimits) / sizeof(kLimits[0]);

const Host& host() {
  static const Host kHost = [] {
    // Once for the process: a second time is an error to LLVM.
    LLVMParseCommandLineOptions(kLimitCount, kLimits, nullptr);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    Host out;
    out.triple = taken(LLVMGetDefaultTargetTriple());
    out.processor = taken(LLVMGetHostCPUName());
    out.features = taken(LLVMGetHostCPUFeatures());
    out.name = std::string(STEPTP_LLVM_VERSION) + " " + kPasses;
    for (const char* limit : kLimits) out.name += std::string(" ") + limit;
    out.name += " " + out.triple + " " + out.processor + " " + out.features;
    char* error = nullptr;
    if (LLVMGetTargetFromTriple(out.triple.c_str(), &out.target, &error) != 0) out.problem = taken(error);
    return out;
  }();
  return kHost;
}

LLVMTargetMachineRef host_machine() {
  return LLVMCreateTargetMachine(host().target, host().triple.c_str(), host().processor.c_str(),
                                 host().features.c_str(), LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                 LLVMCodeModelJITDefault);
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
    LLVMErrorRef failed = LLVMRunPasses(module, kPasses, machine, options);
    // A list that cannot be read changes nothing.
    if (failed) {
      LLVMConsumeError(failed);
      failed = LLVMRunPasses(module, kOwnPasses, machine, options);
    }
    if (failed) problem = text_of(failed);
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

int compile(const char* ir, std::size_t bytes, void (*take)(void*, const char*, std::size_t), void* context,
            char* message, std::size_t message_bytes) {
  std::string problem = host().problem;
  if (problem.empty()) {
    LLVMTargetMachineRef machine = host_machine();
    LLVMContextRef owner = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(owner, keep_quiet, nullptr);
    if (LLVMModuleRef module = read_module(owner, ir, bytes, machine, problem)) {
      LLVMMemoryBufferRef object = nullptr;
      char* error = nullptr;
      if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object) != 0) {
        problem = taken(error);
      } else {
        take(context, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
        LLVMDisposeMemoryBuffer(object);
      }
      LLVMDisposeModule(module);
    }
    LLVMContextDispose(owner);
    LLVMDisposeTargetMachine(machine);
  }
  if (!problem.empty()) say(problem, message, message_bytes);
  return problem.empty() ? 1 : 0;
}

SteptpLlvmModule* load(const char* object, std::size_t bytes, char* message, std::size_t message_bytes) {
  if (!host().problem.empty()) {
    say(host().problem, message, message_bytes);
    return nullptr;
  }
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine()));
  LLVMOrcLLJITRef jit = nullptr;
  LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit, builder);
  if (!error) error = add_symbols(jit);
  if (!error) {
    LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, bytes, "program");
    error = LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), copy);
  }
  if (!error) return new SteptpLlvmModule{jit};
  say(text_of(error), message, message_bytes);
  if (jit) LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
  return nullptr;
}

const char* target() { return host().name.c_str(); }

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
  static const SteptpLlvmEngine engine = {
      kSteptpLlvmEngineVersion, STEPTP_LLVM_VERSION, target, compile, load, function, release};
  return &engine;
}
