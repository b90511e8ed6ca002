#include "steptp/safety/presburger.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr unsigned long kMaxOperations = 400'000;

struct FreeSet {
  void operator()(isl_set* set) const { isl_set_free(set); }
};
using SetPtr = std::unique_ptr<isl_set, FreeSet>;

}  // namespace

struct Presburger::Context {
  isl_ctx* ctx = isl_ctx_alloc();
  ~Context() { isl_ctx_free(ctx); }
  Context() { isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Presburger::Presburger() = default;
Presburger::~Presburger() = default;

Presburger::Answer Presburger::covered(const std::string& whole, const std::vector<std::string>& parts,
                                       std::size_t dimensions) {
  Answer answer;
  if (!context_) context_ = std::make_unique<Context>();
  isl_ctx* const ctx = context_->ctx;
  isl_ctx_reset_error(ctx);
  isl_ctx_reset_operations(ctx);
  isl_ctx_set_max_operations(ctx, kMaxOperations);
  SetPtr rest(isl_set_read_from_str(ctx, whole.c_str()));
  for (const std::string& part : parts) {
    SetPtr known(isl_set_read_from_str(ctx, part.c_str()));
    if (!rest || !known) return answer;
    rest.reset(isl_set_subtract(rest.release(), known.release()));
    if (rest) rest.reset(isl_set_coalesce(rest.release()));
  }
  if (!rest) return answer;
  const isl_bool empty = isl_set_is_empty(rest.get());
  if (empty == isl_bool_error) return answer;
  if (empty == isl_bool_true) {
    answer.kind = Answer::Kind::covered;
    return answer;
  }
  // The least point: the same witness on every run.
  rest.reset(isl_set_lexmin(rest.release()));
  isl_point* point = rest ? isl_set_sample_point(rest.release()) : nullptr;
  if (!point) return answer;
  answer.kind = Answer::Kind::missing;
  for (std::size_t i = 0; i < dimensions; ++i) {
    isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(i));
    answer.point.push_back(isl_val_get_num_si(value));
    isl_val_free(value);
  }
  isl_point_free(point);
  return answer;
}

namespace {

/// isl reads a number before a product, and no signs or brackets around it.
void append_scaled(std::string& out, std::int64_t coefficient, const std::string& factor) {
  append(out, coefficient < 0 ? " - " : " + ", coefficient < 0 ? -coefficient : coefficient, "*", factor);
}

std::optional<std::string> atom_text(const IndexAtom& atom, const Renaming& names) {
  struct Visitor {
    const Renaming& names;
    std::optional<std::string> operator()(const LoopVariable& variable) const {
      const auto known = names.find(variable.name);
      if (known == names.end()) return std::nullopt;
      return known->second;
    }
    std::optional<std::string> operator()(const FloorQuotient& node) const {
      return quotient(*node.dividend, *node.divisor);
    }
    std::optional<std::string> operator()(const FloorRemainder& node) const {
      const auto dividend = isl_text(*node.dividend, names);
      const auto floor = quotient(*node.dividend, *node.divisor);
      if (!dividend || !floor) return std::nullopt;
      std::string out = concat("(", *dividend);
      append_scaled(out, -node.divisor->constant_term(), *floor);
      return out + ")";
    }
    std::optional<std::string> operator()(const IndirectRead&) const { return std::nullopt; }

    [[nodiscard]] std::optional<std::string> quotient(const Index& dividend, const Index& divisor) const {
      const auto text = isl_text(dividend, names);
      if (!text || !divisor.is_constant()) return std::nullopt;
      const std::int64_t by = divisor.constant_term();
      if (by > 0) return concat("floor((", *text, ")/", by, ")");
      return concat("floor((0 - (", *text, "))/", -by, ")");
    }
  };
  return std::visit(Visitor{names}, atom);
}

CompareOp negated(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater_equal;
    case CompareOp::less_equal: return CompareOp::greater;
    case CompareOp::greater: return CompareOp::less_equal;
    case CompareOp::greater_equal: return CompareOp::less;
    case CompareOp::equal: return CompareOp::not_equal;
    case CompareOp::not_equal: return CompareOp::equal;
  }
  return op;
}

std::string comparison_text(const std::string& left, CompareOp op, const std::string& right) {
  switch (op) {
    case CompareOp::less: return concat("(", left, " < ", right, ")");
    case CompareOp::less_equal: return concat("(", left, " <= ", right, ")");
    case CompareOp::greater: return concat("(", left, " > ", right, ")");
    case CompareOp::greater_equal: return concat("(", left, " >= ", right, ")");
    case CompareOp::equal: return concat("(", left, " = ", right, ")");
    case CompareOp::not_equal: return concat("((", left, " < ", right, ") or (", left, " > ", right, "))");
  }
  return {};
}

std::string joined(const std::vector<std::string>& parts, bool conjunction) {
  return concat("(", join(parts, conjunction ? " and " : " or ", [](const std::string& part) { return part; }), ")");
}

}  // namespace

std::optional<std::string> isl_text(const Index& index, const Renaming& names) {
  std::string out = std::to_string(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    if (term.factors.size() != 1) return std::nullopt;
    const auto factor = atom_text(term.factors[0], names);
    if (!factor) return std::nullopt;
    append_scaled(out, term.coefficient, *factor);
  }
  return out;
}

std::optional<std::string> isl_text(const Expr& condition, bool holds, const Renaming& names) {
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    std::vector<std::string> parts;
    for (const ExprPtr& operand : logic->operands) {
      auto part = isl_text(*operand, holds, names);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    }
    return joined(parts, (logic->op == LogicOp::conjunction) == holds);
  }
  const auto operand_text = [&names](const Expr& operand) -> std::optional<std::string> {
    const auto index = to_index(operand);
    return index ? isl_text(*index, names) : std::nullopt;
  };
  if (const auto* compare = std::get_if<Compare>(&condition.node)) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < compare->operators.size(); ++i) {
      const auto left = operand_text(*compare->operands[i]);
      const auto right = operand_text(*compare->operands[i + 1]);
      if (!left || !right) return std::nullopt;
      const CompareOp op = holds ? compare->operators[i] : negated(compare->operators[i]);
      parts.push_back(comparison_text(*left, op, *right));
    }
    return joined(parts, holds);
  }
  const auto value = operand_text(condition);
  if (!value) return std::nullopt;
  return comparison_text(*value, holds ? CompareOp::not_equal : CompareOp::equal, "0");
}

}  // namespace steptp
