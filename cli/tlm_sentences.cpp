#include <CLI/CLI.hpp>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/text.h"
#include "steptp/cursor/sentence.h"
#include "steptp/documents/check_document.h"

namespace steptp::cli {

namespace {

struct SentenceOptions {
  RecordOptions records;
  std::string device = "nvidia-h200";
  std::uint64_t samples = 1;
  std::uint64_t seed = 1;
  std::int64_t quality = -2;
  bool decisions = false;
};

cursor::Quality quality_of(const SentenceOptions& options) {
  constexpr std::int64_t kNoWord = -2;
  return options.quality == kNoWord ? cursor::Quality() : cursor::Quality(static_cast<int>(options.quality));
}

Json json_of(const Document& document, const cursor::Cursor& drawn, const std::vector<cursor::Token>& words) {
  Json::Array tokens;
  for (const cursor::Token token : words) tokens.emplace_back(static_cast<std::int64_t>(token));
  Json out;
  out.set("program", document.program.name).set("device", cursor::target_of(drawn.space()).rates.name);
  out.set("sentence", cursor::sentence_text(words)).set("tokens", std::move(tokens));
  return out.set("decisions", drawn.text());
}

Answer refused(Status status, const Document& document, const std::string& why, bool json) {
  Answer out;
  out.status = status;
  out.err = render({make_error("sentence", why)}, *document.source);
  if (json) out.out = Json().set("error", why).dump() + "\n";
  return out;
}

Answer draw(const Document& document, const SentenceOptions& options, const cursor::Target& target) {
  if (!document.ok) return unreadable(document, options.records.json);
  const CheckReport report = check_document(document, {});
  if (report.verdict == CheckReport::Verdict::errors) {
    Answer out = refused(Status::no, document, "the program has errors", options.records.json);
    out.err = render(report.diagnostics, *document.source);
    return out;
  }
  const auto space = cursor::open_space(document.program, target);
  if (!space) return refused(Status::no, document, space.error(), options.records.json);
  Answer out;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const cursor::Cursor drawn = cursor::drawn_cursor(*space, options.seed, i);
    const auto words = cursor::sentence_of(drawn, quality_of(options));
    if (!words) return refused(Status::no, document, words.error(), options.records.json);
    if (options.records.json) {
      append(out.out, json_of(document, drawn, *words).dump(), "\n");
    } else {
      append(out.out, options.decisions ? drawn.text() : cursor::sentence_text(*words), "\n");
    }
  }
  return out;
}

Status run(const SentenceOptions& options) {
  const auto target = cursor::find_target(options.device);
  if (!target) {
    print_error(make_error("device", target.error()));
    return Status::bad_input;
  }
  return for_each_record(options.records.file, options.records.jobs, "sentences",
                         [&](const Document& document) { return draw(document, options, *target); });
}

}  // namespace

VerbMain add_tlm_sentences(CLI::App& tlm) {
  auto options = std::make_shared<SentenceOptions>();
  CLI::App* verb = tlm.add_subcommand("sentences", "plans of a program, drawn at random, as sentences");
  verb->footer(
      "Each value is drawn evenly from those that have a legal completion; sentence i depends on the seed and on i.\n"
      "Exit status: 0 drawn, 1 the program has errors, no plan or too many words, 2 unreadable input or unknown "
      "device.\n"
      "Example: steptp tlm sentences softmax.leir --samples 100 --seed 7");
  add_record_options(*verb, options->records);
  verb->add_option("--device", options->device, "the device that plans are for: `steptp device` lists them")
      ->capture_default_str();
  verb->add_option("--samples", options->samples, "how many sentences of each program")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  verb->add_option("--seed", options->seed, "another seed draws other plans")->capture_default_str();
  verb->add_option("--quality", options->quality,
                   "a word for the decile of latency, 0 (best) to 9; -1: the word for none; -2: no word")
      ->check(CLI::Range(-2, cursor::kQualities - 1))
      ->capture_default_str();
  verb->add_flag("--decisions", options->decisions, "print the decisions alone, for people");
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
