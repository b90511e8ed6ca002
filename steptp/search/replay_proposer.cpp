#include "steptp/search/replay_proposer.h"

#include <set>
#include <sstream>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/plans/plan.h"
#include "steptp/search/journal.h"

namespace steptp::search {

namespace {

/// Whether the first line is that of a journal for this root.
std::optional<Diagnostic> other_root(const std::string& path, const Json& header, const Document& root) {
  const Json* format = header.find("format");
  if (!format || !format->as_string() || *format->as_string() != kJournalFormat)
    return make_error("journal", concat("'", path, "' is no journal of a search"));
  const Json* theirs = header.find("root");
  const Document read = theirs ? read_document(path, theirs->dump()) : Document();
  if (read.ok && root_hash(read.program) == root_hash(root.program)) return std::nullopt;
  return make_error("journal", concat("'", path, "' is the journal of a search of another program"));
}

}  // namespace

Result<std::unique_ptr<ReplayProposer>, Diagnostic> ReplayProposer::read(const std::string& path,
                                                                         const Document& root) {
  const auto content = read_file(path);
  if (!content) return content.error();
  auto out = std::make_unique<ReplayProposer>();
  std::istringstream lines(*content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    ++number;
    const auto row = parse_json(line);
    if (!row) return make_error("journal", concat("'", path, "', line ", number, ": this is no line of a journal"));
    if (number == 1) {
      if (auto problem = other_root(path, *row, root)) return *std::move(problem);
      continue;
    }
    const Json* kind = row->find("kind");
    const Json* value = row->find("value");
    if (!kind || !kind->as_string() || *kind->as_string() != "answer" || !value) continue;
    auto answer = proposals_from_json(*value);
    if (!answer) return make_error("journal", concat("'", path, "', line ", number, ": ", answer.error()));
    for (Candidate& candidate : answer->candidates) {
      // A step says what it does to one program only; whole plans and programs can be proposed anywhere.
      if (candidate.problem.empty() && !candidate.step) out->candidates_.push_back(std::move(candidate));
    }
  }
  if (number == 0) return make_error("journal", concat("'", path, "' is empty"));
  return out;
}

Result<Proposals, ProposerFailure> ReplayProposer::propose(const Question& question) {
  std::set<std::string> before;
  for (const Node& node : question.tree->nodes()) before.insert(to_json(node.candidate).dump());
  Proposals out;
  for (const Candidate& candidate : candidates_) {
    if (out.candidates.size() == question.wanted) break;
    if (before.insert(to_json(candidate).dump()).second) out.candidates.push_back(candidate);
  }
  return out;
}

}  // namespace steptp::search
