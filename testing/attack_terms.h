#pragma once

// Small scalar terms as trees, with patterns: what attack_laws.cpp rewrites.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptp::testing {

/// A term: an operator or function with its operands, or a leaf (a number, a variable of a program or of a pattern).
struct Term {
  std::string head;
  std::vector<Term> parts;
  bool operator==(const Term&) const = default;
};

/// Reads `where(p<q,log(x),y**2)`. Texts of tables only: what is wrong in one stops the program.
[[nodiscard]] Term read_term(std::string_view text);
/// Compact LEIR, with brackets around every operation; variables x and y become $x and $y.
[[nodiscard]] std::string text_of(const Term& term);
[[nodiscard]] std::size_t size_of(const Term& term);

/// p, q, r and u, v stand for any term in a pattern.
using Bindings = std::map<std::string, Term>;
[[nodiscard]] bool match(const Term& pattern, const Term& term, Bindings& bindings);
/// The pattern with its variables replaced; those that are not bound become `rest`.
[[nodiscard]] Term instantiate(const Term& pattern, const Bindings& bindings, const Term& rest);

/// Every part of the term that is a value, itself included, as paths.
using TermPath = std::vector<std::size_t>;
[[nodiscard]] std::vector<TermPath> value_paths(const Term& term);
[[nodiscard]] const Term& part_at(const Term& term, const TermPath& path);
[[nodiscard]] Term with_part(const Term& term, const TermPath& path, const Term& replacement);

}  // namespace steptp::testing
