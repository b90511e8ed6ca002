// powsimp, expand_powsimp, exponential_split, logsimp, expand_log
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/reasoning/scalar_telling.h"
#include "steptp/reasoning/tellings.h"

namespace steptp {

namespace {

std::string power_law(const std::string& law) {
  if (law == "exponents") return "powers of one base add their exponents";
  if (law == "exponentials") return "a product of exponentials is the exponential of the sum";
  if (law == "bases") return "powers with one exponent multiply their bases";
  if (law == "roots") return "a product of roots is the root of the product";
  return "a power of a power multiplies the exponents";
}

void tell_powsimp(Teller& teller) {
  teller.bind("law_words", power_law(teller.word("law")));
  tell_scalar(teller);
}

std::string expansion_law(const std::string& law) {
  if (law == "power") return "a power with a larger exponent is a product of powers with smaller ones";
  if (law == "product") return "a whole power of a product is the product of the powers";
  if (law == "exponential") return "the exponential of a sum is the product of the exponentials";
  if (law == "multiple") return "the exponential of a multiple is a power of the exponential";
  return "the root of a product is the product of the roots where no factor is negative";
}

bool mentions(const Expr& expr, std::string_view index) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) {
    for (const Index& subscript : ref->subscripts) {
      for_each_variable(subscript, [&](const std::string& one) { found = found || one == index; });
    }
  });
  return found;
}

bool reads_something(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

/// Whether a factor with data in it does not depend on a loop that another one depends on.
bool has_movable_factor(const Teller& teller) {
  std::vector<const Expr*> factors = scalar_results(teller);
  if (factors.size() == 1 && factors[0] && std::holds_alternative<Product>(factors[0]->node)) {
    const std::vector<const ExprPtr*> parts = children(*factors[0]);
    factors.clear();
    for (const ExprPtr* part : parts) factors.push_back(part->get());
  }
  std::erase_if(factors, [](const Expr* factor) { return !factor || !reads_something(*factor); });
  const std::vector<std::uint32_t>& items = teller.facts.removed[0].site.items;
  for (std::size_t depth = 1; depth < items.size(); ++depth) {
    const Nest* nest =
        nest_at(*teller.before.program, {items.begin(), items.begin() + static_cast<std::ptrdiff_t>(depth)});
    for (const Loop& loop : nest->loops) {
      const auto depends = [&](const Expr* factor) { return mentions(*factor, loop.index); };
      const bool some = std::any_of(factors.begin(), factors.end(), depends);
      if (loop.extent > 1 && some && !std::all_of(factors.begin(), factors.end(), depends)) return true;
    }
  }
  return false;
}

void tell_expand_powsimp(Teller& teller) {
  const std::string law = teller.word("law");
  teller.bind("law_words", expansion_law(law));
  const bool is_multiple = law == "multiple";
  tell_scalar_as(teller, is_multiple ? "multiple" : "");
  if (is_multiple) {
    teller.set_purpose("purpose-multiple");
  } else if (!has_movable_factor(teller)) {
    teller.set_purpose("purpose-factors");
  }
}

void tell_exponential_split(Teller& teller) {
  const bool is_half = teller.choice.word("with") == "half";
  tell_scalar_as(teller, is_half ? "half" : "");
  if (is_half) teller.set_purpose("purpose-half");
}

/// What the argument of a logarithm is, and the laws that take it apart.
struct Argument {
  bool has_product = false;
  bool has_quotient = false;
  bool has_power = false;
  bool has_root = false;
  bool has_exponential = false;
};

Argument look_at_argument(const Expr& expr) {
  Argument out;
  std::vector<const Expr*> factors = {&expr};
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    factors.clear();
    for (const ExprPtr& operand : product->operands) factors.push_back(operand.get());
    for (const ArithmeticOp op : product->operators) {
      out.has_quotient = out.has_quotient || op == ArithmeticOp::divide;
      out.has_product = out.has_product || op == ArithmeticOp::multiply;
    }
  }
  for (const Expr* factor : factors) {
    if (std::holds_alternative<Power>(factor->node)) out.has_power = true;
    const auto* call = std::get_if<Call>(&factor->node);
    out.has_root = out.has_root || (call && call->function == Function::sqrt);
    out.has_exponential = out.has_exponential || (call && call->function == Function::exp);
  }
  return out;
}

