// Sets of integer points go to isl as matrices of constraints. Each question has a budget of isl operations, so an
// answer does not depend on the speed of the machine; after a few questions have run out of budget, all later ones
// are given up at once. The least point of a set is the witness, so messages are the same on every run. Decision
// 0003.
#include "steptp/analysis/presburger.h"

#include <isl/ctx.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>
#include <climits>
#include <unordered_map>

namespace steptp {

namespace {

constexpr unsigned long kMaxOperations = 400'000;
constexpr std::size_t kMaxGivenUp = 16;

struct FreeSet {
  void operator()(isl_set* set) const { isl_set_free(set); }
};
using SetPtr = std::unique_ptr<isl_set, FreeSet>;

isl_val* to_isl(isl_ctx* ctx, Wide value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return isl_val_int_from_si(ctx, static_cast<long>(value));
  const Wide magnitude = value < 0 ? -value : value;
  const std::uint64_t chunks[] = {static_cast<std::uint64_t>(magnitude), static_cast<std::uint64_t>(magnitude >> 64)};
  isl_val* result = isl_val_int_from_chunks(ctx, 2, sizeof chunks[0], chunks);
  return value < 0 ? isl_val_neg(result) : result;
}

/// The rows of the equations, or of the others: a column per variable, then the constant.
isl_mat* to_isl(isl_ctx* ctx, const Clause& clause, bool equations, std::size_t variables) {
  const auto fits = [equations](const Constraint& constraint) { return constraint.is_equation == equations; };
  const auto rows = std::count_if(clause.begin(), clause.end(), fits);
  isl_mat* matrix = isl_mat_alloc(ctx, static_cast<unsigned>(rows), static_cast<unsigned>(variables + 1));
  std::vector<Wide> row(variables + 1);
  int number = 0;
  for (const Constraint& constraint : clause) {
    if (!fits(constraint)) continue;
    std::fill(row.begin(), row.end(), 0);
    for (const auto& [variable, coefficient] : constraint.sum.terms) row[variable] += coefficient;
    row[variables] = constraint.sum.constant;
    for (std::size_t i = 0; i <= variables; ++i) {
      const auto column = static_cast<int>(i);
      matrix = row[i] >= INT_MIN && row[i] <= INT_MAX
                   ? isl_mat_set_element_si(matrix, number, column, static_cast<int>(row[i]))
                   : isl_mat_set_element_val(matrix, number, column, to_isl(ctx, row[i]));
    }
    ++number;
  }
  return matrix;
}

/// Null where isl gave up or the set has too many clauses.
SetPtr to_isl(isl_ctx* ctx, const IntegerSet& set) {
  const auto clauses = set.clauses();
  if (!clauses) return nullptr;
  isl_space* const space = isl_space_set_alloc(ctx, 0, static_cast<unsigned>(set.dimensions));
  SetPtr all(isl_set_empty(isl_space_copy(space)));
  for (const Clause& clause : *clauses) {
    isl_basic_set* part = isl_basic_set_from_constraint_matrices(
        isl_space_copy(space), to_isl(ctx, clause, true, set.variables()), to_isl(ctx, clause, false, set.variables()),
        isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
    all.reset(isl_set_union(all.release(), isl_set_from_basic_set(part)));
  }
  isl_space_free(space);
  return all;
}

/// Answers by the text of their questions. Where there is no room for another, all are forgotten.
template <class Value>
class Answers {
 public:
  template <class Ask>
  const Value& get(const std::string& question, Ask ask) {
    const auto known = answers_.find(question);
    if (known != answers_.end()) return known->second;
    bytes_ += question.size();
    if (bytes_ > kMaxBytes) {
      answers_.clear();
      bytes_ = question.size();
    }
    return answers_.emplace(question, ask()).first->second;
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
  std::unordered_map<std::string, Value> answers_;
  std::size_t bytes_ = 0;  ///< of the questions
};

}  // namespace

/// The least point of a set that is not null: the same witness on every run. False where isl gave up.
bool least_point_of(SetPtr set, std::size_t dimensions, std::vector<std::int64_t>& out) {
  set.reset(isl_set_lexmin(set.release()));
  isl_point* point = set ? isl_set_sample_point(set.release()) : nullptr;
  if (!point) return false;
  for (std::size_t i = 0; i < dimensions; ++i) {
    isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(i));
    out.push_back(isl_val_get_num_si(value));
    isl_val_free(value);
  }
  isl_point_free(point);
  return true;
}

struct Presburger::Context {
  isl_ctx* ctx = isl_ctx_alloc();
  ~Context() { isl_ctx_free(ctx); }
  Context() { isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Presburger::Presburger() = default;
Presburger::~Presburger() = default;

isl_ctx* Presburger::begin_question() {
  if (!context_) context_ = std::make_unique<Context>();
  isl_ctx* const ctx = context_->ctx;
  isl_ctx_reset_error(ctx);
  isl_ctx_reset_operations(ctx);
  isl_ctx_set_max_operations(ctx, kMaxOperations);
  return ctx;
}

Presburger::Answer Presburger::covered(const IntegerSet& whole, const std::vector<IntegerSet>& parts) {
  thread_local Answers<Answer> known;
  if (given_up_ >= kMaxGivenUp) return {};
  std::string question;
  whole.append_text(question);
  for (const IntegerSet& part : parts) part.append_text(question);
  Answer answer = known.get(question, [&] { return ask_covered(whole, parts); });
  given_up_ += answer.kind == Answer::Kind::gave_up ? 1 : 0;
  return answer;
}

Presburger::Sample Presburger::least_point(const IntegerSet& set) {
  thread_local Answers<Sample> known;
  if (given_up_ >= kMaxGivenUp) return {};
  std::string question;
  set.append_text(question);
  Sample sample = known.get(question, [&] { return ask_least_point(set); });
  given_up_ += sample.kind == Sample::Kind::gave_up ? 1 : 0;
  return sample;
}

Presburger::Answer Presburger::ask_covered(const IntegerSet& whole, const std::vector<IntegerSet>& parts) {
  Answer answer;
  isl_ctx* const ctx = begin_question();
  SetPtr rest = to_isl(ctx, whole);
  for (const IntegerSet& part : parts) {
    SetPtr known = to_isl(ctx, part);
    if (!rest || !known) return answer;
    rest.reset(isl_set_subtract(rest.release(), known.release()));
    if (rest) rest.reset(isl_set_coalesce(rest.release()));
  }
  if (!rest) return answer;
  const isl_bool empty = isl_set_is_empty(rest.get());
  if (empty == isl_bool_error) return answer;
  if (empty == isl_bool_true) {
    answer.kind = Answer::Kind::covered;
  } else if (least_point_of(std::move(rest), whole.dimensions, answer.point)) {
    answer.kind = Answer::Kind::missing;
  }
  return answer;
}

Presburger::Sample Presburger::ask_least_point(const IntegerSet& set) {
  Sample sample;
  SetPtr points = to_isl(begin_question(), set);
  if (!points) return sample;
  const isl_bool empty = isl_set_is_empty(points.get());
  if (empty == isl_bool_error) return sample;
  if (empty == isl_bool_true) {
    sample.kind = Sample::Kind::empty;
  } else if (least_point_of(std::move(points), set.dimensions, sample.point)) {
    sample.kind = Sample::Kind::found;
  }
  return sample;
}

}  // namespace steptp
