#include "steptp/zoo/types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "steptp/base/text.h"
#include "steptp/zoo/maker.h"
#include "steptp/zoo/type_table.h"

namespace steptp::zoo {

namespace {

struct Family {
  std::string_view name;
  std::span<const BuildRow> (*rows)();
};
constexpr std::array kFamilies = {Family{"matmul", matrix_programs},
                                  Family{"activation", activation_programs},
                                  Family{"norm", norm_programs},
                                  Family{"pooling", pooling_programs},
                                  Family{"reduction", reduction_programs},
                                  Family{"convolution", convolution_programs},
                                  Family{"scan", scan_programs},
                                  Family{"loss", loss_programs},
                                  Family{"pair", pair_programs},
                                  Family{"gemm-chain", gemm_chain_programs},
                                  Family{"conv-chain", conv_chain_programs},
                                  Family{"attention", attention_programs},
                                  Family{"state-space", state_space_programs}};

[[noreturn]] void bad(std::string_view text) { throw std::logic_error(concat("zoo: cannot read '", text, "'")); }

double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) bad(text);
  return value;
}

bool looks_integral(std::string_view text) { return text.find_first_of(".e") == std::string_view::npos; }

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + separator.size());
  }
}

/// "kernel_size=3 [1,8)" or "n_head=8 {2,4,8}".
ArgumentRange parse_range(std::string_view text) {
  ArgumentRange out;
  const std::size_t equals = text.find('=');
  const std::size_t blank = text.find(' ');
  if (equals == std::string_view::npos || blank == std::string_view::npos) bad(text);
  out.name = text.substr(0, equals);
  const std::string_view fallback = text.substr(equals + 1, blank - equals - 1);
  out.fallback = number_of(fallback);
  out.is_integer = looks_integral(fallback);
  const std::string_view range = text.substr(blank + 1);
  const std::vector<std::string_view> parts = split(range.substr(1, range.size() - 2), ",");
  if (range.starts_with('{')) {
    for (const std::string_view part : parts) out.choices.push_back(number_of(part));
  } else {
    if (parts.size() != 2) bad(text);
    out.low = number_of(parts[0]);
    out.high = number_of(parts[1]);
    out.is_integer = out.is_integer && looks_integral(parts[0]) && looks_integral(parts[1]);
  }
  return out;
}

ProgramType make_type(const TypeRow& row) {
  ProgramType out;
  out.level = row.level;
  out.number = row.number;
  out.name = row.name;
  out.ranges = row.arguments;
  for (const std::string_view part : split(row.arguments, "; ")) out.arguments.push_back(parse_range(part));
  for (const Family& family : kFamilies) {
    for (const BuildRow& candidate : family.rows()) {
      if (candidate.name != row.name) continue;
      out.family = family.name;
      out.build = candidate.build;
    }
  }
  if (!out.build) throw std::logic_error(concat("zoo: nobody builds ", row.name));
  return out;
}

}  // namespace

const std::vector<ProgramType>& all_types() {
  static const std::vector<ProgramType> kTypes = [] {
    std::vector<ProgramType> types;
    for (const auto rows : {level1_types(), level2_types(), level3_types()}) {
      for (const TypeRow& row : rows) types.push_back(make_type(row));
    }
    return types;
  }();
  return kTypes;
}

const ProgramType* find_type(std::string_view name) {
  for (const ProgramType& type : all_types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

Result<Arguments, Diagnostic> complete(const ProgramType& type, const Arguments& given) {
  Arguments out;
  for (const ArgumentRange& argument : type.arguments) out[argument.name] = argument.fallback;
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const double number = entry.second;
    const auto found = std::find_if(type.arguments.begin(), type.arguments.end(),
                                    [&](const ArgumentRange& argument) { return argument.name == name; });
    if (found == type.arguments.end()) {
      const std::string known = join(type.arguments, " ", [](const ArgumentRange& argument) { return argument.name; });
      return make_error("zoo-argument", concat(type.name, " has no argument '", name, "'"),
                        concat("its arguments are: ", known));
    }
    if (!std::isfinite(number) || (found->is_integer && (number != std::floor(number) || std::abs(number) > 1e15))) {
      return make_error("zoo-argument", concat("'", name, "' of ", type.name, " is an integer"));
    }
    out[name] = number;
  }
  return out;
}

Result<graph::Graph, Diagnostic> build(const ProgramType& type, const Arguments& arguments, DType dtype) {
  if (!is_float(dtype)) return make_error("zoo-arguments", "the dtype of a zoo program is a float");
  graph::Builder builder(type.name);
  try {
    Maker maker(builder, arguments, dtype);
    std::vector<graph::Value> outputs = type.build(maker);
    return std::move(builder).finish(std::move(outputs));
  } catch (const graph::Misuse& misuse) {
    return make_error("zoo-arguments", concat(type.name, ": ", misuse.message));
  }
}

}  // namespace steptp::zoo
