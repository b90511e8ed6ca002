// Products by matrix nests (docs/language.md R20) and copies with a depth (R21), each with one mistake: roles that
// are exchanged, a fragment that is shifted, an edge that is not filled, a copy that runs ahead across a dependence,
// two lanes on one element.

#include <array>
#include <string>

#include "steptp/base/text.h"
#include "testing/attacker.h"

namespace steptp::testing {

namespace {

/// A product of `rows` x `inner` and `inner` x `columns`, and the tile of one unit.
struct Sizes {
  bool is_half = false;
  std::int64_t units = 2;
  std::int64_t rows = 16;  ///< of a unit
  std::int64_t columns = 16;
  std::int64_t inner = 16;
  std::int64_t rounds = 1;  ///< of the loop over inner

  [[nodiscard]] std::int64_t all_rows() const { return units * rows; }
  [[nodiscard]] std::int64_t all_inner() const { return rounds * inner; }
};

Sizes random_sizes(Random& random) {
  Sizes out;
  out.is_half = random.chance(1, 2);
  out.units = random.between(1, 2);
  out.rows = out.is_half ? 16 : 8 * random.between(1, 2);
  out.columns = 8 * random.between(1, 2);
  out.inner = out.is_half ? 16 : 4 * random.between(1, 3);
  out.rounds = random.between(1, 3);
  return out;
}

std::string signature_of(const Sizes& sizes) {
  const std::string_view factors = sizes.is_half ? "f16" : "f64";
  return concat("@input A ", factors, "[", sizes.all_rows(), ",", sizes.all_inner(), "]\n@input C ", factors, "[",
                sizes.all_inner(), ",", sizes.columns, "]\n@output D ", sizes.is_half ? "f32" : "f64", "[",
                sizes.all_rows(), ",", sizes.columns, "]\n");
}

std::string product(const Sizes& sizes) {
  return concat("a", sizes.all_rows(), " c", sizes.columns, " d", sizes.all_inner(), " D(a,c)+=A(a,d)*C(d,c);");
}

/// The parts of the kernel, as they should be.
struct Parts {
  std::string a = "A(tx,f*$I+h)";  ///< what is staged
  std::string c = "C(f*$I+h,tx)";
  std::string first = "G(wx*$R+a,d)";
  std::string second = "H(d,c)";
  std::string stored = "D(wx*$R+a,c)";
  std::string store = "E(a,c)";
  std::string before_round;  ///< items in front of the copies
  std::string rounds = "$F";
  std::string depth = "s";
};

std::string filled(std::string text, const Sizes& sizes) {
  const std::pair<char, std::int64_t> values[] = {{'I', sizes.inner},   {'R', sizes.rows},       {'F', sizes.rounds},
                                                  {'C', sizes.columns}, {'M', sizes.all_rows()}, {'U', sizes.units}};
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at)) {
    for (const auto& [name, value] : values) {
      if (text[at + 1] == name) text.replace(at, 2, std::to_string(value));
    }
  }
  return text;
}

std::string kernel(const Parts& parts, const Sizes& sizes) {
  const std::string factors = sizes.is_half ? "^f16^" : "^f64^";
  const std::string sum = sizes.is_half ? "^f32" : "^f64";
  std::string text =
      concat("bx1{f", parts.rounds, "{", parts.before_round, "tx$M h$I G", factors, parts.depth, "(tx,h)=", parts.a,
             ";tx$C h$I H", factors, parts.depth, "(h,tx)=", parts.c, ";wx$U Ta$R Tc$C Td$I E", sum,
             "^f(a,c)+=", parts.first, "*", parts.second, ";}wx$U Ta$R Tc$C ", parts.stored, "=", parts.store, ";}");
  return filled(std::move(text), sizes);
}

std::optional<Attack> attack_on(std::string name, const Sizes& sizes, const Parts& parts, Random& random) {
  const std::string types = sizes.is_half ? "^f16;" : "^f64;";
  // Of a compact text the first occurrence says the type; D is f32 where A is a half.
  const auto typed = [&](std::string text) {
    const std::string mark = sizes.is_half ? "^f32" : "";
    const std::size_t at = text.find("D(");
    return concat(types, text.insert(at + 1, mark));
  };
  auto attack = attack_from(std::move(name), signature_of(sizes), typed(product(sizes)), typed(kernel(parts, sizes)));
  if (attack) attack->inputs.seed = random.below(1000000);
  return attack;
}

