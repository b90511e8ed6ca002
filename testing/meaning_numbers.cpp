#include "testing/meaning_numbers.h"

#include <arb_hypgeom.h>
#include <arf.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace steptp::testing {

namespace {

/// Powers with more bits than this stay expressions.
constexpr std::uint64_t kMostPowerBits = 1 << 18;

Hash hash_of(const mpz_class& value) {
  Hash hash = mix(static_cast<Hash>(static_cast<std::int64_t>(mpz_sgn(value.get_mpz_t()))));
  for (std::size_t i = 0; i < mpz_size(value.get_mpz_t()); ++i) {
    hash = combine(hash, static_cast<Hash>(mpz_getlimbn(value.get_mpz_t(), static_cast<mp_size_t>(i))));
  }
  return hash;
}

Hash hash_of(const mpq_class& value) { return combine(hash_of(value.get_num()), hash_of(value.get_den())); }

bool is_whole(const mpq_class& value) { return value.get_den() == 1; }

std::optional<mpq_class> exact_root(const mpq_class& value) {
  if (sgn(value) < 0 || mpz_perfect_square_p(value.get_num_mpz_t()) == 0 ||
      mpz_perfect_square_p(value.get_den_mpz_t()) == 0) {
    return std::nullopt;
  }
  return mpq_class(sqrt(value.get_num()), sqrt(value.get_den()));
}

mpz_class to_mpz(const fmpz_t value) {
  mpz_class out;
  fmpz_get_mpz(out.get_mpz_t(), value);
  return out;
}

}  // namespace

mpq_class exact_double(double value) {
  mpq_class out;
  mpq_set_d(out.get_mpq_t(), value);
  return out;
}

mpz_class floor_of(const mpq_class& value) {
  mpz_class out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

mpq_class exact_decimal(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string text(buffer, end);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  long exponent = std::stol(text.substr(e + 1));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  mpq_class out = exponent < 0 ? mpq_class(mpz_class(digits), scale) : mpq_class(mpz_class(digits) * scale);
  out.canonicalize();
  return out;
}

Reals::~Reals() {
  for (Node& node : nodes_) {
    if (node.bits > 0) arb_clear(node.ball);
  }
}

Reals::Id Reals::intern(Kind kind, Function function, Id left, Id right, const mpq_class& value) {
  Hash hash = combine(combine(static_cast<Hash>(kind), static_cast<Hash>(function)), combine(left, right));
  if (kind == Kind::rational) hash = combine(hash, hash_of(value));
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Node& node = nodes_[at->second];
    if (node.kind == kind && node.function == function && node.left == left && node.right == right &&
        (kind != Kind::rational || node.value == value)) {
      return at->second;
    }
  }
  Node& node = nodes_.emplace_back();
  node.kind = kind;
  node.function = function;
  node.left = left;
  node.right = right;
  if (kind == Kind::rational) node.value = value;
  const Id id = static_cast<Id>(nodes_.size() - 1);
  known_.emplace(hash, id);
  return id;
}

Reals::Id Reals::rational(const mpq_class& value) { return intern(Kind::rational, Function::negate, 0, 0, value); }

const mpq_class* Reals::as_rational(Id number) const {
  return nodes_[number].kind == Kind::rational ? &nodes_[number].value : nullptr;
}

Reals::Id Reals::add(Id left, Id right) {
  const mpq_class* a = as_rational(left);
  const mpq_class* b = as_rational(right);
  if (a && b) return rational(*a + *b);
  if (a && sgn(*a) == 0) return right;
  if (b && sgn(*b) == 0) return left;
  if (left == negate(right)) return rational(0);
  return intern(Kind::add, Function::negate, std::min(left, right), std::max(left, right), {});
}

Reals::Id Reals::subtract(Id left, Id right) {
  if (left == right) return rational(0);
  return add(left, negate(right));
}

Reals::Id Reals::negate(Id number) { return multiply(rational(-1), number); }

