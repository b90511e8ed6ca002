#include <CLI/CLI.hpp>
#include <memory>

#include "cli/device_problem.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "steptp/base/text.h"
#include "steptp/documents/lower_document.h"

namespace steptp::cli {

namespace {

struct LowerArguments {
  RecordOptions records;
  std::string device;
  LowerRequest request;
};

Status status_of_lowering(LowerFailure::Kind kind) {
  switch (kind) {
    case LowerFailure::Kind::errors:
    case LowerFailure::Kind::refused: return Status::no;
    case LowerFailure::Kind::undecided: return Status::undecided;
  }
  return Status::no;
}

Answer lower(const Document& document, const LowerArguments& options) {
  if (!document.ok) return unreadable(document, options.records.json);
  Answer answer;
  const auto made = lower_document(document, options.request);
  if (!made) {
    answer.status = status_of_lowering(made.error().kind);
    answer.err = render(made.error().diagnostics, *document.source);
    if (options.records.json) {
      Json out;
      const Diagnostics& list = made.error().diagnostics;
      out.set("error", list.empty() ? "" : list.front().id).set("diagnostics", to_json(list));
      answer.out = out.dump() + "\n";
    }
    return answer;
  }
  if (options.records.json) {
    Json out;
    out.set("text", made->text);
    if (!made->launches.is_null()) out.set("launches", made->launches);
    answer.out = out.dump() + "\n";
  } else {
    answer.out = made->text;
  }
  return answer;
}

}  // namespace

VerbMain add_lower(CLI::App& app) {
  auto options = std::make_shared<LowerArguments>();
  CLI::App* verb = app.add_subcommand("lower", "print a program as the text of a back end");
  verb->footer(
      "Only programs that check finds ok are lowered; what a back end cannot hold exactly is refused with a reason.\n"
      "cuda: one __global__ per kernel and a C entry point (steptp_launch); with --main a whole program that reads\n"
      "  inputs.npz, compares with expected.npz and measures: nvcc -O3 -arch=sm_90 -o program program.cu\n"
      "llvm: IR with one function per kernel, for CPUs; run --engine llvm compiles and runs it.\n"
      "tir: TVMScript of either dialect; what TVM gives another meaning is refused.\n"
      "Exit status: 0 lowered, 1 errors or refused, 2 unreadable input, 3 check could not decide.\n"
      "Example: steptp lower matmul.leir --to cuda > matmul.cu");
  add_record_options(*verb, options->records);
  add_word_option(*verb, "--to", options->request.to, "the back end")->default_str("")->required();
  verb->add_option("--device", options->device, concat("the device whose launch limits count: ", device_names()));
  verb->add_flag("--main", options->request.main,
                 "for cuda: add a main() that compares with expected outputs and measures");
  add_word_option(*verb, "--dialect", options->request.dialect,
                  "for tir: the spelling of TVM up to 0.23 (as in the published data), or from 0.24 on");
  add_word_option(*verb, "--target", options->request.target,
                  "for tir: cuda, or cpu, where bound loops are written as serial ones",
                  {DeviceKind::cuda, DeviceKind::cpu});
  return [options] {
    if (!options->device.empty()) {
      options->request.device = find_device(options->device);
      if (!options->request.device) {
        print_error(no_such_device(options->device));
        return Status::bad_input;
      }
    }
    return for_each_record(options->records.file, options->records.jobs, "lower",
                           [&](const Document& document) { return lower(document, *options); });
  };
}

}  // namespace steptp::cli
