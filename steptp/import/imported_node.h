#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/import/pt2_rewrite.h"

// The arguments of a node on its way into a graph, by name.
namespace steptp::graph::pt2 {

inline const Argument* find(const ImportedNode& imported, std::string_view name) {
  for (const auto& [key, argument] : imported.arguments) {
    if (key == name) return &argument;
  }
  return nullptr;
}

inline Argument* find(ImportedNode& imported, std::string_view name) {
  return const_cast<Argument*>(find(static_cast<const ImportedNode&>(imported), name));
}

template <typename T>
T get(const ImportedNode& imported, std::string_view name, T otherwise) {
  const Argument* given = find(imported, name);
  const T* value = given ? std::get_if<T>(given) : nullptr;
  return value ? *value : otherwise;
}

inline double number(const ImportedNode& imported, std::string_view name, double otherwise) {
  const Argument* given = find(imported, name);
  const std::int64_t* integer = given ? std::get_if<std::int64_t>(given) : nullptr;
  return integer ? static_cast<double>(*integer) : get<double>(imported, name, otherwise);
}

inline void set(ImportedNode& imported, std::string_view name, Argument value) {
  if (Argument* given = find(imported, name)) {
    *given = std::move(value);
  } else {
    imported.arguments.emplace_back(name, std::move(value));
  }
}

inline Value tensor(const ImportedNode& imported, std::string_view name) {
  const Argument* given = find(imported, name);
  const Value* value = given ? std::get_if<Value>(given) : nullptr;
  if (!value) throw Misuse{concat(imported.op, ": '", name, "' is not a tensor")};
  return *value;
}

inline const std::string& output(const ImportedNode& imported) {
  if (imported.outputs.empty()) malformed(concat(imported.op, " has no output"));
  return imported.outputs.front();
}

inline std::string near(const ImportedNode& imported) {
  return imported.origin.text.empty() ? std::string() : concat(" (", imported.origin.text, ")");
}

/// Other spellings of views, as those that the table of operators has; a list of tensors is dealt with here.
[[nodiscard]] bool respell_view(Progress& progress, ImportedNode& imported);

}  // namespace steptp::graph::pt2
