// A program that stands alone is evaluated itself. Candidates of one root are compared with the root's elements, within
// bounds that hold in any order; only where those say nothing, or are not met, is a candidate evaluated. A candidate
// that is wrong gains nothing by that: every one of the root's elements has to be certified of it, and to agree.
#include "steptp/measure/comparisons.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/base/text.h"

namespace steptp {

namespace {

/// Of each output.
constexpr std::uint32_t kCheckedElements = 8;

const ExpectedElement* find_place(const Expectations& in, const ExpectedElement& place) {
  for (const ExpectedElement& element : in.elements) {
    if (element.output == place.output && element.position == place.position) return &element;
  }
  return nullptr;
}

}  // namespace

bool have_same_variables(const Program& one, const Program& other) {
  const auto same = [](const Variable& x, const Variable& y) {
    return x.name == y.name && x.role == y.role && x.dtype == y.dtype && x.shape == y.shape;
  };
  const auto& a = one.signature.variables;
  const auto& b = other.signature.variables;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool Comparisons::has_inputs_of_first(std::size_t i) const {
  return request_.root || have_same_variables(*request_.programs[i], *request_.programs[0]);
}

const Program& Comparisons::drawn_for(std::size_t i) const {
  if (request_.root) return request_.root->root();
  return *request_.programs[has_inputs_of_first(i) ? 0 : i];
}

Expectations Comparisons::own(std::size_t i) const {
  return expected_elements(*request_.programs[i], drawn_for(i), seed(), kCheckedElements, request_.check_operations,
                           order_);
}

void Comparisons::evaluate(std::size_t i) {
  has_own_.push_back(request_.root == nullptr);
  if (!request_.root) return expectations_.push_back(own(i));
  expectations_.push_back(request_.root->expectations());
  std::set<std::string> lacking;
  for (const Variable& variable : request_.root->root().signature.variables) {
    if (variable.role == Role::output && !request_.root->covers(variable.name)) lacking.insert(variable.name);
  }
  if (lacking.empty()) return;
  Expectations added = own(i);
  for (ExpectedElement& element : added.elements) {
    if (lacking.contains(element.output)) expectations_.back().elements.push_back(std::move(element));
  }
  expectations_.back().problem = std::move(added.problem);
}

std::optional<std::string> Comparisons::difference_from_first(std::size_t i) const {
  if (request_.root || i == 0 || !has_inputs_of_first(i)) return std::nullopt;
  for (const ExpectedElement& element : expectations_[i].elements) {
    const ExpectedElement* first = find_place(expectations_[0], element);
    if (!first || may_be_equal(element, *first)) continue;
    return concat("is another function than the first program: they differ at element ", element.position, " of ",
                  element.output);
  }
  return std::nullopt;
}

bool Comparisons::take_own(std::size_t i) {
  if (has_own_[i]) return false;
  has_own_[i] = true;
  const Expectations& root = request_.root->expectations();
  Expectations found = expected_elements_at(*request_.programs[i], drawn_for(i), seed(), root.elements,
                                            request_.check_operations, RunOrder::any);
  for (const ExpectedElement& place : root.elements) {
    const ExpectedElement* element = find_place(found, place);
    if (!element || !may_be_equal(*element, place)) return false;
  }
  // What the root says nothing of was this program's own before.
  for (ExpectedElement& element : expectations_[i].elements) {
    if (!request_.root->covers(element.output)) found.elements.push_back(std::move(element));
  }
  expectations_[i] = std::move(found);
  return true;
}

}  // namespace steptp
