#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/verb.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/tokens/qwen3.h"
#include "steptp/verbs/token_counts.h"

namespace steptp::cli {

namespace {

struct TokenOptions {
  RecordOptions records;
  std::string tokenizer;
  bool raw = false;
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
  TokenVerb(const Tokenizer& tokenizer, bool json) : tokenizer_(tokenizer), json_(json) {}

  Answer count(const Document& document) {
    if (!document.ok) return unreadable(document, json_);
    Answer answer;
    const auto counts = count_tokens(document.program, tokenizer_);
    if (!counts) {
      answer.status = Status::bad_input;
      answer.err = render(counts.error(), *document.source);
      return answer;
    }
    if (json_) {
      Json tokens;
      tokens.set("paper", counts->paper).set("compact", counts->compact);
      Json out;
      out.set("program", document.program.name).set("tokens", std::move(tokens));
      answer.out = out.dump() + "\n";
    } else {
      const std::string& name = document.program.name.empty() ? document.source->name() : document.program.name;
      answer.out = concat(name, ": paper ", counts->paper, ", compact ", counts->compact, "\n");
    }
    const std::lock_guard lock(mutex_);
    paper_.push_back(counts->paper);
    compact_.push_back(counts->compact);
    return answer;
  }

  /// Only where there is something to summarise.
  std::string summary() {
    if (json_ || paper_.size() < 2) return {};
    std::string out =
        concat(paper_.size(), " programs\n", statistics("paper", paper_), statistics("compact", compact_));
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
  std::mutex mutex_;
  std::vector<std::size_t> paper_;
  std::vector<std::size_t> compact_;
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
  TokenVerb verb(*tokenizer, options.records.json);
  const Status status = for_each_record(options.records.file, options.records.jobs, "tokens",
                                        [&verb](const Document& document) { return verb.count(document); });
  return write_out(verb.summary()) ? status : Status::failed;
}

}  // namespace

VerbMain add_tokens(CLI::App& app) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* verb = app.add_subcommand("tokens", "how many tokens do the representations of a program take?");
  verb->footer(
      "Counts are under the Qwen3 tokenizer, which is built in.\n"
      "Example: steptp tokens programs.jsonl        steptp tokens --raw notes.txt");
  add_record_options(*verb, options->records);
  verb->add_option("--tokenizer", options->tokenizer, "another Hugging Face tokenizer.json (or .gz)");
  verb->add_flag("--raw", options->raw, "count the tokens of any text, as it is");
  return [options] { return run_tokens(*options); };
}

}  // namespace steptp::cli
