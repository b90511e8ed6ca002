#include "testing/certificate_lies.h"

#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/certificate.h"
#include "testing/attacker.h"

namespace steptp::testing {

namespace {

std::string hexadecimal(Hash hash) {
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(hash >> shift) & 15];
  return out;
}

Json with(const Json& object, std::string_view key, const Json& value) {
  Json::Object out;
  for (const auto& [name, old] : *object.as_object()) out.emplace_back(name, name == key ? value : old);
  return out;
}

NestPtr times_one(const Nest& nest, bool& is_changed) {
  std::vector<Item> items;
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      items.emplace_back(times_one(**inner, is_changed));
      continue;
    }
    const Equation& equation = *std::get<EquationPtr>(item);
    const bool is_plain = !is_condition(*equation.right) && !accumulation_operator(*equation.left, equation.right);
    is_changed = is_changed || is_plain;
    items.emplace_back(
        make_equation(equation.left, is_plain ? make_product(equation.right, ArithmeticOp::multiply, integer_literal(1))
                                              : equation.right));
  }
  return make_nest(nest.loops, nest.guard, std::move(items));
}

Pair pair_of(const Program& before, const Program& after) {
  return make_pair(read_document("before", print_document(before, Profile::paper)),
                   read_document("after", print_document(after, Profile::paper)));
}

}  // namespace

std::optional<std::string> lying_certificate(const Pair& honest, const Program& instead) {
  VerifyOptions options;
  options.seed = 1;
  options.keep_record = true;
  options.budget = 4'000'000;
  options.safety_budget = 0;
  const Judgement judgement = verify_pair(honest, options);
  if (!is_equal(judgement.verdict) || judgement.same) return std::nullopt;
  const Json json = certificate(honest, judgement);
  const std::string text = print(instead);
  const Json hash = with(*json.find("hash"), "after", hexadecimal(hash_text(text)));
  return with(with(json, "after", text), "hash", hash).dump();
}

void for_each_attack_lie(std::uint64_t seed, std::uint64_t count,
                         const std::function<void(const std::string& id, const std::string& certificate)>& visit) {
  const Random random(seed);
  const std::vector<AttackClass>& classes = attack_classes();
  for (std::uint64_t i = 0; i < count; ++i) {
    Random draw = random.fork(i);
    const auto attack = classes[static_cast<std::size_t>(draw.below(classes.size()))].make(draw);
    if (!attack || (attack->reason == AttackReason::value && !confirm(*attack))) continue;
    Program honest = attack->before;
    bool is_changed = false;
    for (NestPtr& nest : honest.nests) nest = times_one(*nest, is_changed);
    if (!is_changed) continue;
    if (const auto text = lying_certificate(pair_of(attack->before, honest), attack->after)) {
      visit(concat("lie:", seed, ":", i, ":", attack->name), *text);
    }
  }
}

}  // namespace steptp::testing
