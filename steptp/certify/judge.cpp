// Two programs are compared at single elements of their outputs and at drawn inputs. First come cheap looks for a
// difference, then generic draws, which show that the programs agree almost everywhere. What depends on order is then
// shown for every way at once, or looked at way by way: special draws, both outcomes of every branch, combinations of
// outcomes. A step that finds a difference, or cannot go on, decides; where none does, the programs are equal as far
// as evaluation can tell. docs/decisions/0010-certified-evaluation.md, 0012, and 0046 for the parts.
#include "steptp/certify/judge.h"

#include "steptp/certify/combined_ways.h"
#include "steptp/certify/first_looks.h"

namespace steptp::certify {

CertifiedAnswer Judge::run() {
  static_cast<void>(decide());
  CertifiedAnswer answer = inquiry_.findings.answer();
  if (!inquiry_.ways.reason().empty()) answer.not_in_every_way = inquiry_.ways.reason();
  answer.work = inquiry_.pair.spent();
  return answer;
}

Progress Judge::decide() {
  Findings& findings = inquiry_.findings;
  if (!inquiry_.pair.model.problem.empty()) return findings.undecided(inquiry_.pair.model.problem);
  inquiry_.points.choose();
  if (is_decided(look_first())) return Progress::decided;
  inquiry_.ways.show();
  if (is_decided(findings.refuse_hazards(inquiry_.ways))) return Progress::decided;
  const bool was_shown = inquiry_.ways.is_shown();
  if (is_decided(look_around())) return Progress::decided;
  // What was looked at since may have shown less than the first elements did.
  if (was_shown && !inquiry_.ways.is_shown() && is_decided(look_around())) return Progress::decided;
  if (is_decided(CombinedWays(inquiry_).compare()) || is_decided(draws_.make_solid())) return Progress::decided;
  return findings.conclude(inquiry_.points, inquiry_.ways);
}

Progress Judge::look_first() {
  FirstLooks first(inquiry_);
  const bool is_found = is_decided(first.bools_of_one_kind()) || is_decided(first.first_elements()) ||
                        is_decided(first.sweep()) || is_decided(compare_windows()) || is_decided(draws_.generic()) ||
                        is_decided(draws_.patterns_of_bools()) || is_decided(draws_.hidden_elements());
  return is_found ? Progress::decided : Progress::go_on;
}

Progress Judge::look_around() {
  const bool is_found = is_decided(draws_.special()) || is_decided(draws_.peaks()) || is_decided(branches_.cover()) ||
                        is_decided(draws_.edges_of_data());
  return is_found ? Progress::decided : Progress::go_on;
}

}  // namespace steptp::certify
