#include "steptp/ir/canonical.h"
#include "steptp/plans/plan.h"
#include "steptp/search/search.h"

namespace steptp::search {

double SearchResult::root_seconds() const { return final_times ? final_times->root.seconds : tree.at(0).seconds; }
double SearchResult::best_seconds() const { return final_times ? final_times->winner.seconds : best().seconds; }

Json journal_header(const Document& root, const Json& settings) {
  Json out;
  out.set("format", kJournalFormat).set("root", steptp::to_json(root.program, Profile::paper));
  return out.set("settings", settings);
}

std::string program_key(const Program& program) { return root_hash(canonical(program)); }

}  // namespace steptp::search
