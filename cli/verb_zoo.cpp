#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <optional>

#include "cli/verb.h"
#include "steptp/base/text.h"
#include "steptp/verbs/zoo_program.h"

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
  const Result<ZooProgram, Diagnostic> program = zoo_program(options.name, *arguments, *dtype);
  if (!program) return refuse(program.error());
  const Profile profile = options.profile == "compact" ? Profile::compact : Profile::paper;
  const std::string out =
      options.json ? steptp::to_json(*program, profile).dump() + "\n" : steptp::to_text(*program, *form_of(options.emit), profile);
  return write_out(out) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_zoo(CLI::App& app) {
  auto options = std::make_shared<ZooArguments>();
  CLI::App* verb = app.add_subcommand("zoo", "program types: list them, show one, draw from them");
  verb->require_subcommand(1);
  CLI::App* list_verb = verb->add_subcommand("list", "all program types with their arguments and ranges");
  list_verb->add_flag("--json", options->json, "one JSON object per type");
  list_verb->add_option("--level", options->level, "only this level");
  CLI::App* show_verb = verb->add_subcommand("show", "the program of one type");
  show_verb->add_option("NAME", options->name, "a program type")->required();
  show_verb->add_option("--arg", options->args, "an argument, name=value; may be repeated")->allow_extra_args(false);
  show_verb->add_option("--dtype", options->dtype, "f16, f32, f64 or bf16")->capture_default_str();
  show_verb->add_option("--emit", options->emit, "leir, torch (a PyTorch file) or graph (JSON)")
      ->check(CLI::IsMember({"leir", "torch", "graph"}))
      ->capture_default_str();
  show_verb->add_option("--profile", options->profile, "paper or compact")->check(CLI::IsMember({"paper", "compact"}));
  show_verb->add_flag("--json", options->json, "one JSON object: the program with its arguments");
  return [options, list_verb, show_verb] {
    if (list_verb->parsed()) return list(*options);
    static_cast<void>(show_verb);
    return show(*options);
  };
}

}  // namespace steptp::cli