Reals::Id Reals::multiply(Id left, Id right) {
  const mpq_class* a = as_rational(left);
  const mpq_class* b = as_rational(right);
  if (a && b) return rational(*a * *b);
  if (b) {
    std::swap(a, b);
    std::swap(left, right);
  }
  if (a) {
    if (sgn(*a) == 0) return left;
    if (*a == 1) return right;
    // c1 * (c2 * x) is one product, so that -(-x) is x.
    const Node& inner = nodes_[right];
    if (inner.kind == Kind::multiply) {
      if (const mpq_class* c = as_rational(inner.left)) return multiply(rational(*a * *c), inner.right);
      if (const mpq_class* c = as_rational(inner.right)) return multiply(rational(*a * *c), inner.left);
    }
  }
  return intern(Kind::multiply, Function::negate, std::min(left, right), std::max(left, right), {});
}

Reals::Id Reals::divide(Id left, Id right) {
  const mpq_class* a = as_rational(left);
  const mpq_class* b = as_rational(right);
  if (a && b) return rational(*a / *b);
  if (left == right) return rational(1);
  if (b) return multiply(rational(1 / *b), left);
  if (a && sgn(*a) == 0) return left;
  return intern(Kind::divide, Function::negate, left, right, {});
}

std::optional<Reals::Id> Reals::exact_function(Function function, const mpq_class& argument) {
  const bool zero = sgn(argument) == 0;
  switch (function) {
    case Function::exp:
    case Function::cos: return zero ? std::optional(rational(1)) : std::nullopt;
    case Function::erf:
    case Function::tanh:
    case Function::sin: return zero ? std::optional(rational(0)) : std::nullopt;
    case Function::log: return argument == 1 ? std::optional(rational(0)) : std::nullopt;
    case Function::sqrt:
    case Function::rsqrt:
      if (const auto root = exact_root(argument)) {
        return rational(function == Function::sqrt ? *root : mpq_class(1 / *root));
      }
      return std::nullopt;
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: break;
  }
  return std::nullopt;
}

Reals::Id Reals::function(Function function, Id argument) {
  if (const mpq_class* value = as_rational(argument)) {
    if (const auto exact = exact_function(function, *value)) return *exact;
  }
  return intern(Kind::function, function, argument, 0, {});
}

std::optional<Reals::Id> Reals::exact_power(const mpq_class& base, const mpq_class& exponent) {
  mpq_class root = base;
  mpq_class whole = exponent;
  if (exponent.get_den() == 2) {
    const auto found = exact_root(base);
    if (!found) return std::nullopt;
    root = *found;
    whole = exponent * 2;
  }
  if (root == 1 || sgn(whole) == 0) return rational(1);
  if (!is_whole(whole) || !whole.get_num().fits_slong_p()) return std::nullopt;
  const auto times = static_cast<std::uint64_t>(std::labs(whole.get_num().get_si()));
  const std::uint64_t bits = mpz_sizeinbase(root.get_num_mpz_t(), 2) + mpz_sizeinbase(root.get_den_mpz_t(), 2);
  if (times > kMostPowerBits || bits * times > kMostPowerBits) return std::nullopt;
  mpq_class out;
  mpz_pow_ui(out.get_num_mpz_t(), root.get_num_mpz_t(), times);
  mpz_pow_ui(out.get_den_mpz_t(), root.get_den_mpz_t(), times);
  return rational(sgn(whole) < 0 ? mpq_class(1 / out) : out);
}

Reals::Id Reals::power(Id base, Id exponent) {
  const mpq_class* a = as_rational(base);
  const mpq_class* b = as_rational(exponent);
  if (b && sgn(*b) == 0) return rational(1);
  if (b && *b == 1) return base;
  if (a && b) {
    if (const auto exact = exact_power(*a, *b)) return *exact;
  }
  return intern(Kind::power, Function::negate, base, exponent, {});
}

