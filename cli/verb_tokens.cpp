#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/verb.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/token_counts.h"
#include "steptp/tokens/qwen3.h"

namespace steptp::cli {

namespace {

struct TokenOptions {
  RecordOptions records;
  std::string tokenizer;
  bool raw = false;
  bool lowered = false;
};

/// All counts of one representation; sorted before anything is asked, so that the order of records does not matter.
std::string statistics(std::string_view name, std::vector<std::size_t>& counts) {
  std::sort(counts.begin(), counts.end());
  std::size_t total = 0;
  for (const std::size_t count : counts) total += count;
  const auto at = [&counts](double share) {
    return counts[static_cast<std::size_t>(share * static_cast<double>(counts.size() - 1))];
  };
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.1f", static_cast<double>(total) / static_cast<double>(counts.size()));
  return concat(name, ": mean ", mean, ", median ", at(0.5), ", p99 ", at(0.99), ", max ", counts.back(), ", total ",
                total, "\n");
}

class TokenVerb {
 public:
  TokenVerb(const Tokenizer& tokenizer, bool json, bool lowered)
      : tokenizer_(tokenizer), json_(json), lowered_(lowered) {}

  Answer count(const Document& document) {
    if (!document.ok) return unreadable(document, json_);
    Answer answer;
    auto counts = count_tokens(document.program, tokenizer_);
    std::optional<Diagnostic> problem;
    if (counts && lowered_) problem = count_lowered_tokens(document, tokenizer_, *counts);
    if (!counts || problem) {
      answer.status = Status::bad_input;
      answer.err = render(problem ? *problem : counts.error(), *document.source);
      return answer;
    }
    if (json_) {
      Json tokens;
      tokens.set("paper", counts->paper).set("compact", counts->compact);
      // What a back end refuses has no count.
      const auto json_of = [](const std::optional<std::size_t>& count) { return count ? Json(*count) : Json(); };
      if (lowered_) tokens.set("tir", json_of(counts->tir)).set("cuda", json_of(counts->cuda));
      Json out;
      out.set("program", document.program.name).set("tokens", std::move(tokens));
      answer.out = out.dump() + "\n";
    } else {
      const std::string& name = document.program.name.empty() ? document.source->name() : document.program.name;
      answer.out = concat(name, ": paper ", counts->paper, ", compact ", counts->compact);
      const auto text_of = [](const std::optional<std::size_t>& count) { return count ? std::to_string(*count) : "-"; };
      if (lowered_) append(answer.out, ", tir ", text_of(counts->tir), ", cuda ", text_of(counts->cuda));
      answer.out += '\n';
    }
    const std::lock_guard lock(mutex_);
    paper_.push_back(counts->paper);
    compact_.push_back(counts->compact);
    if (counts->tir) tir_.push_back(*counts->tir);
    if (counts->cuda) cuda_.push_back(*counts->cuda);
    return answer;
  }

  /// Only where there is something to summarise.
  std::string summary() {
    if (json_ || paper_.size() < 2) return {};
    std::string out =
        concat(paper_.size(), " programs\n", statistics("paper", paper_), statistics("compact", compact_));
    if (!tir_.empty()) append(out, statistics(concat("tir (", tir_.size(), " programs)"), tir_));
    if (!cuda_.empty()) append(out, statistics(concat("cuda (", cuda_.size(), " programs)"), cuda_));
    std::size_t paper = 0;
    std::size_t compact = 0;
    for (std::size_t i = 0; i < paper_.size(); ++i) paper += paper_[i], compact += compact_[i];
    char saved[32];
    std::snprintf(saved, sizeof saved, "%.1f",
                  100.0 * (1.0 - static_cast<double>(compact) / static_cast<double>(paper)));
    return concat(out, "compact takes ", saved, " % fewer tokens\n");
  }

 private:
  const Tokenizer& tokenizer_;
  bool json_;
  bool lowered_;
  std::mutex mutex_;
  std::vector<std::size_t> paper_;
  std::vector<std::size_t> compact_;
  std::vector<std::size_t> tir_;
  std::vector<std::size_t> cuda_;
};

Status count_raw(const std::string& file, const Tokenizer& tokenizer, bool json) {
  const auto text = read_file(file);
  if (!text) {
    print_error(text.error());
    return Status::bad_input;
  }
  const auto count = tokenizer.count(*text);
  if (!count) {
    print_error(count.error());
    return Status::bad_input;
  }
  Json out;
  out.set("tokens", *count);
  return write_out(json ? out.dump() + "\n" : concat(*count, "\n")) ? Status::yes : Status::failed;
}

Status run_tokens(const TokenOptions& options) {
  std::optional<Result<Tokenizer, Diagnostic>> given;
  if (!options.tokenizer.empty()) given.emplace(Tokenizer::load(options.tokenizer));
  const Result<Tokenizer, Diagnostic>& tokenizer = given ? *given : qwen3_tokenizer();
  if (!tokenizer) {
    print_error(tokenizer.error());
    return Status::bad_input;
  }
  if (options.raw) return count_raw(options.records.file, *tokenizer, options.records.json);
  TokenVerb verb(*tokenizer, options.records.json, options.lowered);
  const Status status = for_each_record(options.records.file, options.records.jobs, "tokens",
                                        [&verb](const Document& document) { return verb.count(document); });
  return write_out(verb.summary()) ? status : Status::failed;
}

}  // namespace

VerbMain add_tokens(CLI::App& app) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* verb = app.add_subcommand("tokens", "count the tokens of a program in both profiles");
  verb->footer(
      "Counts are under the Qwen3 tokenizer, which is built in.\n"
      "Example: steptp tokens programs.jsonl        steptp tokens --raw notes.txt");
  add_record_options(*verb, options->records);
  verb->add_option("--tokenizer", options->tokenizer, "use another Hugging Face tokenizer.json (or .gz)");
  verb->add_flag("--raw", options->raw, "count the tokens of any text, as it is");
  verb->add_flag("--lowered", options->lowered,
                 "also count the program as TIR (dialect tvm-0.21) and as CUDA, if it can be lowered");
  return [options] { return run_tokens(*options); };
}

}  // namespace steptp::cli
