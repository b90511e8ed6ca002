#pragma once

#include "steptp/certify/findings.h"
#include "steptp/certify/judged_pair.h"
#include "steptp/certify/output_points.h"
#include "steptp/certify/settled_outcomes.h"
#include "steptp/certify/shown_ways.h"

namespace steptp::certify {

/// What all parts of the judge work on: the two programs, the elements at which they are compared, what was found, what
/// was shown for every way at once, and which outcomes do not exist.
struct Inquiry {
  Inquiry(const Program& before, const Program& after, const CertifyOptions& options, std::optional<int> kept)
      : pair(before, after, options, kept), points(pair), findings(pair), ways(pair, points) {}

  JudgedPair pair;
  OutputPoints points;
  Findings findings;
  ShownWays ways;
  SettledOutcomes settled;
};

}  // namespace steptp::certify
