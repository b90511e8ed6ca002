#pragma once

// Reductions that become recurrences over one of their loops: what the strategies on online algorithms share. The
// matchers look at structure, up to the names of loops and the order of operands.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/strategies/matching.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// What stands in the way: the id of a precondition, which every strategy of the family declares for itself.
struct Obstacle {
  std::string_view id;
  std::string message;
};
/// The refusal, with the precondition of that id from a strategy's two lists.
[[nodiscard]] Refusal refuse(std::span<const Precondition> published, std::span<const Precondition> safety,
                             const Site& place, const Obstacle& obstacle);

/// A nest that is one accumulation X=X(+)term over tensors in `g`, the only writer of X; each iteration of the loops in
/// the left subscripts and of those around the nest has an element of its own.
struct Reduction {
  const PlacedNest* place = nullptr;
  const Statement* statement = nullptr;
  ArithmeticOp op = ArithmeticOp::add;
  ExprPtr term;
  std::vector<Loop>
      output;  ///< its own loops in the left subscripts, and bound ones of one iteration, as in the header
  std::vector<Loop> reduced;  ///< the others

  [[nodiscard]] const RefPtr& left() const { return statement->equation->left; }
  [[nodiscard]] const std::vector<Loop>& loops() const { return place->nest->loops; }
};
/// Obstacles: pattern.
[[nodiscard]] Result<Reduction, Obstacle> find_reduction(View& view, const PlacedNest& place);

/// A maximum and a sum of exponentials of the same scores, X=max(X,A) and E=E+exp(A-X), one behind the other in one
/// body. Everything is in the names of the loops of the sum.
struct SoftmaxPair {
  Reduction max;
  Reduction sum;
  ExprPtr scores;         ///< A
  RefPtr maximum;         ///< X as the sum reads it
  bool is_above = false;  ///< A is surely more than -inf
};
/// The pair whose sum is at a place. Obstacles: pattern, between.
[[nodiscard]] Result<SoftmaxPair, Obstacle> find_pair(View& view, const PlacedNest& sum);

/// Whether a read of the sum stands in exp(A-X)/E or A-X-log(E) with the same scores.
[[nodiscard]] bool is_softmax_use(View& view, const SoftmaxPair& pair, const Statement& statement);

/// How a recurrence is written: as published, where every maximum is more than -inf; or deferred, which is safe where a
/// row begins with -inf.
enum class OnlineForm : std::uint8_t { published, deferred };

/// The recurrences X_{k} and N_{k} of a softmax, found in a program.
struct OnlineSoftmax {
  const PlacedNest* nest = nullptr;  ///< over the output loops and k; the equations of X and N are items of its body
  OnlineForm form = OnlineForm::deferred;
  std::string carry;         ///< k
  std::vector<Loop> output;  ///< the other loops of the nest
  std::vector<Loop> inner;   ///< blocked: the loops over which the term of a step is reduced
  ExprPtr scores;            ///< in the names of `output`, `carry` and `inner`
  RefPtr maximum;            ///< X_{..,k}
  RefPtr sum;                ///< N_{..,k}
  RefPtr weights;            ///< blocked: what holds exp(A-X_{k})
  RefPtr factor;             ///< blocked: what holds exp(X_{k-1}-X_{k})
  std::int64_t extent = 1;   ///< of k

  [[nodiscard]] std::vector<Loop> all_loops() const;
};
/// P=exp(A-X_{..,n-1})/N_{..,n-1}, summed up with values: O=O+P*V. What is divided by may be guarded.
struct Attention {
  OnlineSoftmax online;
  Reduction matmul;
  const PlacedNest* quotient = nullptr;  ///< the nest that makes P
  ExprPtr values;                        ///< V, in the names of the matmul's loops
  bool is_guarded = false;               ///< P is NaN for a row that is masked as a whole
  LoopNames names;                       ///< from the loops of the recurrences to those of the matmul
  bool moves_down = false;               ///< V is made between: the recurrences go where the matmul stands
};
/// The attention whose matmul is at a place. Obstacles: pattern, alone, between.
[[nodiscard]] Result<Attention, Obstacle> find_attention(View& view, const PlacedNest& matmul);

