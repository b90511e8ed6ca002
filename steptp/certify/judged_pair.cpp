#include "steptp/certify/judged_pair.h"

#include <algorithm>

#include "steptp/base/hash.h"
#include "steptp/ir/canonical.h"

namespace steptp::certify {

JudgedPair::JudgedPair(const Program& old_program, const Program& new_program, const CertifyOptions& wanted,
                       std::optional<int> kept)
    : options(wanted),
      before_program(old_program),
      after_program(new_program),
      before(compile(old_program)),
      after(compile(new_program)),
      model(model_inputs(old_program, new_program, wanted.guesses_domains ? Guesses::from_use : Guesses::none)),
      window(kept ? cut_window(before, after, model, old_program.signature, wanted.same_tensors, *kept) : Window{}),
      pair{before, after, combine(combine(wanted.seed, hash_of(old_program)), hash_of(new_program))},
      before_coverage(before, model),
      after_coverage(after, model),
      budget{wanted.budget_operations, wanted.budget_bytes, wanted.stop},
      signature(kept ? window.signature : old_program.signature) {}

bool JudgedPair::has_integer_inputs() const {
  return std::any_of(model.inputs.begin(), model.inputs.end(),
                     [](const InputFacts& facts) { return !is_float(facts.variable->dtype); });
}

bool JudgedPair::has_free_integers() const {
  return std::any_of(model.inputs.begin(), model.inputs.end(), [](const InputFacts& facts) {
    return !is_float(facts.variable->dtype) && facts.variable->values.empty();
  });
}

bool JudgedPair::draws_integers() const {
  const auto makes_integers = [](const Code& code) {
    return std::any_of(code.nodes.begin(), code.nodes.end(),
                       [](const Node& node) { return node.op == Op::integer_of_real && node.dtype != DType::boolean; });
  };
  return has_free_integers() || makes_integers(before) || makes_integers(after);
}

std::uint64_t JudgedPair::seed_of(DrawKind kind, std::uint64_t trial) const {
  return combine(combine(mix(options.seed), static_cast<Hash>(kind)), trial);
}

}  // namespace steptp::certify
