#include "steptp/execution/llvm_program.h"

#include <chrono>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/execution/llvm_compiled.h"
#include "steptp/execution/llvm_library.h"

namespace steptp {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point& start) {
  const auto now = Clock::now();
  const double out = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return out;
}

/// Objects of an engine with another interface are not loaded, even where its text stayed the same.
std::string engine_name(const SteptpLlvmEngine& engine) {
  return concat("llvm engine ", engine.version, " ", std::string(engine.target()));
}

void take_object(void* context, const char* object, std::size_t bytes) {
  static_cast<std::string*>(context)->assign(object, bytes);
}

}  // namespace

LlvmProgram::LlvmProgram(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
LlvmProgram::LlvmProgram(LlvmProgram&&) noexcept = default;
LlvmProgram& LlvmProgram::operator=(LlvmProgram&&) noexcept = default;
LlvmProgram::~LlvmProgram() = default;

const lowering::Arrangement& LlvmProgram::arrangement() const { return compiled_->lowered.arrangement; }

Result<bool, Diagnostic> find_llvm_engine() {
  const auto engine = load_llvm_engine();
  if (!engine) return engine.error();
  return true;
}

Result<LlvmProgram, Diagnostic> LlvmProgram::compile(const Program& program, const ObjectCache& cache,
                                                     FloatRules rules) {
  const auto loaded = load_llvm_engine();
  if (!loaded) return loaded.error();
  const SteptpLlvmEngine& engine = **loaded;
  CompileTimes times;
  auto start = Clock::now();
  auto lowered = llvm_ir::lower(program, rules);
  if (!lowered) return lowered.error();
  times.lower_milliseconds = milliseconds_since(start);
  auto made = std::make_unique<Compiled>();
  made->engine = &engine;
  made->lowered = std::move(lowered).value();
  const std::string& text = made->lowered.text;
  const CacheKey key = cache_key({text, engine_name(engine)});
  char message[2000] = "";
  auto object = cache.find(key);
  times.from_cache = object.has_value();
  if (object) {
    made->module = engine.load(object->data(), object->size(), message, sizeof message);
    // An object that does not load, for whatever reason, is made anew.
    times.from_cache = made->module != nullptr;
  }
  if (!made->module) {
    start = Clock::now();
    object.emplace();
    if (engine.compile(text.data(), text.size(), take_object, &*object, message, sizeof message) == 0) {
      return make_error("engine", concat("LLVM refuses the program: ", std::string(message)));
    }
    times.compile_milliseconds = milliseconds_since(start);
    cache.put(key, *object);
    start = Clock::now();
    made->module = engine.load(object->data(), object->size(), message, sizeof message);
    if (!made->module) return make_error("engine", concat("LLVM cannot link the program: ", std::string(message)));
  }
  for (const llvm_ir::KernelEntry& entry : made->lowered.kernels) {
    made->kernels.push_back(made->find<LlvmKernel>(entry.name));
    if (!made->kernels.back()) return make_error("engine", concat("LLVM cannot link ", entry.name));
  }
  for (const llvm_ir::FillEntry& entry : made->lowered.fills) {
    made->fills.emplace_back(made->number_of(entry.buffer), made->find<LlvmFill>(entry.name));
    if (!made->fills.back().second) return make_error("engine", concat("LLVM cannot link ", entry.name));
  }
  times.load_milliseconds = milliseconds_since(start);
  LlvmProgram out(std::move(made));
  out.times_ = times;
  return out;
}

Result<Tensors, Trap> LlvmProgram::run(const Tensors& inputs, unsigned threads) const {
  const auto trap_of = [](const ExecutionFailure& failure) {
    Trap trap;
    trap.kind = TrapKind::memory;
    trap.message = failure.diagnostic.message;
    return failure.trap ? *failure.trap : trap;
  };
  const auto session = start(inputs, threads);
  if (!session) return trap_of(session.error());
  if (const auto failure = (*session)->poison()) return trap_of(*failure);
  if (const auto ran = (*session)->run(); !ran) return trap_of(ran.error());
  auto outputs = (*session)->outputs();
  if (!outputs) return trap_of(outputs.error());
  return std::move(outputs).value();
}

}  // namespace steptp
