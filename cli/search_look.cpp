// What is kept of a search, looked at: it is made again from its journals, and nothing is asked or measured.
#include <map>
#include <optional>

#include "cli/search_options.h"
#include "cli/search_text.h"
#include "steptp/base/text.h"
#include "steptp/documents/lower_document.h"
#include "steptp/optimize/output_folder.h"
#include "steptp/report/report.h"
#include "steptp/search/folder.h"
#include "steptp/text/document.h"

namespace steptp::cli {

namespace {

using search::Journal;
using search::SearchedProgram;
using search::SearchFolder;

Status failed(const Diagnostic& diagnostic, Status status) {
  print_error(diagnostic);
  return status;
}

std::string name_of(const SearchFolder& folder, std::size_t program) {
  const std::string& name = folder.programs[program].root.program.name;
  return name.empty() ? concat("program ", program + 1) : name;
}

/// `look` for each program of a folder that has a journal.
template <typename Look>
Status for_each_search(const std::string& path, const Look& look) {
  const auto folder = search::read_folder(path);
  if (!folder) return failed(folder.error(), Status::bad_input);
  const search::SearchMachinery nothing;
  for (std::size_t i = 0; i < folder->programs.size(); ++i) {
    const auto searched = search::search_in(*folder, i, nothing, Journal::Mode::read);
    if (!searched) return failed(searched.error(), Status::bad_input);
    if (const Status status = look(*folder, i, *searched); status != Status::yes) return status;
  }
  return Status::yes;
}

std::string stats_text(const std::string& name, const search::SearchResult& result) {
  std::vector<std::vector<std::string>> lines = {{"samples", concat(result.samples)},
                                                 {"asks", concat(result.asks)},
                                                 {"proposed", concat(result.scored)},
                                                 {"measured", concat(result.measured)},
                                                 {"tokens", concat(result.tokens)}};
  const Json outcomes = search::outcomes_of(result);
  for (const auto& [word, count] : *outcomes.as_object()) lines.push_back({word, concat(*count.as_integer())});
  lines.push_back({"ended by", std::string(word_of(result.stop))});
  return concat(name, "\n", aligned(lines, 1, {"  ", "  "}));
}

/// What a winner that is no plan comes with.
std::map<std::string, std::string> program_files(const Document& root, const SearchedProgram& searched) {
  std::map<std::string, std::string> out;
  out["root.leir"] = print_document(root.program, Profile::paper);
  out["program.leir"] = print_document(*searched.result.best().program, Profile::paper);
  if (const Json* recipe = searched.row.find("recipe"); recipe->as_array()) {
    Json file;
    out["recipe.json"] = file.set("steps", *recipe).dump() + "\n";
  }
  ApartOptions how;
  how.command = {"/proc/self/exe", std::string(kJudgeWorkerWord)};
  how.with_certificate = true;
  how.seconds = 60;
  Document after = root;
  after.program = *searched.result.best().program;
  const ApartAnswer answer = verify_apart(make_pair(root, after), how);
  out["verdict.json"] = answer.answer.dump() + "\n";
  if (!answer.certificate.empty()) out["certificates/01.json"] = answer.certificate;
  return out;
}

/// What a winner that is a plan comes with: as `optimize` writes it, judged anew with certificates.
Result<std::map<std::string, std::string>, std::string> plan_files(const SearchFolder& folder, std::size_t program,
                                                                   const search::Node& winner) {
  const Document& root = folder.programs[program].root;
  OptimizeRequest request;
  request.rates = folder.settings.rates;
  request.target = plan_target(request.rates);
  request.judging.command = {"/proc/self/exe", std::string(kJudgeWorkerWord)};
  request.judging.seed = folder.settings.seed;
  request.judging.seconds = 60;
  const auto done = optimize_by(root, search::plan_of_node(root, folder.settings, winner), request);
  if (!done) return done.error();
  if (done->fallback) return done->reason;
  return files_of(root, *done, request);
}

Status write_best(const SearchFolder& folder, std::size_t program, const SearchedProgram& searched,
                  const std::string& output) {
  const search::Node& winner = searched.result.best();
  const Document& root = folder.programs[program].root;
  std::map<std::string, std::string> files;
  if (winner.candidate.plan) {
    auto made = plan_files(folder, program, winner);
    if (!made) {
      return failed(
          make_error("search", concat(name_of(folder, program), ": the winner is not shown again: ", made.error())),
          Status::undecided);
    }
    files = std::move(made).value();
  } else {
    files = program_files(root, searched);
  }
  files["row.json"] = searched.row.dump() + "\n";
  Document fast = root;
  fast.program = *winner.program;
  LowerRequest lowering;
  if (const auto text = lower_document(fast, lowering)) files["program.cu"] = text->text;
  const std::string path = folder.programs.size() == 1 ? output : concat(output, "/", program + 1);
  const auto written = write_answer(path, files);
  return written ? Status::yes : failed(written.error(), Status::failed);
}

}  // namespace

Status show_search(const SearchOptions& options) {
  return for_each_search(
      options.folders.front(), [&](const SearchFolder& folder, std::size_t i, const SearchedProgram& searched) {
        if (options.json) return write_out(searched.row.dump() + "\n") ? Status::yes : Status::failed;
        const std::string name = name_of(folder, i);
        return write_out(concat(search_summary(name, folder.settings, searched.result), tree_text(searched.result)))
                   ? Status::yes
                   : Status::failed;
      });
}

Status search_stats(const SearchOptions& options) {
  return for_each_search(
      options.folders.front(), [&](const SearchFolder& folder, std::size_t i, const SearchedProgram& searched) {
        if (!options.json) {
          return write_out(stats_text(name_of(folder, i), searched.result)) ? Status::yes : Status::failed;
        }
        Json out;
        for (const char* key :
             {"program", "samples", "asks", "proposed", "measured", "tokens", "outcomes", "device_seconds", "stop"}) {
          out.set(key, *searched.row.find(key));
        }
        return write_out(out.dump() + "\n") ? Status::yes : Status::failed;
      });
}

Status best_of_search(const SearchOptions& options) {
  if (options.output.empty()) return bad_search("steptp search best needs -o, the folder for the winner");
  return for_each_search(options.folders.front(), [&](const SearchFolder& folder, std::size_t i,
                                                      const SearchedProgram& searched) {
    if (searched.result.curve.empty()) {
      return failed(make_error("journal", concat(name_of(folder, i), ": the search has not begun")), Status::bad_input);
    }
    return write_best(folder, i, searched, options.output);
  });
}

}  // namespace steptp::cli