std::optional<Attack> make_roles(Random& random) {
  Sizes sizes = random_sizes(random);
  sizes.units = 1;
  Parts parts;
  if (random.chance(1, 2)) {
    // The factors are exchanged, or one of them is transposed; everything is square, so that it is in range.
    sizes.is_half = true;
    sizes.rows = sizes.columns = sizes.inner = 16;
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWrong = {
        {{"G(d,a)", "H(d,c)"}, {"G(a,d)", "H(c,d)"}, {"H(a,d)", "G(d,c)"}}};
    const auto& [first, second] = kWrong[random.below(kWrong.size())];
    parts.first = first;
    parts.second = second;
  } else {
    sizes.rows = sizes.columns = 16;
    parts.stored = "D(wx*$R+c,a)";
  }
  return attack_on("matrix/roles", sizes, parts, random);
}

std::optional<Attack> make_shifts(Random& random) {
  const Sizes sizes = random_sizes(random);
  Parts parts;
  switch (random.below(5)) {
    case 0: parts.store = "E(a,(c+8)%$C)"; break;
    case 1: parts.first = "G(wx*$R+a,(d+1)%$I)"; break;
    case 2: parts.second = "H($I-1-d,c)"; break;
    case 3: parts.stored = "D(wx*$R+(a+8)%$R,c)"; break;
    default: parts.a = "A(tx,f*$I+(h+1)%$I)"; break;
  }
  return attack_on("matrix/shifts", sizes, parts, random);
}

std::optional<Attack> make_fills(Random& random) {
  Sizes sizes = random_sizes(random);
  Parts parts;
  switch (random.below(3)) {
    // A round more, whose data is nothing, or not the neutral value.
    case 0:
      parts.rounds = std::to_string(sizes.rounds + 1);
      parts.a = "where(f<$F,A(tx,f*$I+h),1)";
      parts.c = "where(f<$F,C(f*$I+h,tx),1)";
      break;
    case 1:
      parts.rounds = std::to_string(sizes.rounds + 1);
      parts.a = "where(f<$F,A(tx,f*$I+h),A(tx,h))";
      parts.c = "where(f<$F,C(f*$I+h,tx),C(h,tx))";
      break;
    default: parts.c = "where(f*$I+h<$F*$I-1,C(f*$I+h,tx),0)"; break;
  }
  return attack_on("matrix/fills", sizes, parts, random);
}

std::optional<Attack> make_runs_ahead(Random& random) {
  Sizes sizes = random_sizes(random);
  sizes.rounds = random.between(2, 3);
  Parts parts;
  parts.depth = concat("s", random.between(2, 5));
  switch (random.below(3)) {
    // This round works on what an earlier one left, or a later one brings.
    case 0: parts.a = "where(f<1,A(tx,f*$I+h),G(tx,h))"; break;
    case 1: parts.a = "A(tx,(f+1)%$F*$I+h)"; break;
    default: parts.c = "C(f*$I+h,tx)+where(f<1,0,H(h,tx))"; break;
  }
  return attack_on("matrix/ahead", sizes, parts, random);
}

std::optional<Attack> make_lanes(Random& random) {
  Sizes sizes = random_sizes(random);
  Parts parts;
  switch (random.below(4)) {
    case 0: parts.stored = "D(wx*$R+a//2*2,c)"; break;
    case 1: parts.stored = "D(wx*$R+a,c//2*2)"; break;
    case 2:
      sizes.units = 2;
      parts.stored = "D(a,c)";
      break;
    default:
      sizes.units = 2;
      parts.first = "G(a,d)";
      break;
  }
  return attack_on("matrix/lanes", sizes, parts, random);
}

std::optional<Attack> make_sums(Random& random) {
  const Sizes sizes = random_sizes(random);
  Parts parts;
  switch (random.below(3)) {
    case 0:
      parts.rounds = std::to_string(sizes.rounds + 1);
      parts.a = "A(tx,f%$F*$I+h)";
      parts.c = "C(f%$F*$I+h,tx)";
      break;
    case 1:
      parts.before_round =
          concat("wx$U Ta$R Tc$C E", sizes.is_half ? "^f32" : "^f64", "^f(a,c)=", random.between(1, 3), ";");
      break;
    default: parts.store = "max(E(a,c),0)"; break;
  }
  return attack_on("matrix/sums", sizes, parts, random);
}

}  // namespace

const std::vector<AttackClass>& matrix_attacks() {
  static const std::vector<AttackClass> kClasses = {{"matrix/roles", make_roles}, {"matrix/shifts", make_shifts},
                                                    {"matrix/fills", make_fills}, {"matrix/ahead", make_runs_ahead},
                                                    {"matrix/lanes", make_lanes}, {"matrix/sums", make_sums}};
  return kClasses;
}

}  // namespace steptp::testing
