#include "testing/equal_pairs.h"

#include "testing/equal_steps.h"
#include "testing/generator.h"
#include "testing/shorthand.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

namespace {

// M, N, K are drawn extents, P is N + 2, H is N // 2; T is a float type.
constexpr std::string_view kWritten[] = {
    // elementwise chains
    "@input A $T[$M,$N]\n@input E $T[$M,$N]\n@output C $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)[F[tx,a]=A[tx,a]*A[tx,a]+E[tx,a];];B(tx,$M)L(a,$N)[G[tx,a]=max(F[tx,a],0);];"
    "B(tx,$M)L(a,$N)[C[tx,a]=(G[tx,a]-E[tx,a])*0.5;];",
    "@input A $T[$M,$N]\n@param E $T[$N]\n@output C $T[$M,$N]\n@output D $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)[F[tx,a]=A[tx,a]+E[a];];B(tx,$M)L(a,$N)[C[tx,a]=if_then_else(F[tx,a]<0,0.1*F[tx,a],F[tx,a]);];"
    "B(tx,$M)L(a,$N)[D[tx,a]=(F[tx,a]+A[tx,a])*(C[tx,a]-1);];",
    // matrix product, bias, relu
    "@input A $T[$M,$K]\n@param E $T[$K,$N]\n@param F $T[$N]\n@output C $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)L(d,$K)[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];B(tx,$M)L(a,$N)[C[tx,a]=max(G[tx,a]+F[a],0);];",
    // two products in a row
    "@input A $T[$M,$K]\n@param E $T[$K,$N]\n@param F $T[$N,$M]\n@output C $T[$M,$M]\n"
    "B(tx,$M)L(a,$N)L(d,$K)[G[tx,a]=G[tx,a]+A[tx,d]*E[d,a];];B(tx,$M)L(a,$M)L(d,$N)[C[tx,a]=C[tx,a]+G[tx,d]*F[d,a];];",
    // convolution with padding
    "@input A $T[$M,$N,$N]\n@param K $T[$K,$M,3,3]\n@output C $T[$K,$N,$N]\n"
    "B(tx,$M)L(a,$P)L(d,$P)[E[tx,a,d]=if_then_else(1<=a<=$N&1<=d<=$N,A[tx,a-1,d-1],0);];"
    "B(tx,$K)L(a,$N)L(d,$N)L(f,$M)L(g,3)L(h,3)[C[tx,a,d]=C[tx,a,d]+E[f,a+g,d+h]*K[tx,f,g,h];];",
    // softmax
    "@input A $T[$M,$N]\n@output C $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],A[tx,a]);];B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];"
    "B(tx,$M)L(a,$N)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];",
    // layer norm
    "@input A $T[$M,$N]\n@param E $T[$N]\n@output C $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)[D[tx]=D[tx]+A[tx,a];];B(tx,$M)[F[tx]=D[tx]/$N;];"
    "B(tx,$M)L(a,$N)[G[tx]=G[tx]+(A[tx,a]-F[tx])*(A[tx,a]-F[tx]);];"
    "B(tx,$M)L(a,$N)[C[tx,a]=(A[tx,a]-F[tx])/sqrt(G[tx]/$N+1e-05)*E[a];];",
    // variance, without a root
    "@input A $T[$M,$N]\n@output C $T[$M]\n"
    "B(tx,$M)L(a,$N)[D[tx]=D[tx]+A[tx,a];];"
    "B(tx,$M)L(a,$N)[C[tx]=C[tx]+(A[tx,a]-D[tx]/$N)*(A[tx,a]-D[tx]/$N);];",
    // pooling
    "@input A $T[$M,$N,$N]\n@output C $T[$M,$H,$H]\n@output D $T[$M,$H]\n"
    "B(tx,$M)L(a,$H)L(d,$H)L(f,2)L(g,2)[C[tx,a,d]=max(C[tx,a,d],A[tx,a*2+f,d*2+g]);];"
    "B(tx,$M)L(a,$H)L(d,$H)[D[tx,a]=D[tx,a]+C[tx,a,d]*0.25;];",
    // gather
    "@input A $T[$N,$K]\n@input I i64[$M] [0,$N)\n@output C $T[$M,$K]\n"
    "B(tx,$M)L(a,$K)[E[tx,a]=A[I:i64[tx],a]*2;];B(tx,$M)L(a,$K)[C[tx,a]=E[tx,a]+E[0,a];];",
    // rms norm and gelu
    "@input A $T[$M,$N]\n@output C $T[$M,$N]\n"
    "B(tx,$M)L(a,$N)[D[tx]=D[tx]+A[tx,a]**2;];B(tx,$M)L(a,$N)[E[tx,a]=A[tx,a]/sqrt(D[tx]/$N+1e-05);];"
    "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]*0.5*(1+erf(E[tx,a]*0.7071067811865476));];",
    // transposition and a triangular mask
    "@input A $T[$M,$N]\n@output C $T[$N]\n"
    "B(tx,$N)L(a,$M)[E[tx,a]=if_then_else(a<=tx,A[a,tx],0);];B(tx,$N)L(a,$M)[C[tx]=C[tx]+E[tx,a]*(a+1);];",
};

ShorthandValues values_of(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{"T", std::string(code(dtype))}, {"M", std::to_string(m)},     {"N", std::to_string(n)},
          {"K", std::to_string(k)},        {"P", std::to_string(n + 2)}, {"H", std::to_string(n / 2)}};
}

