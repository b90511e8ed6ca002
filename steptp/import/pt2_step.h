#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/import/pt2_rewrite.h"

// The arguments of a node on its way into a graph, by name.
namespace steptp::graph::pt2 {

inline const Argument* find(const Step& step, std::string_view name) {
  for (const auto& [key, argument] : step.arguments) {
    if (key == name) return &argument;
  }
  return nullptr;
}

inline Argument* find(Step& step, std::string_view name) {
  return const_cast<Argument*>(find(static_cast<const Step&>(step), name));
}

template <typename T>
T get(const Step& step, std::string_view name, T otherwise) {
  const Argument* given = find(step, name);
  const T* value = given ? std::get_if<T>(given) : nullptr;
  return value ? *value : otherwise;
}

inline double number(const Step& step, std::string_view name, double otherwise) {
  const Argument* given = find(step, name);
  const std::int64_t* integer = given ? std::get_if<std::int64_t>(given) : nullptr;
  return integer ? static_cast<double>(*integer) : get<double>(step, name, otherwise);
}

inline void set(Step& step, std::string_view name, Argument value) {
  if (Argument* given = find(step, name)) {
    *given = std::move(value);
  } else {
    step.arguments.emplace_back(name, std::move(value));
  }
}

inline Value tensor(const Step& step, std::string_view name) {
  const Argument* given = find(step, name);
  const Value* value = given ? std::get_if<Value>(given) : nullptr;
  if (!value) throw Misuse{concat(step.op, ": '", name, "' is not a tensor")};
  return *value;
}

inline const std::string& output(const Step& step) {
  if (step.outputs.empty()) malformed(concat(step.op, " has no output"));
  return step.outputs.front();
}

inline std::string near(const Step& step) {
  return step.origin.text.empty() ? std::string() : concat(" (", step.origin.text, ")");
}

/// Other spellings of views, as those that the table of operators has; a list of tensors is dealt with here.
[[nodiscard]] bool respell_view(Progress& progress, Step& step);

}  // namespace steptp::graph::pt2
