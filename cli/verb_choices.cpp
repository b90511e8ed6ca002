#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/move_options.h"
#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"

namespace steptp::cli {

namespace {

struct ChoicesOptions {
  RecordOptions records;
  std::vector<std::string> strategies;
  std::vector<std::string> moves;
  bool all_moves = false;
  bool extended = false;
  bool refusals = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> sample;
  std::uint64_t seed = 0;
};

/// "inner in 2,3", or "inner in 2..318 without 29".
std::string domain_text(const ParameterDomain& domain) {
  const auto* range = std::get_if<IntegerRange>(&domain.values);
  const auto plain = [](const Json& value) { return value.as_string() ? *value.as_string() : value.dump(); };
  std::string out = concat(domain.name, " in ");
  if (!range) {
    for (std::uint64_t i = 0; i < domain.count(); ++i) append(out, i == 0 ? "" : ",", plain(domain.value(i)));
    return out;
  }
  append(out, range->low, "..", range->high);
  if (range->except.empty()) return out;
  return concat(out, " without ", join(range->except, ",", [](std::int64_t value) { return value; }));
}

/// The name of the strategy, or of the move, that an entry is of.
template <typename Entry>
std::string_view maker_of(const Entry& entry) {
  if constexpr (requires { entry.strategy; })
    return entry.strategy->name;
  else
    return entry.move->name;
}

template <typename Entry>
std::string site_text(const Entry& entry) {
  std::string out = concat(maker_of(entry), " at ", to_text(entry.site.at));
  for (const ParameterDomain& domain : entry.site.parameters) append(out, "; ", domain_text(domain));
  append(out, "; ", entry.site.count(), entry.site.count() == 1 ? " choice" : " choices");
  return concat(out, entry.site.extended ? ", extended\n" : "\n");
}

/// What strategies, or moves, have found, as the options want it.
template <typename Found>
std::string text_of(const std::string& program, const Found& found, const ChoicesOptions& options) {
  const bool json = options.records.json;
  std::string out;
  if (options.limit || options.sample) {
    const auto chosen =
        options.sample ? sample_choices(found, *options.sample, options.seed) : first_choices(found, *options.limit);
    for (const auto& entry : chosen) {
      if (json)
        append(out, to_json(program, entry).dump(), "\n");
      else
        append(out, maker_of(entry), " ", entry.choice.to_json().dump(), "\n");
    }
  } else {
    for (const auto& entry : found.sites) out += json ? to_json(program, entry).dump() + "\n" : site_text(entry);
  }
  // Several values of one parameter may be refused in the same words: once is enough.
  std::string last;
  for (const auto& entry : found.refusals) {
    std::string line = json ? to_json(program, entry).dump() : to_text(maker_of(entry), entry.refusal);
    if (line == last) continue;
    append(out, line, "\n");
    last = std::move(line);
  }
  return out;
}

Answer list(const Document& document, const std::vector<const Strategy*>& strategies, const ChoicesOptions& options) {
  Answer answer = unusable(document, options.records.json);
  if (answer.status != Status::yes) return answer;
  View view(document.program);
  const Choices found = list_choices(strategies, view, options.extended, options.refusals);
  answer.out = text_of(document.program.name, found, options);
  return answer;
}

Answer list_moves(const Document& document, const std::vector<const Move*>& moves, const ChoicesOptions& options) {
  Answer answer = unusable(document, options.records.json);
  if (answer.status != Status::yes) return answer;
  View view(document.program);
  answer.out = text_of(document.program.name, list_choices(moves, view, options.refusals), options);
  return answer;
}

}  // namespace

VerbMain add_choices(CLI::App& app) {
  auto options = std::make_shared<ChoicesOptions>();
  CLI::App* verb = app.add_subcommand("choices", "list every step, or every move, that can be made on a program");
  verb->footer(
      "Without --limit and --sample: every place with the values that its parameters can take; all combinations are\n"
      "legal. The same program gives the same list; --sample draws with --seed.\n"
      "Example: steptp choices matmul.leir --strategy loop_split --sample 5 --seed 1 --json");
  add_record_options(*verb, options->records);
  verb->add_option("--strategy", options->strategies, "list only the steps of this strategy; may be repeated");
  verb->add_flag("--moves", options->all_moves, "list moves instead of single steps");
  verb->add_option("--move", options->moves, "list only this move; may be repeated, and means --moves");
  verb->add_flag("--extended", options->extended, "also list choices beyond the published form of the strategies");
  verb->add_option("--limit", options->limit, "print only the first N choices");
  verb->add_option("--sample", options->sample, "N different choices, drawn by strategy, then place, then values");
  verb->add_option("--seed", options->seed, "the seed of --sample")->capture_default_str();
  verb->add_flag("--refusals", options->refusals, "also print the places where a step is refused, and why");
  return [options] {
    const bool moves_wanted = options->all_moves || !options->moves.empty();
    if (moves_wanted && !options->strategies.empty()) {
      print_error(make_error("usage", "--strategy lists steps, --moves and --move list moves",
                             "leave out one of them; the move `step` is any step of a strategy"));
      return Status::bad_input;
    }
    const std::vector<const Strategy*> strategies = strategies_named(options->strategies);
    const std::vector<const Move*> moves = moves_named(options->moves);
    if (strategies.empty() || moves.empty()) return Status::bad_input;
    if (options->limit && options->sample) {
      print_error(make_error("usage", "--limit and --sample cannot be used together",
                             "leave out one of them; steptp choices --help explains both"));
      return Status::bad_input;
    }
    return for_each_record(options->records.file, options->records.jobs, "choices", [&](const Document& document) {
      return moves_wanted ? list_moves(document, moves, *options) : list(document, strategies, *options);
    });
  };
}

}  // namespace steptp::cli
