#include "cli/search_options.h"

namespace steptp::cli {

Status report_searches(const SearchOptions&) { return bad_search("report comes later"); }

}  // namespace steptp::cli
