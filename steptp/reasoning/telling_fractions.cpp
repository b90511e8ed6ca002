// cancellation, expand_cancellation, apart, together
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

/// What is struck out, as far as the text has it.
TracePieces struck_words(const Teller& teller, bool divides) {
  std::vector<TracePieces> struck;
  const Json* list = find_value(teller.facts.values, "struck");
  for (const Json& one : list && list->as_array() ? *list->as_array() : Json::Array()) {
    struck.push_back(quote_piece(teller.before, {*parse_site(*one.as_string()), {}}));
  }
  if (struck.empty())
    return plain(divides ? "dividend and divisor have a factor in common" : "a term is added and subtracted again");
  const bool is_one = struck.size() == 1;
  TracePieces out = list_of(std::move(struck));
  if (divides) {
    add(out, is_one ? " is a factor of dividend and divisor" : " are factors of dividend and divisor");
  } else {
    add(out, is_one ? " is added and subtracted again" : " are added and subtracted again");
  }
  return out;
}

void tell_cancellation(Teller& teller) {
  const bool divides = teller.word("struck_kind") == "factor";
  teller.bind("what_cancels", struck_words(teller, divides));
  teller.bind("law", divides ? "a nonzero value divided by itself is one" : "a finite value minus itself is zero");
  tell_scalar(teller);
}

void tell_apart(Teller& teller) {
  const bool terms = teller.word("form") == "terms";
  teller.bind("how", terms ? "term by term" : "into partial fractions");
  teller.bind("by_role",
              terms ? "a sum that is divided"
                    : "the variable of the decomposition, and the divisor is a product of several polynomials in it");
  tell_scalar(teller);
}

/// Divisions by a number count like others: they would be divisions that are left.
std::int64_t count_divisions(const Expr& expr) {
  std::int64_t count = 0;
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    count = std::count(product->operators.begin(), product->operators.end(), ArithmeticOp::divide);
  }
  for (const ExprPtr* part : children(expr)) count += count_divisions(**part);
  return count;
}

/// How many terms of the sum divide by something that is no number.
void tell_together(Teller& teller) {
  const Expr* part = scalar_part(teller);
  std::int64_t quotients = 0;
  const auto divides = [](const Expr& term) {
    const auto* product = std::get_if<Product>(&term.node);
    if (!product) return false;
    for (std::size_t i = 0; i < product->operators.size(); ++i) {
      const bool is_number = std::holds_alternative<Literal>(product->operands[i + 1]->node);
      if (product->operators[i] == ArithmeticOp::divide && !is_number) return true;
    }
    return false;
  };
  for (const ExprPtr* term : part ? children(*part) : std::vector<const ExprPtr*>()) {
    const auto* negated = std::get_if<Call>(&(*term)->node);
    const bool is_negated = negated && negated->function == Function::negate;
    if (divides(is_negated ? *negated->argument : **term)) ++quotients;
  }
  teller.bind("quotients", quotients == 0   ? std::string("a quotient in it")
                           : quotients == 1 ? std::string("one quotient")
                                            : concat(quotients, " quotients"));
  tell_scalar(teller);
  std::int64_t left = 0;
  for (const Expr* result : scalar_results(teller)) left += result ? count_divisions(*result) : 0;
  if (quotients < 2 || left != 1) teller.set_purpose("purpose-one");
}

constexpr Telling kTellings[] = {
    {"together", tell_together},
    {"cancellation", tell_cancellation},
    {"apart", tell_apart},
};

}  // namespace

std::span<const Telling> fraction_tellings() { return kTellings; }

}  // namespace steptp