/// The nest that writes the factor P of O=O+P*V, where P is exp(A-X)/E of a pair: the nest of E's sum.
[[nodiscard]] Result<const PlacedNest*, Obstacle> find_normal_softmax(View& view, const PlacedNest& matmul);

/// A program with recurrences in place of reductions.
struct Online {
  Program program;
  std::vector<Part> matched;
  std::vector<Part> removed;
  std::vector<Part> added;
  std::string carry;
  std::vector<std::string> tensors;  ///< new ones
};
/// X=X(+)term as a recurrence over one of its loops, and X as its last value.
/// Obstacles: pattern (no such loop), serial, identity, memory.
[[nodiscard]] Result<Online, Obstacle> prefix_form(View& view, const Reduction& reduction, const std::string& carry);
/// Both reductions of a pair as recurrences over one loop; with `keeps_sum` E stays, as a copy of the last value.
/// Obstacles: pattern (no such loop), serial, above, memory.
[[nodiscard]] Result<Online, Obstacle> online_form(View& view, const SoftmaxPair& pair, const std::string& carry,
                                                   OnlineForm form, bool keeps_sum);
/// The matmul as a recurrence beside those of the softmax. Obstacles: memory.
[[nodiscard]] Result<Online, Obstacle> attention_form(View& view, const Attention& attention);

/// The parts of the recurrences, as the builders write them and the matcher looks for them.
/// max(if_then_else(k-1<0,-inf,X_{k-1}),term)
[[nodiscard]] ExprPtr prefix_maximum(const RefPtr& maximum, const std::string& carry, const ExprPtr& term);
/// The sum with its step added: previous value, corrected, and the term.
[[nodiscard]] ExprPtr prefix_sum(OnlineForm form, const RefPtr& maximum, const RefPtr& sum, const std::string& carry,
                                 const ExprPtr& term);
/// Blocked: if_then_else(X_{k}==-inf,0,exp(X_{k-1}-X_{k})), by which what was summed before is multiplied
[[nodiscard]] ExprPtr correction(const RefPtr& maximum, const std::string& carry);
/// Blocked: the previous value times the factor, and the term.
[[nodiscard]] ExprPtr corrected_sum(const RefPtr& sum, const RefPtr& factor, const std::string& carry,
                                    const ExprPtr& term);
/// exp(A-X)
[[nodiscard]] ExprPtr weight(const ExprPtr& scores, const RefPtr& maximum);
/// if_then_else(X==-inf,0,exp(A-X))
[[nodiscard]] ExprPtr safe_weight(const ExprPtr& scores, const RefPtr& maximum);
/// if_then_else(X==-inf,inf-inf,N): of a row that is masked as a whole the sum is NaN, as it was before the step; N
/// itself is zero there, and nothing may be divided by it.
[[nodiscard]] ExprPtr guarded_sum(const RefPtr& maximum, const RefPtr& sum);
/// The reference with its last subscript replaced.
[[nodiscard]] RefPtr with_last(const RefPtr& ref, const Index& last);
/// The reference with one subscript more.
[[nodiscard]] RefPtr with_more(const RefPtr& ref, const std::string& name, const Index& last);

/// All loops around an equation.
[[nodiscard]] std::vector<Loop> loops_of(const Statement& statement);
/// The address of the body in which a nest stands, and the nest's number in it.
[[nodiscard]] std::vector<std::uint32_t> body_of(const PlacedNest& nest);
/// A tensor of these that some item, from one number on up to before another, writes (or, where wanted, touches).
[[nodiscard]] std::optional<std::string> touched_between(View& view, const std::vector<std::uint32_t>& body,
                                                         std::uint32_t from, std::uint32_t to,
                                                         const std::set<std::string>& tensors, bool reads_count);

/// The words of the forms and of their parameter.
inline constexpr std::string_view kFormWords[] = {"published", "deferred"};
[[nodiscard]] Result<OnlineForm, Refusal> form_of(const Choice& choice);

/// Offers, for each form, the reduced loops that may carry the recurrences; several of them mean blocks, which are
/// extended.
void offer_forms(const PlacedNest& nest, const std::vector<Loop>& reduced,
                 const std::function<bool(const std::string& loop, OnlineForm form)>& is_allowed, Listing& listing);
/// What every strategy of the family answers: the program, and what was matched, removed and added.
[[nodiscard]] Applied applied_from(Online online);

}  // namespace steptp
