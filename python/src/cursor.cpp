#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/cursor/facts_json.h"
#include "steptp/cursor/sentence.h"
#include "steptp/documents/check_document.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

using cursor::Cursor;
using cursor::Quality;
using cursor::SpacePtr;
using cursor::Token;

/// nanobind wants a complete type, and a space has none outside its layer.
struct PlanSpace {
  SpacePtr space;
};

template <class Value>
Value valid(Result<Value, std::string> result) {
  if (!result) throw nb::value_error(result.error().c_str());
  return std::move(result).value();
}

Token token_named(const std::string& word) {
  const auto token = cursor::find_token(word);
  if (!token) throw nb::value_error(concat("'", word, "' is not in the vocabulary").c_str());
  return *token;
}

Quality quality_of(const nb::object& quality) {
  if (quality.is_none()) return std::nullopt;
  return nb::cast<int>(quality);
}

PlanSpace open(const Document& document, const std::string& device) {
  if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
  const CheckReport report = check_document(document);
  if (report.verdict == CheckReport::Verdict::errors) throw_diagnostics(report.diagnostics, *document.source);
  const auto target = valid(cursor::find_target(device));
  const nb::gil_scoped_release release;
  return {valid(cursor::open_space(document.program, target))};
}

Cursor replay(const PlanSpace& space, const std::string& sentence) {
  const auto tokens = valid(cursor::tokens_of_text(sentence));
  const nb::gil_scoped_release release;
  return valid(cursor::replay_sentence(space.space, tokens));
}

Cursor replay_alone(const std::string& sentence) {
  const auto tokens = valid(cursor::tokens_of_text(sentence));
  const nb::gil_scoped_release release;
  return valid(cursor::replay_sentence(tokens));
}

std::vector<std::string> legal(const Cursor& cursor) {
  std::vector<std::string> out;
  for (const Token token : cursor.legal()) out.emplace_back(cursor::word_of_token(token));
  return out;
}

nb::object next(const Cursor& cursor) {
  if (cursor.is_complete()) return nb::none();
  const cursor::Question question = cursor.next();
  return nb::make_tuple(std::string(cursor::word_of_token(question.opcode)),
                        std::string(cursor::word_of_token(question.object)));
}

void put(Cursor& cursor, const std::string& value) { (void)valid(cursor.put(token_named(value))); }

std::string sentence(const Cursor& cursor, const nb::object& quality) {
  return cursor::sentence_text(valid(cursor::sentence_of(cursor, quality_of(quality))));
}

std::string finish(const Cursor& cursor) {
  const nb::gil_scoped_release release;
  return cursor::to_json(valid(cursor.finish())).dump();
}

std::string facts(const Cursor& cursor) {
  const nb::gil_scoped_release release;
  return cursor::to_json(valid(cursor.facts())).dump();
}

}  // namespace

void bind_cursor(nb::module_& module) {
  nb::class_<PlanSpace>(module, "PlanSpace")
      .def("cursor", [](const PlanSpace& space) { return Cursor(space.space); })
      .def("draw", [](const PlanSpace& space, std::uint64_t seed,
                      std::uint64_t number) { return cursor::drawn_cursor(space.space, seed, number); })
      .def("replay", &replay)
      .def(
          "prompt",
          [](const PlanSpace& space, const nb::object& quality) {
            return cursor::sentence_text(valid(cursor::prompt_of(*space.space, quality_of(quality))));
          },
          nb::arg("quality").none());
  nb::class_<Cursor>(module, "PlanCursor")
      .def_prop_ro("complete", &Cursor::is_complete)
      .def("next", &next)
      .def("legal", &legal)
      .def("put", &put)
      .def("fork", [](const Cursor& cursor) { return cursor.fork(); })
      .def("text", &Cursor::text)
      .def("sentence", &sentence, nb::arg("quality").none())
      .def("finish", &finish)
      .def("facts", &facts);
  module.def("open_plan_space", &open, nb::arg("document"), nb::arg("device"));
  module.def("replay_sentence", &replay_alone, nb::arg("sentence"));
  module.def("plan_vocabulary", &cursor::vocabulary);
}

}  // namespace steptp::python
