// Searches as the command line runs them: programs of a file one after the other, each with its journal and its row.
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/device_problem.h"
#include "cli/import_report.h"
#include "cli/interrupts.h"
#include "cli/refused_root.h"
#include "cli/search_options.h"
#include "cli/search_text.h"
#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"
#include "steptp/import/import_model.h"
#include "steptp/search/folder.h"
#include "steptp/tlm/shipped.h"

namespace steptp::cli {

namespace {

using search::Journal;
using search::SearchFolder;
using search::Stop;

Status failed(const Diagnostic& diagnostic, Status status) {
  print_error(diagnostic);
  return status;
}

/// A model's server, as long as the search takes.
struct Server {
  std::unique_ptr<CurlClient> client;
  std::unique_ptr<ChatServer> endpoint;
};

std::optional<std::string> take_server(const search::SearchSettings& settings, const std::function<bool()>& go_on,
                                       Server& out) {
  if (settings.proposer != search::ProposerKind::model) return std::nullopt;
  const search::ModelSettings& model = settings.model;
  if (model.endpoint.empty() || model.model.empty()) return "--proposer model needs --endpoint and --model";
  ServerOptions options;
  options.base_url = model.endpoint;
  options.seconds = model.seconds;
  options.go_on = go_on;
  if (!model.api_key_variable.empty()) {
    const char* key = std::getenv(model.api_key_variable.c_str());
    if (!key) return concat("--api-key-env: there is no $", model.api_key_variable);
    options.api_key = key;
  }
  out.client = std::make_unique<CurlClient>();
  out.endpoint = std::make_unique<ChatServer>(*out.client, options);
  return std::nullopt;
}

/// What is shown while a search runs.
std::string note_of(const search::Progress& progress) {
  std::string out = concat("best ", seconds_text(progress.best_seconds));
  if (progress.best_seconds > 0) append(out, ", ", times_text(progress.root_seconds / progress.best_seconds));
  if (!progress.last.empty()) append(out, "; ", progress.last);
  return out;
}

Status status_of(const search::SearchResult& result, const std::string& name) {
  switch (result.stop) {
    case Stop::no_proposer:
    case Stop::no_device:
    case Stop::no_journal:
      print_error(
          make_error("search", concat(name, ": ", word_of(result.stop), ": ", result.stop_reason),
                     "what was measured before is kept where --journal was given; steptp search resume goes on"));
      return Status::failed;
    case Stop::interrupted:
      std::fputs(concat(name, ": the search was ended before its budget was spent\n").c_str(), stderr);
      return Status::yes;
    case Stop::samples:
    case Stop::device_seconds:
    case Stop::tokens:
    case Stop::finished:
    case Stop::exhausted:
    case Stop::no_progress: return Status::yes;
  }
  return Status::yes;
}

Status search_one(const SearchFolder& folder, std::size_t program, search::SearchMachinery machinery, bool json) {
  const Document& root = folder.programs[program].root;
  const std::string name = root.program.name.empty() ? concat("program ", program + 1) : root.program.name;
  const auto total = static_cast<std::uint64_t>(folder.settings.budget.samples);
  Progress bar(concat("search ", name), total);
  machinery.progress = [&bar](const search::Progress& progress) {
    bar.update(static_cast<std::uint64_t>(progress.samples), note_of(progress));
  };
  const auto searched = search::search_in(folder, program, machinery, Journal::Mode::write);
  if (!searched) return failed(searched.error(), Status::bad_input);
  const std::string out = json ? searched->row.dump() + "\n" : search_summary(name, folder.settings, searched->result);
  if (!write_out(out)) return Status::failed;
  return status_of(searched->result, name);
}

Status search_all(const SearchFolder& folder, const SearchOptions& options) {
  search::SearchMachinery machinery;
  machinery.judge_command = {"/proc/self/exe", std::string(kJudgeWorkerWord)};
  machinery.jobs = options.jobs == 0 ? default_jobs() : options.jobs;
  machinery.compilers = machinery.jobs;
  machinery.go_on = go_on_until_interrupted();
  machinery.candidates = candidate_options(options.workers, DeviceKind::cpu);
  Server server;
  if (auto problem = take_server(folder.settings, machinery.go_on, server)) return bad_search(*problem);
  machinery.endpoint = server.endpoint.get();
  Status status = Status::yes;
  for (std::size_t i = 0; i < folder.programs.size() && machinery.go_on(); ++i) {
    const auto refused = refused_root(folder.programs[i].root, options.json, "search");
    if (refused) {
      std::fputs(refused->err.c_str(), stderr);
      if (!write_out(refused->out)) return Status::failed;
      status = worse(status, refused->status);
      continue;
    }
    status = worse(status, search_one(folder, i, machinery, options.json));
  }
  return status;
}

/// The one program of a model's archive or Python file; nothing after a message.
std::optional<std::vector<search::SearchProgram>> read_model(const SearchOptions& options) {
  ImportRequest request;
  request.file = options.file;
  request.python = options.python;
  const auto model = import_model(request);
  if (!model) {
    (void)report_import(model.error(), options.file, options.json);
    return std::nullopt;
  }
  for (const std::string& note : model->notes) {
    std::fputs(concat(options.file, ": note: ", note, "\n").c_str(), stderr);
  }
  std::vector<search::SearchProgram> out;
  out.push_back({read_document(options.file, print_document(model->program, Profile::paper)), {}});
  return out;
}

}  // namespace

std::optional<std::vector<search::SearchProgram>> read_search_programs(const SearchOptions& options) {
  if (options.file.ends_with(".pt2") || options.file.ends_with(".py")) return read_model(options);
  const auto content = read_file(options.file);
  if (!content) {
    print_error(content.error());
    return std::nullopt;
  }
  std::vector<Json> baselines;
  if (!options.baseline.empty()) {
    auto read = search::read_baselines(options.baseline);
    if (!read) {
      print_error(read.error());
      return std::nullopt;
    }
    baselines = std::move(read).value();
  }
  std::vector<search::SearchProgram> out;
  const auto add = [&](const std::string& name, const std::string& text) {
    Document root = read_document(name, text);
    if (!root.ok) std::fputs(render(root.diagnostics, *root.source).c_str(), stderr);
    const Json* id = root.record.find("id");
    const std::string number = !id ? "" : id->as_string() ? *id->as_string() : id->dump();
    search::RowContext context = search::context_of(root, number, baselines);
    const bool is_ok = root.ok;
    out.push_back({std::move(root), std::move(context)});
    return is_ok;
  };
  if (!options.file.ends_with(".jsonl")) {
    if (!add(options.file, *content)) return std::nullopt;
    return out;
  }
  std::istringstream lines(*content);
  std::size_t number = 0;
  bool all_ok = true;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      all_ok = add(concat(options.file, ":", number), line) && all_ok;
  }
  if (!all_ok) return std::nullopt;
  if (out.empty()) print_error(make_error("file", concat(options.file, " has no program")));
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

Status bad_search(const std::string& message) {
  print_error(make_error("usage", message, "steptp search --help shows how it is called"));
  return Status::bad_input;
}

namespace {

/// Of the device itself, or of the one that plans are made for.
Status bad_search_device(const SearchOptions& options, const std::string& said) {
  const bool is_target = !options.target.empty();
  const std::string& name = is_target ? options.target : options.device;
  Diagnostic problem =
      device_problem("usage", is_target ? "--target: " : "--device: ", name.substr(name.find(':') + 1), said);
  if (problem.hint.empty()) problem.hint = "steptp search --help shows how it is called";
  return failed(problem, Status::bad_input);
}

}  // namespace

Status start_search(SearchOptions& options) {
  search::SearchSettings& settings = options.settings;
  if (const auto taken = search::take_device(options.device, options.target, settings); !taken)
    return bad_search_device(options, taken.error());
  if (settings.proposer == search::ProposerKind::tlm && settings.proposer_source.empty()) {
    auto shipped = tlm::shipped_weights(settings.rates.name);
    if (!shipped) return failed(shipped.error(), Status::bad_input);
    settings.proposer_source = *std::move(shipped);
  }
  const bool wants_source = settings.proposer == search::ProposerKind::replay ||
                            settings.proposer == search::ProposerKind::tlm ||
                            settings.proposer == search::ProposerKind::command;
  if (wants_source == settings.proposer_source.empty())
    return bad_search(wants_source ? concat("--proposer ", word_of(settings.proposer), " needs --from")
                                   : std::string("--from is for --proposer replay, tlm and command"));
  if (!options.claims.empty()) {
    const auto claims = read_file(options.claims);
    if (!claims) return failed(claims.error(), Status::bad_input);
    settings.claims = sha256_hex(*claims);
  }
  // As published a search ends by itself.
  if (settings.published && !options.has_samples) settings.budget.samples = 0;
  auto programs = read_search_programs(options);
  if (!programs) return Status::bad_input;
  SearchFolder folder{options.journal, settings, *std::move(programs)};
  if (const auto begun = search::begin_folder(folder); !begun) {
    return failed(begun.error(), begun.error().id == "write" ? Status::failed : Status::bad_input);
  }
  return search_all(folder, options);
}

Status resume_search(SearchOptions& options) {
  auto folder = search::read_folder(options.folders.front());
  if (!folder) return failed(folder.error(), Status::bad_input);
  if (options.has_samples) {
    folder->settings.budget.samples = options.settings.budget.samples;
    if (const auto begun = search::begin_folder(*folder); !begun) return failed(begun.error(), Status::failed);
  }
  return search_all(*folder, options);
}

}  // namespace steptp::cli
