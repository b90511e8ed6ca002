// Proofs against the oracle: two programs that have one normal form compute the same values. The prover sees symbolic
// indices only, the oracle runs element by element; they share no code.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "steptp/documents/run_document.h"
#include "steptp/prove/prove.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "testing/generator.h"
#include "testing/mutator.h"
#include "testing/oracle_support.h"
#include "testing/soak.h"
#include "testing/tree_editor.h"

namespace steptp::testing {
namespace {

/// The same program with every float in f64: what is left of rounding is then far below every real difference.
Program widened(const Program& program) {
  const auto wide = [](DType dtype) { return is_float(dtype) ? DType::f64 : dtype; };
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    return wide(ref->dtype) == ref->dtype ? ref : make_ref(ref->tensor, wide(ref->dtype), ref->scope, ref->subscripts);
  };
  Program result = edit(program, hooks);
  for (Variable& variable : result.signature.variables) variable.dtype = wide(variable.dtype);
  return result;
}

bool agree(double before, double after) {
  if (!std::isfinite(before)) return true;  // such points do not count
  return std::isfinite(after) && std::abs(before - after) <= 1e-7 * (1 + std::abs(before));
}

struct Counts {
  int proved = 0;
  int compared = 0;
};

void judge(const Program& before, const Program& after, Counts& counts) {
  if (!(before.signature == after.signature)) return;
  const Proof proof = prove(before, after);
  ++counts.compared;
  if (!proof.proved) return;
  ++counts.proved;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto inputs = seeded_inputs(before, seed);
    if (!inputs) return;
    const auto left = run(before, *inputs);
    const auto right = run(after, *inputs);
    if (!left) return;
    ASSERT_TRUE(right.ok()) << right.error().message << "\n" << print_document(after, Profile::paper);
    for (const auto& [name, tensor] : left->outputs) {
      const auto a = numbers(tensor);
      const auto b = numbers(right->outputs.at(name));
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_TRUE(agree(a[i], b[i])) << name << "[" << i << "] is " << a[i] << " and " << b[i] << "\n"
                                       << print_document(before, Profile::paper) << "\n"
                                       << print_document(after, Profile::paper);
      }
    }
  }
}

TEST(ProofsAgainstOracle, MutantsThatAreProvedComputeTheSame) {
  Counts counts;
  const Random random(11);
  const auto programs = soaked(300);
  for (std::uint64_t i = 0; i < programs && !HasFatalFailure(); ++i) {
    Random draw = random.fork(i);
    const Program program = widened(generate_program(draw, {}));
    for (int k = 0; k < 6 && !HasFatalFailure(); ++k) {
      const auto mutant = mutate(program, draw);
      if (!mutant || check_program(mutant->program).verdict != CheckReport::Verdict::ok) continue;
      judge(program, widened(mutant->program), counts);
    }
  }
  EXPECT_GT(counts.compared, 200);
  EXPECT_GT(counts.proved, 10);
  RecordProperty("compared", counts.compared);
  RecordProperty("proved", counts.proved);
}

TEST(ProofsAgainstOracle, EveryProgramEqualsItself) {
  const Random random(12);
  const auto programs = soaked(300);
  int proved = 0;
  for (std::uint64_t i = 0; i < programs; ++i) {
    Random draw = random.fork(i);
    const Program program = generate_program(draw, {});
    proved += prove(program, program).proved ? 1 : 0;
  }
  // What has no normal form is left to evaluation; most programs have one.
  EXPECT_GT(proved, static_cast<int>(programs) / 2);
  RecordProperty("proved", proved);
}

}  // namespace
}  // namespace steptp::testing