std::string law_of(const Argument& argument) {
  std::vector<std::string> laws;
  if (argument.has_product) laws.emplace_back("the logarithm of a product is the sum of the logarithms");
  if (argument.has_quotient) laws.emplace_back("the logarithm of a quotient is the difference of the logarithms");
  if (argument.has_power) laws.emplace_back("the logarithm of a power is a multiple of the logarithm");
  if (argument.has_root) laws.emplace_back("the logarithm of a root is half of the logarithm");
  if (argument.has_exponential) laws.emplace_back("the logarithm of an exponential is its argument");
  return laws.empty() ? std::string("a logarithm can be taken apart")
                      : join(laws, " and ", [](const auto& law) { return law; });
}

bool calls_logarithm(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  if (call && call->function == Function::log) return true;
  const std::vector<const ExprPtr*> parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return calls_logarithm(**part); });
}

void tell_expand_log(Teller& teller) {
  const Expr* part = scalar_part(teller);
  const auto* call = part ? std::get_if<Call>(&part->node) : nullptr;
  const Argument argument = call ? look_at_argument(*call->argument) : Argument();
  teller.bind("argument_is", argument.has_product       ? "a product"
                             : argument.has_quotient    ? "a quotient"
                             : argument.has_power       ? "a power"
                             : argument.has_root        ? "a root"
                             : argument.has_exponential ? "an exponential"
                                                        : "compound");
  teller.bind("law_words", law_of(argument));
  tell_scalar(teller);
  const std::vector<const Expr*> results = scalar_results(teller);
  const bool has_logarithm =
      std::any_of(results.begin(), results.end(), [](const Expr* one) { return one && calls_logarithm(*one); });
  if (!has_logarithm) {
    teller.set_purpose("purpose-none-left");
  } else if (!argument.has_product && !argument.has_quotient) {
    teller.set_purpose("purpose-single");
  }
}

/// How many terms of a sum are logarithms, with or without a number in front.
std::int64_t count_logarithms(const Expr& expr) {
  std::int64_t count = 0;
  const auto is_logarithm = [](const Expr& one) {
    const auto* call = std::get_if<Call>(&one.node);
    return call && call->function == Function::log;
  };
  const auto count_term = [&](const Expr& term) {
    const auto* negated = std::get_if<Call>(&term.node);
    const bool is_negated = negated && negated->function == Function::negate;
    const Expr& inner = is_negated ? *negated->argument : term;
    const std::vector<const ExprPtr*> factors = children(inner);
    const bool in_product =
        std::holds_alternative<Product>(inner.node) &&
        std::any_of(factors.begin(), factors.end(), [&](const ExprPtr* factor) { return is_logarithm(**factor); });
    if (is_logarithm(inner) || in_product) ++count;
  };
  if (!std::holds_alternative<Sum>(expr.node)) {
    count_term(expr);
    return count;
  }
  for (const ExprPtr* term : children(expr)) count_term(**term);
  return count;
}

/// One logarithm with a number in front becomes that of a power; several become that of a product or a quotient.
void tell_logsimp(Teller& teller) {
  const Expr* part = scalar_part(teller);
  const std::int64_t count = part ? count_logarithms(*part) : 0;
  const bool is_one = count == 1;
  teller.bind("logarithms_are",
              concat(count > 1 ? std::to_string(count) : std::string("several"), " logarithms stand in one sum"));
  teller.bind("logarithms_count", count == 2 ? "both" : "all of them");
  const auto is_subtraction = [](ArithmeticOp op) { return op == ArithmeticOp::subtract; };
  const auto* sum = part ? std::get_if<Sum>(&part->node) : nullptr;
  const bool subtracts = sum && std::any_of(sum->operators.begin(), sum->operators.end(), is_subtraction);
  teller.bind("law_words",
              is_one      ? "a whole multiple of a logarithm is the logarithm of the power"
              : subtracts ? "a sum of logarithms is the logarithm of the product, a difference that of the quotient"
                          : "a sum of logarithms is the logarithm of the product");
  tell_scalar_as(teller, is_one ? "one" : "");
  teller.say("range");
  if (is_one) teller.set_purpose("purpose-one");
}

constexpr Telling kTellings[] = {
    {"expand_log", tell_expand_log}, {"exponential_split", tell_exponential_split}, {"logsimp", tell_logsimp},
    {"powsimp", tell_powsimp},       {"expand_powsimp", tell_expand_powsimp},
};

}  // namespace

std::span<const Telling> power_tellings() { return kTellings; }

}  // namespace steptp
