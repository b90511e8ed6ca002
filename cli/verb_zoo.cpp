#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "cli/checks.h"
#include "cli/verb.h"
#include "steptp/base/fingerprints.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"

namespace steptp::cli {

namespace {

struct ZooArguments {
  bool json = false;
  std::string name;
  std::vector<std::string> args;
  std::string dtype = "f32";
  std::string emit = "leir";
  std::string profile = "paper";
  int level = 0;
  std::uint64_t seed = 1;
  bool drawn = false;  ///< --seed was given to `show`
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::string shard = "0/1";
  std::vector<std::string> types;
  std::vector<std::string> dtypes;
  unsigned compositions = 0;
  double most_gigabytes = 2;
  bool any_launch = false;
  unsigned jobs = 0;
};

Status refuse(const Diagnostic& diagnostic) {
  print_error(diagnostic);
  return Status::bad_input;
}

Status list(const ZooArguments& options) {
  std::string out;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (options.level != 0 && type.level != options.level) continue;
    if (options.json)
      append(out, steptp::to_json(type).dump(), "\n");
    else
      append(out, type.level, " ", type.number, " ", type.name, " (", type.family, "): ", type.ranges, "\n");
  }
  return write_out(out) ? Status::yes : Status::failed;
}

/// "k=v" pairs.
Result<zoo::Arguments, Diagnostic> parse_arguments(const std::vector<std::string>& texts) {
  zoo::Arguments out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double number = 0;
    const char* end = text.data() + text.size();
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto parsed = std::from_chars(begin, end, number);
    if (begin == end || parsed.ec != std::errc() || parsed.ptr != end) {
      return make_error("usage", concat("--arg wants name=number, not '", text, "'"));
    }
    if (!out.emplace(text.substr(0, equals), number).second) {
      return make_error("usage", concat("--arg ", text.substr(0, equals), " is given twice"));
    }
  }
  return out;
}

std::optional<ZooForm> form_of(const std::string& name) {
  if (name == "leir") return ZooForm::leir;
  if (name == "torch") return ZooForm::torch;
  if (name == "graph") return ZooForm::graph;
  return std::nullopt;
}

Status show(const ZooArguments& options) {
  const Result<zoo::Arguments, Diagnostic> arguments = parse_arguments(options.args);
  if (!arguments) return refuse(arguments.error());
  const std::optional<DType> dtype = parse_dtype(options.dtype);
  if (!dtype) return refuse(make_error("usage", concat("there is no dtype '", options.dtype, "'")));
  const Result<ZooProgram, Diagnostic> program = options.drawn
                                                     ? zoo_program_drawn(options.name, *arguments, *dtype, options.seed)
                                                     : zoo_program(options.name, *arguments, *dtype);
  if (!program) return refuse(program.error());
  const Profile profile = options.profile == "compact" ? Profile::compact : Profile::paper;
  const std::string out = options.json ? steptp::to_json(*program, profile).dump() + "\n"
                                       : steptp::to_text(*program, *form_of(options.emit), profile);
  return write_out(out) ? Status::yes : Status::failed;
}

Result<zoo::DrawOptions, Diagnostic> draw_options(const ZooArguments& options) {
  zoo::DrawOptions out;
  for (const std::string& name : options.types) {
    const zoo::ProgramType* type = zoo::find_type(name);
    if (!type)
      return make_error("zoo-type", concat("there is no program type '", name, "'"), "steptp zoo list names all types");
    out.types.push_back(type);
  }
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (options.types.empty() && (options.level == 0 || type.level == options.level)) out.types.push_back(&type);
  }
  if (out.types.empty()) return make_error("usage", concat("there are no types of level ", options.level));
  if (!options.dtypes.empty()) out.dtypes.clear();
  for (const std::string& name : options.dtypes) {
    const std::optional<DType> dtype = parse_dtype(name);
    if (!dtype || !is_float(*dtype))
      return make_error("usage", concat("--dtype is f16, f32, f64 or bf16, not '", name, "'"));
    out.dtypes.push_back(*dtype);
  }
  out.compositions_percent = options.compositions;
  out.most_bytes = static_cast<std::int64_t>(options.most_gigabytes * (1 << 30));
  return out;
}

