#include "cli/apply_state.h"

#include <filesystem>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/usable.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

Diagnostic damaged(const std::string& file, std::string_view why) {
  return make_error("state", concat("'", file, "' holds no state of apply: ", why), "name another file to begin anew");
}

}  // namespace

Result<ApplyState, Diagnostic> ApplyState::open(const std::string& file, const std::string& root) {
  ApplyState out;
  out.file_ = file;
  const bool is_there = std::filesystem::exists(file);
  if (root.empty() && !is_there) {
    return make_error("usage", concat("there is no '", file, "' yet"), "FILE names the program that it begins with");
  }
  if (!root.empty() && is_there) {
    return make_error("usage", concat("'", file, "' holds the steps of a program already"),
                      "leave out FILE to go on with it, or name another file");
  }
  if (is_there) {
    const auto content = read_file(file);
    if (!content) return content.error();
    const auto kept = parse_json(*content);
    if (!kept) return damaged(file, kept.error().message);
    if (auto problem = out.take(*kept)) return *std::move(problem);
  } else {
    auto content = read_file(root);
    if (!content) return content.error();
    const Document read = read_document(root, std::move(content).value());
    // As it is printed, so that the file needs no other.
    out.root_ = read.ok ? print_document(read.program, read.profile) : "";
    if (!read.ok)
      return make_error("state", concat("'", root, "' holds no program"), concat("steptp check ", root, " says why"));
  }
  if (auto problem = out.make_document()) return *std::move(problem);
  return out;
}

std::optional<Diagnostic> ApplyState::take(const Json& kept) {
  const Json* root = kept.as_object() ? kept.find("root") : nullptr;
  const Json* calls = kept.as_object() ? kept.find("calls") : nullptr;
  if (!root || !root->as_string() || !calls || !calls->as_array()) return damaged(file_, "it has no root and no calls");
  auto steps = recipe_from_json(kept);
  if (!steps) return damaged(file_, steps.error());
  root_ = *root->as_string();
  steps_ = std::move(steps).value();
  for (const Json& call : *calls->as_array()) {
    const std::int64_t* number = call.as_integer();
    if (!number || *number < 0 || static_cast<std::size_t>(*number) >= steps_.size())
      return damaged(file_, "its calls");
    calls_.push_back(static_cast<std::size_t>(*number));
  }
  return std::nullopt;
}

std::optional<Diagnostic> ApplyState::make_document() {
  document_ = read_document(file_, root_);
  if (!document_.ok) return damaged(file_, "its root is no program");
  if (const Diagnostics found = find_unusable(document_); !found.empty()) return found.front();
  if (steps_.empty()) return std::nullopt;
  auto replayed = replay(document_.program, steps_);
  if (!replayed) return damaged(file_, to_text(replayed.error(), steps_.size()));
  // Read again, so that messages point into the text as it stands.
  document_ = read_document(file_, print_document(replayed->program, document_.profile));
  return std::nullopt;
}

Result<bool, Diagnostic> ApplyState::add(const Recipe& steps) {
  calls_.push_back(steps_.size());
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  return write();
}

Result<bool, Diagnostic> ApplyState::undo() {
  if (calls_.empty()) return make_error("state", concat("'", file_, "' has no step to take back"));
  steps_.resize(calls_.back());
  calls_.pop_back();
  if (auto problem = make_document()) return *std::move(problem);
  return write();
}

Result<bool, Diagnostic> ApplyState::write() const {
  Json::Array calls;
  for (const std::size_t number : calls_) calls.emplace_back(static_cast<std::int64_t>(number));
  Json out = to_json(steps_);
  out.set("root", root_).set("calls", std::move(calls));
  return write_file(file_, out.dump() + "\n");
}

}  // namespace steptp::cli
