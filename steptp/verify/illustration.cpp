// A difference at a large shape is hard to read. The extents of both programs are made small, the smaller programs
// are checked and judged again, and if they differ too, the element is also run on the oracle. It is an
// illustration: it proves nothing about the programs that were given.
#include "steptp/verify/illustration.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

constexpr std::int64_t kSmall = 8;  ///< extents up to this are no trouble
constexpr std::int64_t kLeast = 3;
constexpr std::uint64_t kOperations = 4'000'000;
constexpr std::uint64_t kRunOperations = 1'000'000;
/// A difference of so many parts of the larger value is seen.
constexpr double kVisible = 0x1p-6;

void collect_extents(const Program& program, std::set<std::int64_t>& out) {
  for (const Variable& variable : program.signature.variables) out.insert(variable.shape.begin(), variable.shape.end());
  for_each_equation(program, [&](const Equation&, const std::vector<const Nest*>& nests) {
    for (const Nest* nest : nests) {
      for (const Loop& loop : nest->loops) out.insert(loop.extent);
    }
  });
}

/// Different extents stay different, in the same order; the last index of one goes with it.
std::map<std::int64_t, std::int64_t> smaller(const std::set<std::int64_t>& extents) {
  std::map<std::int64_t, std::int64_t> map;
  std::int64_t next = kLeast;
  for (const std::int64_t extent : extents) {
    if (extent > kLeast) map[extent] = next++;
  }
  for (const std::int64_t extent : extents) {
    if (extent > kSmall) map.try_emplace(extent - 1, map[extent] - 1);
  }
  return map;
}

/// Whole numbers of the text, of which some are others now. Decimals, and digits of names and types, are not numbers.
std::string with_numbers(const std::string& text, const std::map<std::int64_t, std::int64_t>& map) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_word = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.' || text[at] == '_';
    };
    if (!is_word(i)) {
      out += text[i++];
      continue;
    }
    // A word, with the sign of an exponent.
    std::size_t end = i;
    while (end < text.size() && (is_word(end) || ((text[end] == '-' || text[end] == '+') && text[end - 1] == 'e' &&
                                                  std::isdigit(static_cast<unsigned char>(text[i])) != 0))) {
      // In A^{f32,g}_{tx} the underscore ends a word.
      if (text[end] == '_' && end > i) break;
      ++end;
    }
    const std::string_view word(text.data() + i, end - i);
    std::int64_t number = 0;
    const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const auto known = error == std::errc() && last == word.data() + word.size() ? map.find(number) : map.end();
    out += known == map.end() ? std::string(word) : std::to_string(known->second);
    i = end;
  }
  return out;
}

std::optional<Program> shrunk(const Program& program, const std::map<std::int64_t, std::int64_t>& map) {
  std::string text;
  const std::string whole = print_document(program, Profile::paper);
  for (std::size_t i = 0; i < whole.size();) {
    const std::size_t end = std::min(whole.find('\n', i), whole.size() - 1) + 1;
    const std::string line = whole.substr(i, end - i);
    // Values are data, and as many as the shape says.
    text += line.find(" values ") == std::string::npos ? with_numbers(line, map) : line;
    i = end;
  }
  Document document = read_document("illustration", text);
  if (!document.ok || check_program(document.program).verdict != CheckReport::Verdict::ok) return std::nullopt;
  return std::move(document.program);
}

std::optional<Tensors> tensors_of(const Signature& signature, const certify::GivenInputs& given) {
  Tensors out;
  for (const Variable& variable : signature.variables) {
    if (variable.role == Role::output) continue;
    if (!variable.values.empty()) {
      auto constant = constant_tensor(variable);
      if (!constant) return std::nullopt;
      out.emplace(variable.name, std::move(*constant));
      continue;
    }
    const auto fill = given.fill.find(variable.name);
    const auto count = element_count(variable.shape);
    if (fill == given.fill.end() || !count) return std::nullopt;
    const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
    Tensor tensor{variable.dtype, variable.shape, std::vector<std::byte>(static_cast<std::size_t>(*count) * width)};
    const auto put = [&](std::int64_t position, const certify::GivenValue& value) {
      const Scalar scalar = value.is_integer ? Scalar::integer(variable.dtype, value.integer)
                                             : Scalar::real(variable.dtype, certify::to_double(value.real));
      store(scalar, tensor.data.data() + static_cast<std::size_t>(position) * width);
    };
    for (std::int64_t i = 0; i < *count; ++i) put(i, fill->second);
    for (const auto& [element, value] : given.elements) {
      if (element.first != variable.name) continue;
      std::int64_t position = 0;
      for (std::size_t d = 0; d < element.second.size(); ++d)
        position = position * variable.shape[d] + element.second[d];
      put(position, value);
    }
    out.emplace(variable.name, std::move(tensor));
  }
  return out;
}

std::optional<Scalar> element_of(const Program& program, const Tensors& inputs,
                                 const certify::Counterexample& example) {
  RunOptions options;
  options.budget = kRunOperations;
  options.elements = {{example.output, example.index}};
  auto result = run(program, inputs, options);
  return result && !result->elements.empty() ? std::optional(result->elements[0]) : std::nullopt;
}

bool is_visible(const Scalar& a, const Scalar& b) {
  if (!is_float(a.dtype())) return a.as_integer() != b.as_integer();
  const double x = a.as_real();
  const double y = b.as_real();
  if (!std::isfinite(x)) return false;
  return !std::isfinite(y) || std::fabs(x - y) > kVisible * std::max(std::fabs(x), std::fabs(y));
}

std::string text_of(const Scalar& value) {
  if (!is_float(value.dtype())) return std::to_string(value.as_integer());
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.as_real()).ptr};
}

}  // namespace

std::optional<Illustration> illustrate(const Program& before, const Program& after) {
  std::set<std::int64_t> extents;
  collect_extents(before, extents);
  collect_extents(after, extents);
  if (extents.empty() || *extents.rbegin() <= kSmall) return std::nullopt;
  const auto map = smaller(extents);
  auto old_program = shrunk(before, map);
  auto new_program = old_program ? shrunk(after, map) : std::nullopt;
  if (!new_program || !(old_program->signature == new_program->signature)) return std::nullopt;
  certify::CertifyOptions options;
  options.budget_operations = kOperations;
  const certify::CertifiedAnswer answer = certify::certify(*old_program, *new_program, options);
  if (answer.verdict != certify::CertifiedAnswer::Verdict::differs || !answer.counterexample) return std::nullopt;
  const certify::Counterexample& example = *answer.counterexample;
  if (!example.given || !example.is_representable) return std::nullopt;
  const auto inputs = tensors_of(old_program->signature, *example.given);
  const auto left = inputs ? element_of(*old_program, *inputs, example) : std::nullopt;
  const auto right = left ? element_of(*new_program, *inputs, example) : std::nullopt;
  if (!right || !is_visible(*left, *right)) return std::nullopt;
  return Illustration{std::move(*old_program), std::move(*new_program), example, text_of(*left), text_of(*right)};
}

}  // namespace steptp
