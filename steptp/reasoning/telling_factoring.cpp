// factorization, expand_factorization, collect, expand_collect
#include <algorithm>
#include <variant>
#include <vector>

#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

void tell_factorization(Teller& teller) {
  teller.bind("form_words", teller.word("form") == "full" ? "irreducible factors" : "square-free factors");
  tell_scalar(teller);
}

bool has_bracket(const Expr& expr) {
  if (std::holds_alternative<Product>(expr.node)) {
    for (const ExprPtr* factor : children(expr)) {
      if (std::holds_alternative<Sum>((*factor)->node)) return true;
    }
  }
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return has_bracket(**part); });
}

/// Where nothing but numbers is left of the terms, there is no bracket to speak of.
void tell_collect(Teller& teller) {
  const std::vector<const Expr*> results = scalar_results(teller);
  const bool is_run = results.size() > 1;
  const bool has_some = std::any_of(results.begin(), results.end(), [&](const Expr* one) {
    return one && (has_bracket(*one) || (is_run && std::holds_alternative<Sum>(one->node)));
  });
  tell_scalar_as(teller, has_some ? "" : "plain");
}

constexpr Telling kTellings[] = {
    {"factorization", tell_factorization},
    {"collect", tell_collect},
};

}  // namespace

std::span<const Telling> factoring_tellings() { return kTellings; }

}  // namespace steptp