std::string draw_text(const ZooArguments& options, std::uint64_t index, const ZooDraw& drawn) {
  const Profile profile = options.profile == "compact" ? Profile::compact : Profile::paper;
  if (!options.json) return steptp::to_text(drawn.program, *form_of(options.emit), profile);
  Json out;
  out.set("seed", options.seed).set("index", index);
  const Json program = steptp::to_json(drawn.program, profile);
  for (const auto& [key, value] : *program.as_object()) out.set(key, value);
  Json passed;
  passed.set("invalid", drawn.invalid).set("oversize", drawn.oversize).set("launch", drawn.beyond_launch);
  return out.set("skipped", std::move(passed)).dump() + "\n";
}

/// What one draw gives: its text, empty where nothing was found, and what it is up to names.
struct Drawn {
  std::string text;
  Hash structure = 0;
  bool is_ours = true;  ///< not that of another shard
};

/// Programs belong to shards by what they are up to names: equal ones meet in the same shard, and no other needs to
/// know of them.
struct Shard {
  std::uint64_t number = 0;
  std::uint64_t of = 1;

  [[nodiscard]] bool has(Hash structure) const { return mix(structure) % of == number; }
};

std::optional<Shard> parse_shard(std::string_view text) {
  Shard out;
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto read = [](std::string_view part, std::uint64_t& into) {
    const auto done = std::from_chars(part.data(), part.data() + part.size(), into);
    return done.ec == std::errc() && done.ptr == part.data() + part.size();
  };
  const bool good = read(text.substr(0, slash), out.number) && read(text.substr(slash + 1), out.of);
  return good && out.number < out.of ? std::optional(out) : std::nullopt;
}

/// Draws are made in parallel and printed in order; a program that equals one printed before, up to names, is left out.
Status draw(const ZooArguments& options) {
  const Result<zoo::DrawOptions, Diagnostic> chosen = draw_options(options);
  if (!chosen) return refuse(chosen.error());
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard)
    return refuse(make_error("usage", concat("--shard is K/N with K from 0 to N-1, not '", options.shard, "'")));
  constexpr std::size_t kAhead = 1024;
  Fingerprints seen;
  std::uint64_t repeated = 0;
  std::uint64_t failed = 0;
  OrderedStream<std::uint64_t, Drawn> stream(
      options.jobs == 0 ? default_jobs() : options.jobs, kAhead,
      [&](const std::uint64_t& index) {
        const std::optional<ZooDraw> drawn = zoo_draw(options.seed, index, *chosen, options.any_launch);
        if (!drawn) return Drawn();
        if (!shard->has(drawn->structure)) return Drawn{{}, 0, false};
        return Drawn{draw_text(options, index, *drawn), drawn->structure, true};
      },
      [&](Drawn&& drawn) {
        if (!drawn.is_ours) return true;
        if (drawn.text.empty())
          ++failed;
        else if (!seen.insert(drawn.structure))
          ++repeated;
        else
          return write_out(drawn.text);
        return true;
      });
  for (std::uint64_t number = 0; number < options.count; ++number) {
    if (!stream.push(options.first + number)) break;
  }
  if (!stream.finish()) return Status::failed;
  if (repeated + failed > 0) {
    print_error({"zoo-draws",
                 Severity::note,
                 concat(repeated, " repeated programs left out, ", failed, " draws found nothing that fits"),
                 {},
                 {},
                 0,
                 0,
                 0});
  }
  return failed == options.count && failed > 0 ? Status::no : Status::yes;
}

}  // namespace