void Reals::enclose_node(Node& node, slong bits) {
  if (node.bits == 0) arb_init(node.ball);
  node.bits = bits;
  const arb_t& a = nodes_[node.left].ball;
  const arb_t& b = nodes_[node.right].ball;
  switch (node.kind) {
    case Kind::rational: {
      fmpq_t value;
      fmpq_init(value);
      fmpq_set_mpq(value, node.value.get_mpq_t());
      arb_set_fmpq(node.ball, value, bits);
      fmpq_clear(value);
      return;
    }
    case Kind::add: return arb_add(node.ball, a, b, bits);
    case Kind::multiply: return arb_mul(node.ball, a, b, bits);
    case Kind::divide: return arb_div(node.ball, a, b, bits);
    case Kind::power: {
      const mpq_class* exponent = as_rational(node.right);
      if (!exponent || !is_whole(*exponent)) return arb_pow(node.ball, a, b, bits);
      fmpz_t whole;
      fmpz_init(whole);
      fmpz_set_mpz(whole, exponent->get_num_mpz_t());
      arb_pow_fmpz(node.ball, a, whole, bits);
      fmpz_clear(whole);
      return;
    }
    case Kind::function: break;
  }
  switch (node.function) {
    case Function::exp: return arb_exp(node.ball, a, bits);
    case Function::log: return arb_log(node.ball, a, bits);
    case Function::sqrt: return arb_sqrt(node.ball, a, bits);
    case Function::rsqrt: return arb_rsqrt(node.ball, a, bits);
    case Function::erf: return arb_hypgeom_erf(node.ball, a, bits);
    case Function::tanh: return arb_tanh(node.ball, a, bits);
    case Function::sin: return arb_sin(node.ball, a, bits);
    case Function::cos: return arb_cos(node.ball, a, bits);
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: break;
  }
  arb_indeterminate(node.ball);
}

const arb_t& Reals::enclose(Id number, slong bits) {
  // Parts are older than what is made of them, so that the order of ids is an order of evaluation.
  std::set<Id> needed;
  std::vector<Id> open = {number};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    const Node& node = nodes_[id];
    if (node.bits >= bits || !needed.insert(id).second || node.kind == Kind::rational) continue;
    open.push_back(node.left);
    if (node.kind != Kind::function) open.push_back(node.right);
  }
  for (const Id id : needed) enclose_node(nodes_[id], bits);
  return nodes_[number].ball;
}

std::optional<int> Reals::sign(Id number) {
  if (const mpq_class* value = as_rational(number)) return sgn(*value);
  for (slong bits = 128; bits <= kMostBits; bits *= 4) {
    const arb_t& ball = enclose(number, bits);
    if (arb_is_positive(ball) != 0) return 1;
    if (arb_is_negative(ball) != 0) return -1;
    if (arb_is_zero(ball) != 0) return 0;
  }
  return std::nullopt;
}

std::optional<int> Reals::compare(Id left, Id right) {
  if (left == right) return 0;
  return sign(subtract(left, right));
}

std::optional<mpz_class> Reals::floor(Id number) {
  if (const mpq_class* value = as_rational(number)) return floor_of(*value);
  std::optional<mpz_class> out;
  fmpz_t whole;
  fmpz_init(whole);
  arb_t below;
  arb_init(below);
  for (slong bits = 128; bits <= kMostBits && !out; bits *= 4) {
    const arb_t& ball = enclose(number, bits);
    // Numbers beyond any integer type need not be written down digit by digit.
    if (arb_is_finite(ball) == 0 || arf_cmpabs_2exp_si(arb_midref(ball), 4096) > 0) continue;
    arb_floor(below, ball, bits);
    if (arb_get_unique_fmpz(whole, below) != 0) out = to_mpz(whole);
  }
  arb_clear(below);
  fmpz_clear(whole);
  return out;
}

std::string Reals::text(Id number) {
  if (const mpq_class* value = as_rational(number)) {
    const std::string exact = value->get_str();
    if (exact.size() <= 40) return exact;
  }
  char* digits = arb_get_str(enclose(number, 256), 20, ARB_STR_NO_RADIUS);
  std::string out = digits;
  flint_free(digits);
  return out;
}

}  // namespace steptp::testing
