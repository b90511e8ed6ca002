#include "testing/attack_terms.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "steptp/base/text.h"

namespace steptp::testing {

namespace {

constexpr std::array<std::string_view, 6> kComparisons = {"<=", ">=", "==", "!=", "<", ">"};
constexpr std::array<std::string_view, 4> kProducts = {"//", "*", "/", "%"};

class TermReader {
 public:
  explicit TermReader(std::string_view text) : text_(text) {}

  Term whole() {
    Term term = condition();
    if (at_ != text_.size()) fail();
    return term;
  }

 private:
  [[noreturn]] void fail() {
    std::fprintf(stderr, "not a term at %zu: %.*s\n", at_, static_cast<int>(text_.size()), text_.data());
    std::abort();
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  Term condition() {
    Term left = sum();
    for (const std::string_view op : kComparisons) {
      if (take(op)) return {std::string(op), {std::move(left), sum()}};
    }
    return left;
  }
  Term sum() {
    Term left = product();
    while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
      const std::string op(1, text_[at_++]);
      left = {op, {std::move(left), product()}};
    }
    return left;
  }
  Term product() {
    Term left = unary();
    for (bool found = true; found;) {
      found = false;
      if (text_.substr(at_, 2) == "**") return left;
      for (const std::string_view op : kProducts) {
        if (!take(op)) continue;
        left = {std::string(op), {std::move(left), unary()}};
        found = true;
        break;
      }
    }
    return left;
  }
  Term unary() {
    if (take("-")) return {"neg", {unary()}};
    Term base = atom();
    if (take("**")) return {"**", {std::move(base), unary()}};
    return base;
  }
  Term atom() {
    if (take("(")) {
      Term inside = condition();
      if (!take(")")) fail();
      return inside;
    }
    std::string word;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      word += text_[at_++];
    }
    if (word.empty()) fail();
    if (!take("(")) return {word, {}};
    Term call{word, {}};
    do {
      call.parts.push_back(condition());
    } while (take(","));
    if (!take(")")) fail();
    return call;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_pattern_variable(const Term& term) {
  return term.parts.empty() && term.head.size() == 1 &&
         std::string_view("pqruv").find(term.head) != std::string_view::npos;
}

bool is_comparison(const Term& term) {
  for (const std::string_view op : kComparisons) {
    if (term.head == op) return true;
  }
  return false;
}

}  // namespace

Term read_term(std::string_view text) { return TermReader(text).whole(); }

std::string text_of(const Term& term) {
  if (term.parts.empty())
    return term.head == "w" || term.head == "x" || term.head == "y" || term.head == "z" ? concat("$", term.head)
                                                                                        : term.head;
  if (term.head == "neg") return concat("(-", text_of(term.parts[0]), ")");
  if (is_comparison(term)) return concat(text_of(term.parts[0]), term.head, text_of(term.parts[1]));
  if (std::isalpha(static_cast<unsigned char>(term.head[0])) == 0) {
    return concat("(", text_of(term.parts[0]), term.head, text_of(term.parts[1]), ")");
  }
  std::string out = concat(term.head, "(");
  for (std::size_t i = 0; i < term.parts.size(); ++i) append(out, i > 0 ? "," : "", text_of(term.parts[i]));
  return out + ")";
}

std::size_t size_of(const Term& term) {
  std::size_t size = 1;
  for (const Term& part : term.parts) size += size_of(part);
  return size;
}

bool match(const Term& pattern, const Term& term, Bindings& bindings) {
  if (is_pattern_variable(pattern)) {
    const auto [at, added] = bindings.try_emplace(pattern.head, term);
    return added || at->second == term;
  }
  if (pattern.head != term.head || pattern.parts.size() != term.parts.size()) return false;
  for (std::size_t i = 0; i < pattern.parts.size(); ++i) {
    if (!match(pattern.parts[i], term.parts[i], bindings)) return false;
  }
  return true;
}

Term instantiate(const Term& pattern, const Bindings& bindings, const Term& rest) {
  if (is_pattern_variable(pattern)) {
    const auto at = bindings.find(pattern.head);
    return at == bindings.end() ? rest : at->second;
  }
  Term out{pattern.head, {}};
  for (const Term& part : pattern.parts) out.parts.push_back(instantiate(part, bindings, rest));
  return out;
}

namespace {

void collect(const Term& term, TermPath& path, std::vector<TermPath>& out) {
  if (!is_comparison(term)) out.push_back(path);
  for (std::size_t i = 0; i < term.parts.size(); ++i) {
    path.push_back(i);
    collect(term.parts[i], path, out);
    path.pop_back();
  }
}

}  // namespace

std::vector<TermPath> value_paths(const Term& term) {
  std::vector<TermPath> out;
  TermPath path;
  collect(term, path, out);
  return out;
}

const Term& part_at(const Term& term, const TermPath& path) {
  const Term* at = &term;
  for (const std::size_t step : path) at = &at->parts[step];
  return *at;
}

Term with_part(const Term& term, const TermPath& path, const Term& replacement) {
  if (path.empty()) return replacement;
  Term out = term;
  Term* at = &out;
  for (const std::size_t step : path) at = &at->parts[step];
  *at = replacement;
  return out;
}

}  // namespace steptp::testing
