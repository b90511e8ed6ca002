#include <CLI/CLI.hpp>
#include <memory>

#include "cli/checks.h"
#include "cli/python_tool.h"
#include "cli/verb.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

struct KernelbenchOptions {
  std::string folder;
  std::string out;
  std::string levels = "1,2,3";
  std::string device = "cpu";
  std::string python = "python3";
  std::uint64_t samples = 0;
  double seconds = 900;
  bool no_compile = false;
};

}  // namespace

VerbMain add_kernelbench(CLI::App& app) {
  auto options = std::make_shared<KernelbenchOptions>();
  CLI::App* verb = app.add_subcommand("kernelbench", "make a folder of PyTorch problems fast, check them and count");
  verb->footer(
      "DIR has problems (.py files with Model, get_inputs and get_init_inputs), or level1, level2, level3 with them.\n"
      "OUT gets results.jsonl, a line for each problem as soon as it is done: the same command goes on where it was\n"
      "ended. OUT/table.md says how many were imported, planned, judged and correct, and how many of all are faster\n"
      "than eager PyTorch (docs/torch.md).\n"
      "Exit status: 0 done; 2 bad input; 4 no Python that has PyTorch and the package steptp.\n"
      "Example: steptp kernelbench problems --levels 1,2 -o results");
  verb->add_option("DIR", options->folder, "the folder of problems")->required();
  verb->add_option("--output,-o", options->out, "the folder for results and the table")->required();
  verb->add_option("--levels", options->levels, "which levels, with commas between them")->capture_default_str();
  verb->add_option("--device", options->device, "where to run: cpu or cuda")
      ->check(one_of({"cpu", "cuda"}))
      ->capture_default_str();
  verb->add_option("--samples", options->samples, "how often each group is timed beside eager PyTorch; 0: never")
      ->capture_default_str();
  verb->add_option("--timeout", options->seconds, "seconds for one problem")->check(positive())->capture_default_str();
  verb->add_flag("--no-compile", options->no_compile, "leave out the times of torch.compile");
  verb->add_option("--python", options->python, "a Python that has PyTorch and the package steptp")
      ->capture_default_str();
  return [options] {
    std::vector<std::string> words = {options->folder,
                                      "-o",
                                      options->out,
                                      "--levels",
                                      options->levels,
                                      "--device",
                                      options->device,
                                      "--samples",
                                      std::to_string(options->samples),
                                      "--timeout",
                                      std::to_string(options->seconds)};
    if (options->no_compile) words.emplace_back("--no-compile");
    return become_python_tool(options->python, "steptp.torch_out.kernelbench", words);
  };
}

}  // namespace steptp::cli