ShorthandValues drawn_values(Random& random) {
  static constexpr DType kTypes[] = {DType::f64, DType::f32, DType::f16, DType::bf16};
  const std::int64_t n = 2 * random.between(1, 4);
  const DType dtype = kTypes[random.below(4)];
  const std::int64_t m = random.between(2, 5);
  return values_of(dtype, m, n, random.between(2, 4));
}

}  // namespace

std::size_t written_kinds() { return std::size(kWritten); }

Program written_program(std::size_t kind, Random& random) {
  return shorthand_program(kWritten[kind], drawn_values(random));
}

Program written_program(std::size_t kind, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return shorthand_program(kWritten[kind], values_of(dtype, m, n, k));
}

Program written_program(Random& random) { return written_program(random.below(written_kinds()), random); }

EqualPair make_equal_pair(Random& random, const PairOptions& options) {
  EqualPair pair;
  if (options.one_generated_in > 0 && random.chance(1, options.one_generated_in)) {
    GeneratorOptions generator;
    generator.max_operations = 4000;
    pair.before = generate_program(random, generator);
    pair.steps.emplace_back("generated");
  } else {
    pair.before = written_program(random);
    pair.steps.emplace_back("written");
  }
  pair.after = pair.before;
  static const std::vector<EqualStep>* const kSteps[] = {&loop_steps(), &nest_steps(), &tensor_steps(),
                                                         &algebra_steps()};
  const auto wanted = static_cast<std::size_t>(random.between(1, options.most_steps));
  for (int attempt = 0; pair.steps.size() <= wanted && attempt < 60; ++attempt) {
    const std::vector<EqualStep>& group = *kSteps[random.below(std::size(kSteps))];
    const EqualStep& step = group[random.below(group.size())];
    if (step.apply(pair.after, random)) pair.steps.emplace_back(step.name);
  }
  return pair;
}

bool has_transcendental(const Program& program) {
  bool found = false;
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    if (const auto* call = std::get_if<Call>(&expr->node)) {
      switch (call->function) {
        case Function::negate:
        case Function::abs:
        case Function::floor:
        case Function::ceil:
        case Function::round: break;
        default: found = true;
      }
    }
    if (const auto* power = std::get_if<Power>(&expr->node)) {
      const auto* exponent = std::get_if<Literal>(&power->exponent->node);
      found = found || !exponent || !exponent->is_integer;
    }
    return expr;
  };
  (void)edit(program, hooks);
  return found;
}

}  // namespace steptp::testing