VerbMain add_zoo(CLI::App& app) {
  auto options = std::make_shared<ZooArguments>();
  CLI::App* verb = app.add_subcommand("zoo", "built-in program types: list them, show one, draw random programs");
  verb->require_subcommand(1);
  verb->footer("Example: steptp zoo list        steptp zoo show GELU        steptp zoo draw --count 10 --seed 7");
  CLI::App* list_verb = verb->add_subcommand("list", "all program types with their arguments and ranges");
  list_verb->footer("Example: steptp zoo list --level 1");
  list_verb->add_flag("--json", options->json, "one JSON object per type");
  list_verb->add_option("--level", options->level, "list only types of this level");
  CLI::App* show_verb = verb->add_subcommand("show", "the program of one type");
  show_verb->footer(
      "Arguments that are not given have their defaults, or are drawn where --seed is given.\n"
      "Example: steptp zoo show GELU --arg batch_size=8        steptp zoo show GELU --emit torch");
  show_verb->add_option("NAME", options->name, "a program type; steptp zoo list has them all")->required();
  show_verb->add_option("--arg", options->args, "an argument, name=value; may be repeated")->allow_extra_args(false);
  CLI::Option* seed = show_verb->add_option("--seed", options->seed, "draw the arguments that are not given");
  show_verb->add_option("--dtype", options->dtype, "f16, f32, f64 or bf16")->capture_default_str();
  show_verb->add_option("--emit", options->emit, "leir, torch (a PyTorch file) or graph (JSON)")
      ->check(one_of({"leir", "torch", "graph"}))
      ->capture_default_str();
  show_verb->add_option("--profile", options->profile, "the spelling: paper (as published) or compact (fewer tokens)")
      ->check(one_of({"paper", "compact"}));
  show_verb->add_flag("--json", options->json, "one JSON object: the program with its arguments");
  CLI::App* draw_verb = verb->add_subcommand("draw", "random programs: types with random arguments, and compositions");
  draw_verb->footer(
      "A draw is addressed by (seed, index): the same on every machine, for any number of jobs, alone or among "
      "others.\n"
      "Programs that are equal up to names are printed once, and fall into the same shard; every shard makes all "
      "draws.\n"
      "Example: steptp zoo draw --count 100 --seed 7 --compositions 50 --json");
  draw_verb->add_option("--count,-n", options->count, "how many programs are drawn")->capture_default_str();
  draw_verb->add_option("--seed", options->seed, "the seed of the draws")->capture_default_str();
  draw_verb->add_option("--first", options->first, "the index of the first draw")->capture_default_str();
  draw_verb->add_option("--shard", options->shard, "K/N: the K-th of N parts, which have no program in common")
      ->capture_default_str();
  draw_verb->add_option("--type", options->types, "draw only programs of this type; may be repeated")
      ->allow_extra_args(false);
  draw_verb->add_option("--level", options->level, "draw only types of this level");
  draw_verb->add_option("--dtype", options->dtypes, "draw from these instead of f16, f32 and f64; may be repeated")
      ->allow_extra_args(false);
  draw_verb->add_option("--compositions", options->compositions, "how many of a hundred draws are random compositions")
      ->check(between(0, 100))
      ->capture_default_str();
  draw_verb->add_option("--most-gib", options->most_gigabytes, "the largest tensor allowed, in GiB")
      ->check(between(1e-6, 1e6))
      ->capture_default_str();
  draw_verb->add_flag("--any-launch", options->any_launch, "keep programs that launch more threads than a block has");
  draw_verb->add_option("--emit", options->emit, "leir, torch (a PyTorch file) or graph (JSON)")
      ->check(one_of({"leir", "torch", "graph"}))
      ->capture_default_str();
  draw_verb->add_option("--profile", options->profile, "the spelling: paper (as published) or compact (fewer tokens)")
      ->check(one_of({"paper", "compact"}));
  draw_verb->add_flag("--json", options->json, "one JSON object per program");
  draw_verb->add_option("--jobs,-j", options->jobs, "threads; 0: all cores")->capture_default_str();
  return [options, list_verb, draw_verb, seed] {
    options->drawn = seed->count() > 0;
    if (list_verb->parsed()) return list(*options);
    return draw_verb->parsed() ? draw(*options) : show(*options);
  };
}

}  // namespace steptp::cli
