#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/documents/check_document.h"
#include "steptp/documents/usable.h"
#include "steptp/endpoint/http.h"
#include "steptp/search/command_proposer.h"
#include "steptp/search/folder.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

using search::Journal;

void require_ok(const Document& document) {
  if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
  const Diagnostics unusable = find_unusable(document);
  if (!unusable.empty()) throw_diagnostics(unusable, *document.source);
  const CheckReport report = check_document(document);
  if (report.verdict != CheckReport::Verdict::ok) throw_diagnostics(report.diagnostics, *document.source);
}

[[noreturn]] void throw_problem(const Diagnostic& problem) { throw_diagnostics({problem}, Source("search", "")); }

/// A Python function: JSON in, JSON out. What it raises ends the search, which passes it on.
class FunctionProposer : public search::Proposer {
 public:
  FunctionProposer(const nb::object& function, const Document& root) : function_(function), root_(root) {}

  Result<search::Proposals, search::ProposerFailure> propose(const search::Question& question) override {
    const std::string asked = search::question_json(question, root_).dump();
    const nb::gil_scoped_acquire hold;
    try {
      return search::foreign_proposals(nb::cast<std::string>(function_(asked)));
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return search::ProposerFailure{"the function raised an exception"};
    }
  }
  std::optional<nb::python_error>& raised() { return raised_; }

 private:
  const nb::object& function_;
  const Document& root_;
  std::optional<nb::python_error> raised_;
};

/// Settings as JSON keys over those that a search has without any.
search::SearchSettings settings_of(const Json& given, const std::string& device, const std::string& target) {
  search::SearchSettings out;
  if (const auto taken = search::take_device(device, target, out); !taken) throw nb::value_error(taken.error().c_str());
  Json all = search::to_json(out);
  Json merged;
  for (const auto& [key, value] : *all.as_object()) {
    const Json* own = given.find(key);
    merged.set(key, own ? *own : value);
  }
  auto read = search::settings_from_json(merged);
  if (!read) throw nb::value_error(read.error().c_str());
  return std::move(read).value();
}

nb::tuple searched(const search::SearchFolder& folder, std::size_t program, search::SearchMachinery machinery,
                   Journal::Mode mode, FunctionProposer* own) {
  SignalWatch watch;
  machinery.go_on = [&] { return watch.go_on(); };
  auto done = [&] {
    const nb::gil_scoped_release release;
    return search::search_in(folder, program, machinery, mode);
  }();
  if (own && own->raised()) throw std::move(*own->raised());
  if (watch.raised()) throw nb::python_error();
  if (!done) throw_problem(done.error());
  const search::Node& best = done->result.best();
  return nb::make_tuple(nb::cast(best.program.value_or(folder.programs[program].root.program)),
                        text_object(done->row.dump()));
}

/// (program, row as JSON)
nb::tuple search_verb(const Document& document, const std::string& settings_text, const std::string& device,
                      const std::string& target, const std::string& journal, const nb::object& proposer,
                      std::uint64_t jobs) {
  require_ok(document);
  const auto given = parse_json(settings_text);
  if (!given) throw nb::value_error("the settings are no JSON");
  search::SearchFolder folder{journal, settings_of(*given, device, target), {}};
  folder.programs.push_back({document, {}});
  if (const auto begun = search::begin_folder(folder); !begun) throw_problem(begun.error());
  search::SearchMachinery machinery;
  machinery.judge_command = worker_command(WorkerKind::judge);
  machinery.candidates.worker = worker_command(WorkerKind::candidates);
  machinery.jobs = jobs == 0 ? default_jobs() : static_cast<unsigned>(jobs);
  CurlClient client;
  ServerOptions server;
  server.base_url = folder.settings.model.endpoint;
  server.seconds = folder.settings.model.seconds;
  ChatServer endpoint(client, server);
  machinery.endpoint = &endpoint;
  std::optional<FunctionProposer> own;
  if (!proposer.is_none()) {
    own.emplace(proposer, document);
    machinery.proposer = &*own;
  }
  return searched(folder, 0, machinery, Journal::Mode::write, own ? &*own : nullptr);
}

/// What a folder has: a list of (program, row as JSON).
nb::list read_search(const std::string& path) {
  const auto folder = search::read_folder(path);
  if (!folder) throw_problem(folder.error());
  nb::list out;
  for (std::size_t i = 0; i < folder->programs.size(); ++i)
    out.append(searched(*folder, i, {}, Journal::Mode::read, nullptr));
  return out;
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("search", &search_verb, nb::arg("document"), nb::arg("settings"), nb::arg("device"), nb::arg("target"),
             nb::arg("journal"), nb::arg("proposer").none(), nb::arg("jobs"));
  module.def("read_search", &read_search, nb::arg("folder"));
}

}  // namespace steptp::python
