#include "testing/attack_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp::testing {

AttackNumbers::AttackNumbers(Random& random) {
  static constexpr std::string_view kTypes[] = {"f32", "f64", "f16", "bf16", "f32"};
  static constexpr std::int64_t kLarge[] = {512, 1000, 1024, 3000};
  const std::int64_t n = random.chance(1, 5) ? kLarge[random.below(4)] : random.between(24, 160);
  const std::int64_t m = random.chance(1, 5) ? random.between(65, 512) : random.between(4, 40);
  const std::int64_t k = random.between(3, n - 6);
  const std::int64_t r = random.between(1, m - 2);
  const std::int64_t s = random.between(1, 30);
  set("N", n);
  set("M", m);
  set("K", k);
  set("R", r);
  set("S", s);
  set("Last", n - 1);
  set("Final", m - 1);
  set("Mirror", n - 1 - k);
  set("After", k + 1);
  set("Next", k + 2);
  set("Before", k - 1);
  set("Inner", n - 2);
  set("Padded", n + 2);
  set("Half", n / 2);
  set("Quarter", n / 4);
  set("Double", n * 2);
  set("Rnext", r + 1);
  set("Groups", (n + 31) / 32);
  set("Tiles", m);
  set("Tile", r);
  set("Opposite", 31 - s);
  set("Far", (r * 37 + k * 101) % 9973);
  set("One", 1);
  set("Zero", 0);
  // k/16 with |k| < 64: every float type holds it, and its decimal is exact.
  std::int64_t sixteenths = random.between(1, 63);
  constant_ = static_cast<double>(sixteenths) / 16;
  texts_["C"] = print(*real_literal(constant_));
  texts_["T"] = std::string(kTypes[random.below(std::size(kTypes))]);
}

void AttackNumbers::set(const std::string& name, std::int64_t value) {
  numbers_[name] = value;
  texts_[name] = std::to_string(value);
}

std::int64_t AttackNumbers::at(std::string_view name) const {
  if (name == "*") return kEvery;
  std::int64_t value = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), value).ec == std::errc()) return value;
  return numbers_.find(name)->second;
}

std::vector<std::int64_t> AttackNumbers::list(std::string_view names) const {
  std::vector<std::int64_t> out;
  while (!names.empty()) {
    const std::size_t comma = names.find(',');
    out.push_back(at(names.substr(0, comma)));
    names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
  }
  return out;
}

void set_input(Attack& attack, const std::string& name, const std::vector<std::int64_t>& subscripts, double value) {
  const Variable* variable = attack.before.signature.find(name);
  if (!variable || subscripts.size() != variable->shape.size()) return;
  if (const auto every = std::find(subscripts.begin(), subscripts.end(), kEvery); every != subscripts.end()) {
    const auto dimension = static_cast<std::size_t>(every - subscripts.begin());
    std::vector<std::int64_t> one = subscripts;
    for (one[dimension] = 0; one[dimension] < variable->shape[dimension]; ++one[dimension]) {
      set_input(attack, name, one, value);
    }
    return;
  }
  std::int64_t position = 0;
  for (std::size_t i = 0; i < subscripts.size(); ++i) position = position * variable->shape[i] + subscripts[i];
  attack.inputs.set[name][position] =
      is_float(variable->dtype) ? input_real(value) : input_integer(static_cast<std::int64_t>(value));
}

void set_inputs(Attack& attack, std::string_view text, const AttackNumbers& numbers) {
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view one = text.substr(0, blank);
    const std::size_t at = one.find('@');
    const std::size_t equals = one.find('=');
    const std::string_view value = one.substr(equals + 1);
    const bool named = value[0] >= 'A' && value[0] <= 'Z';
    double number = numbers.constant();
    if (value != "C") number = named ? static_cast<double>(numbers.at(value)) : std::stod(std::string(value));
    set_input(attack, std::string(one.substr(0, at)), numbers.list(one.substr(at + 1, equals - at - 1)), number);
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
  }
}

std::optional<Attack> attack_from(std::string name, const std::string& signature, const std::string& before,
                                  const std::string& after) {
  Attack attack;
  attack.name = std::move(name);
  for (const bool first : {true, false}) {
    Document document = read_document("attack", signature + (first ? before : after) + "\n");
    if (!document.ok) {
      std::fprintf(stderr, "attack %s cannot be read:\n%s%s\n", attack.name.c_str(),
                   render(document.diagnostics, *document.source).c_str(), (first ? before : after).c_str());
      return std::nullopt;
    }
    (first ? attack.before : attack.after) = std::move(document.program);
  }
  return attack;
}

}  // namespace steptp::testing
