#include <CLI/CLI.hpp>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/text.h"
#include "steptp/cursor/sentence.h"
#include "steptp/documents/check_document.h"
#include "steptp/tlm/generate.h"
#include "steptp/tlm/shipped.h"

namespace steptp::cli {

namespace {

struct GenerateOptions {
  RecordOptions records;
  std::string device = "cpu";
  std::string weights;
  std::size_t samples = 16;
  std::uint64_t seed = 1;
  double temperature = 1;
  bool decisions = false;
};

Answer refused(const Document& document, const std::string& why, bool json) {
  Answer out;
  out.status = Status::no;
  out.err = render({make_error("sentence", why)}, *document.source);
  if (json) out.out = Json().set("error", why).dump() + "\n";
  return out;
}

Answer write_one(const Document& document, const GenerateOptions& options, const cursor::Target& target,
                 const std::shared_ptr<const tlm::Weights>& weights) {
  const bool json = options.records.json;
  if (!document.ok) return unreadable(document, json);
  const CheckReport report = check_document(document, {});
  if (report.verdict == CheckReport::Verdict::errors) {
    Answer out = refused(document, "the program has errors", json);
    out.err = render(report.diagnostics, *document.source);
    return out;
  }
  const auto space = cursor::open_space(document.program, target);
  if (!space) return refused(document, space.error(), json);
  const cursor::Quality quality = tlm::quality_for(weights->card);
  const auto made = tlm::generate(*space, weights, {options.samples, options.seed, quality, options.temperature});
  if (!made) return refused(document, made.error(), json);
  Answer out;
  for (const tlm::Generated& one : *made) {
    const auto words = cursor::sentence_of(one.cursor, quality);
    if (!words) return refused(document, words.error(), json);
    const std::string sentence = cursor::sentence_text(*words);
    if (json) {
      Json line;
      line.set("program", document.program.name).set("device", target.rates.name).set("sentence", sentence);
      line.set("decisions", one.cursor.text()).set("log_probability", one.log_probability);
      append(out.out, line.dump(), "\n");
    } else {
      append(out.out, options.decisions ? one.cursor.text() : sentence, "\n");
    }
  }
  return out;
}

Status run(const GenerateOptions& options) {
  const auto target = cursor::find_target(options.device);
  if (!target) {
    print_error(make_error("device", target.error()));
    return Status::bad_input;
  }
  const auto weights = tlm::usable_weights(options.weights, options.device);
  if (!weights) {
    print_error(weights.error());
    return Status::bad_input;
  }
  return for_each_record(options.records.file, options.records.jobs, "generate",
                         [&](const Document& document) { return write_one(document, options, *target, *weights); });
}

}  // namespace

VerbMain add_tlm_generate(CLI::App& tlm) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* verb = tlm.add_subcommand("generate", "plans of a program, written by a trained model");
  verb->footer(
      "The model runs here, without Python. Every value is drawn among the legal ones, so every sentence is a plan;\n"
      "sentences are different, and fewer than --samples where the space is small or the model sure.\n"
      "Exit status: 0 written, 1 the program has errors or no plan, or the weights do not fit, 2 unreadable.\n"
      "Example: steptp tlm generate softmax.leir --device nvidia-h200 | steptp tlm replay -");
  add_record_options(*verb, options->records);
  verb->add_option("--weights", options->weights,
                   "a weights file, as `steptp tlm train` writes it; without it those that come with "
                   "the program for the device");
  verb->add_option("--device", options->device, "the device that plans are for: `steptp device` lists them")
      ->capture_default_str();
  verb->add_option("--samples", options->samples, "how many sentences of each program")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "another seed draws other plans")->capture_default_str();
  verb->add_option("--temperature", options->temperature, "below 1 the likely values are drawn more often; 0: always")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  verb->add_flag("--decisions", options->decisions, "print the decisions alone, for people");
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
