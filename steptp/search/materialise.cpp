#include "steptp/search/materialise.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/documents/usable.h"
#include "steptp/recipe/recipe.h"
#include "steptp/search/search.h"

namespace steptp::search {

namespace {

/// A text longer than this is no answer.
constexpr std::size_t kLongestProgram = std::size_t{4} << 20;

std::string first_of(const Diagnostics& diagnostics) {
  for (const Diagnostic& one : diagnostics) {
    if (one.severity == Severity::error) return one.message;
  }
  return "it cannot be read";
}

void read_text(const Document& root, const std::string& text, Node& out) {
  out.outcome = Outcome::unreadable;
  if (text.size() > kLongestProgram) {
    out.reason = concat("the program has ", text.size(), " bytes");
    return;
  }
  Document document = read_program_text("candidate", text, root.program.signature);
  if (!document.ok) {
    out.reason = first_of(document.diagnostics);
    return;
  }
  document.program.name = root.program.name;
  if (const Diagnostics unusable = find_unusable(document); !unusable.empty()) {
    out.outcome = Outcome::invalid;
    out.reason = first_of(unusable);
    out.key = program_key(document.program);
    return;
  }
  out.outcome = Outcome::fresh;
  out.program = std::move(document.program);
}

void make_program(const Document& root, const std::string& target, const Node& parent, const Candidate& candidate,
                  Node& out) {
  out.outcome = Outcome::refused;
  if (candidate.plan) {
    auto made = made_of(root.program, target, *candidate.plan);
    if (!made) {
      out.reason = made.error();
      return;
    }
    out.program = std::move(made->moved.program);
  } else if (candidate.step) {
    auto made = replay(*parent.program, Recipe{*candidate.step});
    if (!made) {
      out.reason = to_text(made.error(), 1);
      return;
    }
    out.program = std::move(made->program);
  } else {
    return read_text(root, *candidate.leir, out);
  }
  out.outcome = Outcome::fresh;
}

}  // namespace

Node materialise(const Document& root, const std::string& target, const Tree& tree, std::size_t parent,
                 const Candidate& candidate) {
  Node out;
  out.parent = parent;
  out.candidate = candidate;
  if (!candidate.problem.empty()) {
    out.outcome = Outcome::unreadable;
    out.reason = candidate.problem;
    return out;
  }
  make_program(root, target, tree.at(parent), candidate, out);
  if (out.is_fresh()) out.key = program_key(*out.program);
  if (out.key.empty()) return out;
  const auto known = tree.find(out.key);
  if (!known) return out;
  out.is = known;
  out.outcome = out.key == tree.at(parent).key ? Outcome::same : Outcome::known;
  out.key.clear();
  out.program.reset();
  return out;
}

}  // namespace steptp::search
