#include "steptp/dataset/work.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/dataset/lowered.h"
#include "steptp/dataset/tvm_builder.h"
#include "steptp/execution/cuda_library.h"
#include "steptp/execution/cuda_program.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/execution/object_cache.h"
#include "steptp/text/document.h"

namespace steptp::dataset {

namespace {

/// Beyond sm_90, which NVRTC then compiles PTX for: whether a text is right is seen without the last step to machine
/// code, which takes longer than all before it.
constexpr int kArchitecture = 91;

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (!value || !value->as_string()) throw std::runtime_error(concat("a request without '", key, "'"));
  return *value->as_string();
}

/// For tests of what a build does with programs that end a worker: the environment names one and how it ends.
void fail_as_tests_want(const std::string& program) {
  const char* wanted = std::getenv("STEPTP_TEST_DATASET_CRASH");
  if (wanted && program == wanted) std::abort();
}

class DatasetWorker {
 public:
  std::string answer(const std::string& request) {
    const auto json = parse_json(request);
    if (!json) throw std::runtime_error(json.error().message);
    return json->find("planned") ? make(*json) : compile(*json);
  }

 private:
  std::string make(const Json& request) {
    const Json* settings = request.find("configuration");
    if (!settings) throw std::runtime_error("a request without a configuration");
    if (std::string text = settings->dump(); text != configuration_text_) {
      auto configuration = configuration_from_json(*settings);
      if (!configuration) throw std::runtime_error(configuration.error().message);
      configuration_ = std::move(configuration).value();
      configuration_text_ = std::move(text);
    }
    const auto planned = planned_from_json(*request.find("planned"));
    if (!planned) throw std::runtime_error(planned.error());
    fail_as_tests_want(planned->name);
    StageTimes times;
    const ImportPaths imports = {{planned->type, text_at(request, "path")}};
    const auto record = make_record(*planned, configuration_, imports, times);
    if (!record) throw std::runtime_error(record.error().message);
    Json spent;
    spent.set("program", record->program.id);
    for (const auto& [stage, milliseconds] : times) spent.set(stage, milliseconds);
    return concat(to_json(*record).dump(), "\n", spent.dump());
  }

  std::string compile(const Json& request) {
    const Document document = read_document("row", text_at(request, "leir"));
    CompileAnswer out;
    if (document.ok) {
      compile_by_machine(document.program, text_at(request, "cuda"), out);
      if (out.error.empty()) compile_by_tvm(document.program, text_at(request, "python"), out);
    } else {
      out.error = "it cannot be read back";
    }
    Json json;
    json.set("by", Json::Array(out.by.begin(), out.by.end())).set("tvm", out.tvm).set("no_tvm", out.no_tvm);
    return json.set("error", out.error).dump();
  }

  /// NVRTC; where it is not there, LLVM.
  static void compile_by_machine(const Program& program, const std::string& cuda, CompileAnswer& out) {
    const ObjectCache cache(ObjectCache::default_folder());
    if (const auto nvrtc = load_nvrtc()) {
      bool from_cache = false;
      const auto image = compile_cuda(cuda, kArchitecture, **nvrtc, cache, from_cache);
      if (image) out.by.emplace_back("nvrtc");
      // A compiler that is not complete says nothing of the text.
      const bool is_asked = image || image.error().id != "no-nvrtc";
      if (!image && is_asked) out.error = image.error().message;
      if (is_asked) return;
    }
    const auto compiled = LlvmProgram::compile(program, cache);
    if (compiled) {
      out.by.emplace_back("llvm");
    } else if (compiled.error().id != "no-engine" && compiled.error().id != "cannot-lower") {
      out.error = compiled.error().message;
    }
  }

  /// The same text as in the row, spelled as this TVM wants it.
  void compile_by_tvm(const Program& program, const std::string& python, CompileAnswer& out) {
    if (!tvm_) tvm_.emplace(TvmBuilder::start(python));
    if (!*tvm_) {
      out.no_tvm = tvm_->error();
      return;
    }
    TvmBuilder& tvm = **tvm_;
    out.tvm = tvm.version();
    const auto text = tir_text_of(program, tvm.dialect());
    const auto problem = text ? tvm.build(text->text, text->target) : std::optional(text.error().message);
    if (problem) {
      out.error = concat("TVM ", out.tvm, ": ", *problem);
    } else {
      out.by.emplace_back("tvm");
    }
  }

  Configuration configuration_;
  std::string configuration_text_;
  std::optional<Result<TvmBuilder, std::string>> tvm_;  ///< started with the first program to compile
};

}  // namespace

std::string record_request(const Json& configuration, const PlannedProgram& planned, const ImportPaths& imports) {
  const auto path = imports.find(planned.type);
  Json out;
  out.set("planned", to_json(planned)).set("path", path == imports.end() ? std::string() : path->second);
  out.set("configuration", configuration);
  return out.dump();
}

RecordAnswer record_answer(const std::string& answer) {
  const std::size_t end = answer.find('\n');
  if (end == answer.npos) throw std::runtime_error("an answer of a worker without times");
  auto times = parse_json(std::string_view(answer).substr(end + 1));
  if (!times) throw std::runtime_error(times.error().message);
  return {answer.substr(0, end), std::move(times).value()};
}

std::string compile_request(const CompileRequest& request, const std::string& python) {
  Json out;
  return out.set("leir", request.leir).set("cuda", request.cuda).set("python", python).dump();
}

CompileAnswer compile_answer(const std::string& answer) {
  const auto json = parse_json(answer);
  if (!json) throw std::runtime_error(json.error().message);
  CompileAnswer out;
  for (const Json& compiler : *json->find("by")->as_array()) out.by.push_back(*compiler.as_string());
  out.tvm = text_at(*json, "tvm");
  out.no_tvm = text_at(*json, "no_tvm");
  out.error = text_at(*json, "error");
  return out;
}

std::vector<WorkerPool::Command> worker_commands(const BuildOptions& options) {
  WorkerPool::Command command = options.worker;
  command.push_back(std::to_string(options.worker_bytes));
  return std::vector<WorkerPool::Command>(options.jobs == 0 ? 1 : options.jobs, command);
}

int run_dataset_worker(int descriptor, std::uint64_t memory_bytes) {
  DatasetWorker worker;
  return serve_requests(descriptor, {memory_bytes}, [&](const std::string& request) { return worker.answer(request); });
}

}  // namespace steptp::dataset
