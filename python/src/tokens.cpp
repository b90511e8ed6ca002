#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/src/bindings.h"
#include "steptp/documents/token_counts.h"
#include "steptp/text/document.h"
#include "steptp/tokens/qwen3.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// The value; its diagnostic, where there is none, is thrown.
template <typename T>
const T& value_of(const Result<T, Diagnostic>& result) {
  if (!result) throw_one(result.error(), "<text>");
  return *result;
}

nb::tuple tokens_verb(const Program& program) {
  TokenCounts counts;
  {
    const nb::gil_scoped_release release;
    counts = value_of(count_tokens(program, value_of(qwen3_tokenizer())));
  }
  return nb::make_tuple(counts.paper, counts.compact);
}

std::string copy_of(const nb::bytes& text) { return {text.c_str(), text.size()}; }

std::size_t count_verb(const nb::bytes& text) {
  const std::string copy = copy_of(text);
  const nb::gil_scoped_release release;
  return value_of(value_of(qwen3_tokenizer()).count(copy));
}

TokenIds encode_verb(const nb::bytes& text) {
  const std::string copy = copy_of(text);
  const nb::gil_scoped_release release;
  return value_of(value_of(qwen3_tokenizer()).encode(copy));
}

std::string decode_verb(const TokenIds& ids, bool skip_special) {
  const nb::gil_scoped_release release;
  return value_of(qwen3_tokenizer()).decode(ids, skip_special);
}

}  // namespace

void bind_tokens(nb::module_& module) {
  module.def("tokens", &tokens_verb, nb::arg("program"));
  module.def("count_tokens", &count_verb, nb::arg("text"));
  module.def("encode", &encode_verb, nb::arg("text"));
  module.def("decode", &decode_verb, nb::arg("ids"), nb::arg("skip_special"));
}

}  // namespace steptp::python
