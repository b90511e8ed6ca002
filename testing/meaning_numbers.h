#pragma once

// Real numbers as the reference evaluator (testing/meaning.h) knows them. It shares no code with the judge.

#include <arb.h>
#include <gmpxx.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/ir/operation.h"

namespace steptp::testing {

/// A store of real numbers. A number is an exact rational as long as only rational operations made it. After a function
/// it is the expression that made it: two expressions of the same form are the same object, and Arb encloses the value
/// with as much precision as a question needs, up to kMostBits. A question that this does not decide has no answer.
class Reals {
 public:
  using Id = std::uint32_t;
  static constexpr slong kMostBits = 8192;

  Reals() = default;
  Reals(const Reals&) = delete;
  Reals& operator=(const Reals&) = delete;
  ~Reals();

  [[nodiscard]] Id rational(const mpq_class& value);
  [[nodiscard]] Id integer(const mpz_class& value) { return rational(mpq_class(value)); }
  /// The exact value, where the number is a rational that was made by rational operations; null otherwise.
  [[nodiscard]] const mpq_class* as_rational(Id number) const;

  [[nodiscard]] Id add(Id left, Id right);
  [[nodiscard]] Id subtract(Id left, Id right);
  [[nodiscard]] Id multiply(Id left, Id right);
  /// The caller has shown that the divisor is not zero.
  [[nodiscard]] Id divide(Id left, Id right);
  [[nodiscard]] Id negate(Id number);
  /// exp log sqrt rsqrt erf tanh sin cos at an argument for which the value is a real number.
  [[nodiscard]] Id function(Function function, Id argument);
  /// base**exponent for a positive base, or for a whole exponent and a base that is not zero.
  [[nodiscard]] Id power(Id base, Id exponent);

  /// -1, 0 or 1; nothing where no precision decides it.
  [[nodiscard]] std::optional<int> sign(Id number);
  [[nodiscard]] std::optional<int> compare(Id left, Id right);
  /// The greatest integer that is not above the number.
  [[nodiscard]] std::optional<mpz_class> floor(Id number);

  /// For messages: a rational as a decimal where it is short, an expression as its value with a few digits.
  [[nodiscard]] std::string text(Id number);

 private:
  enum class Kind : std::uint8_t { rational, add, multiply, divide, function, power };
  struct Node {
    Kind kind = Kind::rational;
    Function function = Function::negate;
    Id left = 0;
    Id right = 0;
    mpq_class value;
    slong bits = 0;  ///< the precision of `ball`; 0: none yet
    arb_t ball;
  };

  [[nodiscard]] Id intern(Kind kind, Function function, Id left, Id right, const mpq_class& value);
  [[nodiscard]] std::optional<Id> exact_function(Function function, const mpq_class& argument);
  [[nodiscard]] std::optional<Id> exact_power(const mpq_class& base, const mpq_class& exponent);
  /// Encloses a number: first everything it is made of, in the order in which it was made.
  [[nodiscard]] const arb_t& enclose(Id number, slong bits);
  void enclose_node(Node& node, slong bits);

  std::deque<Node> nodes_;
  std::unordered_multimap<Hash, Id> known_;
};

/// The exact value of a double, and of the decimal that is its shortest spelling: 0.1 is one tenth.
[[nodiscard]] mpq_class exact_double(double value);
[[nodiscard]] mpq_class exact_decimal(double value);
[[nodiscard]] mpz_class floor_of(const mpq_class& value);

}  // namespace steptp::testing
