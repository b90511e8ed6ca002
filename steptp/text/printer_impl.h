#pragma once

// The printer itself, for printer.cpp (texts) and printed_program.cpp (texts with the places of their parts).

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/text/name_table.h"
#include "steptp/text/profile.h"
#include "steptp/text/text_buffer.h"

namespace steptp::printing {

/// How tightly the outermost operator of an expression binds; brackets are needed where less is found than wanted.
enum class Level : std::uint8_t { disjunction, conjunction, comparison, sum, product, unary, power, atom };

struct LevelOf {
  Level operator()(const Literal&) const { return Level::atom; }
  Level operator()(const Infinity&) const { return Level::atom; }
  Level operator()(const IndexValue&) const { return Level::atom; }
  Level operator()(const Read&) const { return Level::atom; }
  Level operator()(const Sum&) const { return Level::sum; }
  Level operator()(const Product&) const { return Level::product; }
  Level operator()(const Power&) const { return Level::power; }
  Level operator()(const Extremum&) const { return Level::atom; }
  Level operator()(const Call& call) const { return call.function == Function::negate ? Level::unary : Level::atom; }
  Level operator()(const Select&) const { return Level::atom; }
  Level operator()(const Compare&) const { return Level::comparison; }
  Level operator()(const Logic& logic) const {
    return logic.op == LogicOp::conjunction ? Level::conjunction : Level::disjunction;
  }
};

/// The default of a compact text is the dtype of most tensors; ties in this order.
inline constexpr std::array kDefaultOrder = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64,
                                             DType::i32, DType::i16, DType::i8,  DType::u8,   DType::boolean};
static_assert(kDefaultOrder.size() == kAllDTypes.size(), "a new dtype needs its rank among the defaults");

/// Nothing is told.
struct NoPlaces {
  struct Place {};
  Place open(std::size_t) { return {}; }
  void close(Place, std::size_t, bool = false) {}
  Place open_unwritten() { return {}; }
  void close_unwritten(Place) {}
};

/// Writes trees as text. `Places` is told where each part begins and ends; NoPlaces costs nothing.
/// More than thirty functions, because each kind of node is one.
template <typename Places>
class Printer {
 public:
  explicit Printer(Profile profile, DType default_dtype = DType::f32, Places places = {})
      : compact_(profile == Profile::compact), default_dtype_(default_dtype), places_(std::move(places)) {}

  void program(const Program& program) {
    if (compact_ && default_dtype_ != DType::f32) {
      mark(code(default_dtype_));
      out_ += ';';
    }
    for (const NestPtr& item : program.nests) nest(*item);
  }

  /// The dtype of most tensors printed so far, by each name's first occurrence.
  [[nodiscard]] DType most_common_dtype() const {
    DType best = DType::f32;
    for (const DType dtype : kDefaultOrder) {
      if (first_dtypes_[static_cast<std::size_t>(dtype)] > first_dtypes_[static_cast<std::size_t>(best)]) best = dtype;
    }
    return best;
  }

  void nest(const Nest& nest) {
    const auto place = places_.open(out_.size());
    for (const Loop& item : nest.loops) {
      if (compact_ && &item != nest.loops.data()) out_ += ' ';
      loop(item);
    }
    if (nest.guard) {
      out_ += compact_ ? " ?(" : "?{";
      expr(*nest.guard, Level::disjunction);
      out_ += compact_ ? ')' : '}';
    }
    if (compact_ && nest.items.size() == 1 && std::holds_alternative<EquationPtr>(nest.items[0])) {
      out_ += ' ';
      equation(*std::get<EquationPtr>(nest.items[0]));
      places_.close(place, out_.size());
      return;
    }
    out_ += compact_ ? '{' : '[';
    for (const Item& item : nest.items) {
      if (const auto* single = std::get_if<EquationPtr>(&item)) {
        equation(**single);
      } else {
        this->nest(*std::get<NestPtr>(item));
      }
    }
    either('}', "];");
    places_.close(place, out_.size());
  }

  void loop(const Loop& loop) {
    const auto place = places_.open(out_.size());
    header(loop);
    places_.close(place, out_.size());
  }

  void equation(const Equation& equation) {
    const auto place = places_.open(out_.size());
    ref(*equation.left);
    if (!compact_ || !accumulation(equation)) {
      out_ += '=';
      expr(*equation.right, Level::disjunction);
    }
    places_.close(place, out_.size());
    out_ += ';';
  }

  void ref(const Ref& ref) {
    const auto place = places_.open(out_.size());
    reference(ref);
    places_.close(place, out_.size());
  }

  void index(const Index& index) {
    const auto place = places_.open(out_.size());
    terms(index);
    places_.close(place, out_.size());
  }

  void expr(const Expr& value, Level wanted) {
    const Level level = std::visit(LevelOf{}, value.node);
    if (level < wanted) out_ += '(';
    const auto place = places_.open(out_.size());
    std::visit([this](const auto& node) { this->node(node); }, value.node);
    places_.close(place, out_.size(), level < wanted);
    if (level < wanted) out_ += ')';
  }

  [[nodiscard]] std::string take() { return out_.take(); }
  [[nodiscard]] Places take_places() { return std::move(places_); }

 private:
  void terms(const Index& index) {
    const bool leads = !index.terms().empty() && index.terms().front().coefficient > 0;
    if (!leads && (index.is_constant() || index.constant_term() >= 0)) {
      // Nothing positive among the terms: the constant stands first, as in 3999-a (and 0-a).
      if (index.constant_term() < 0) out_ += "0-";
      number(magnitude(index.constant_term()));
      for (const IndexTerm& item : index.terms()) term(item, false);
      return;
    }
    if (!leads) out_ += '0';
    for (const IndexTerm& item : index.terms()) term(item, leads && &item == index.terms().data());
    if (index.constant_term() != 0) {
      out_ += index.constant_term() > 0 ? '+' : '-';
      number(magnitude(index.constant_term()));
    }
  }

  void reference(const Ref& ref) {
    out_ += ref.tensor;
    if (compact_) {
      compact_marks(ref);
    } else {
      out_ += "^{";
      out_ += code(ref.dtype);
      out_ += ',';
      out_ += code(ref.scope);
      out_ += '}';
    }
    if (ref.subscripts.empty()) return;
    either('(', "_{");
    for (const Index& subscript : ref.subscripts) {
      if (&subscript != ref.subscripts.data()) out_ += ',';
      index(subscript);
    }
    out_ += compact_ ? ')' : '}';
  }

  void header(const Loop& loop) {
    if (!compact_) {
      out_ += code(loop.kind);
      out_ += "^{";
      number(loop.extent);
      out_ += "}_{";
      out_ += loop.index;
      out_ += "=0}";
      return;
    }
    if (loop.kind != LoopKind::serial && loop.kind != LoopKind::bound) out_ += code(loop.kind);
    out_ += loop.index;
    number(loop.extent);
  }

  static std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  }

  template <typename Integer>
  void number(Integer value) {
    out_.number(value);
  }

  template <std::size_t Size>
  void either(char compact, const char (&paper)[Size]) {
    if (compact_) {
      out_ += compact;
    } else {
      out_ += paper;
    }
  }

  template <typename Code>
  void mark(Code text) {
    out_ += '^';
    out_ += text;
  }

  void term(const IndexTerm& term, bool first) {
    if (!first) out_ += term.coefficient > 0 ? '+' : '-';
    for (const IndexAtom& factor : term.factors) {
      if (&factor != term.factors.data()) out_ += '*';
      atom(factor, term.factors.size() > 1 || magnitude(term.coefficient) != 1);
    }
    if (magnitude(term.coefficient) != 1) {
      out_ += '*';
      number(magnitude(term.coefficient));
    }
  }

  void atom(const IndexAtom& atom, bool in_product) {
    struct Visitor {
      Printer& printer;
      bool in_product;
      void operator()(const LoopVariable& variable) const { printer.out_ += variable.name; }
      void operator()(const IndirectRead& read) const { printer.ref(*read.ref); }
      void operator()(const FloorQuotient& node) const { division(*node.dividend, "//", *node.divisor); }
      void operator()(const FloorRemainder& node) const { division(*node.dividend, "%", *node.divisor); }
      void division(const Index& dividend, std::string_view op, const Index& divisor) const {
        if (in_product) printer.out_ += '(';
        printer.division_operand(dividend, false);
        printer.out_ += op;
        printer.division_operand(divisor, true);
        if (in_product) printer.out_ += ')';
      }
    };
    std::visit(Visitor{*this, in_product}, atom);
  }

  /// `*`, `//` and `%` are read from left to right, so a product may stand bare on the left, and a single factor on
  /// either side.
  void division_operand(const Index& operand, bool right) {
    const bool natural = operand.is_constant() && operand.constant_term() >= 0;
    const bool one_term = operand.constant_term() == 0 && operand.terms().size() == 1;
    bool bare = natural;
    if (one_term && operand.terms()[0].coefficient >= 1) {
      const IndexTerm& only = operand.terms()[0];
      const bool single = only.factors.size() == 1 && only.coefficient == 1;
      const bool simple = single && (std::holds_alternative<LoopVariable>(only.factors[0]) ||
                                     std::holds_alternative<IndirectRead>(only.factors[0]));
      bare = right ? simple : true;
    }
    if (!bare) out_ += '(';
    index(operand);
    if (!bare) out_ += ')';
  }

  void compact_marks(const Ref& ref) {
    const Marks* known = declared_.find(ref.tensor);
    const Marks shown = known ? *known : Marks{default_dtype_, Scope::global};
    if (!known) {
      declared_.add(ref.tensor, {ref.dtype, ref.scope});
      ++first_dtypes_[static_cast<std::size_t>(ref.dtype)];
    }
    if (ref.dtype != shown.dtype) mark(code(ref.dtype));
    if (ref.scope != shown.scope) mark(code(ref.scope));
  }

  /// `X+=...` for a sum whose first operand is X and whose second is added; `X max=e` for max(X,e).
  bool accumulation(const Equation& equation) {
    if (const auto* sum = std::get_if<Sum>(&equation.right->node)) {
      if (sum->operators[0] != ArithmeticOp::add || !is_left(equation, *sum->operands[0])) return false;
      out_ += "+=";
      const auto place = places_.open_unwritten();
      chain(sum->operands, sum->operators, Level::product, 1);
      places_.close_unwritten(place);
      return true;
    }
    if (const auto* extremum = std::get_if<Extremum>(&equation.right->node)) {
      if (!is_left(equation, *extremum->left)) return false;
      out_ += extremum->is_max ? " max=" : " min=";
      const auto place = places_.open_unwritten();
      expr(*extremum->right, Level::sum);
      places_.close_unwritten(place);
      return true;
    }
    return false;
  }
  static bool is_left(const Equation& equation, const Expr& operand) {
    const auto* read = std::get_if<Read>(&operand.node);
    return read && equal(*read->ref, *equation.left);
  }

  template <typename Op>
  void chain(const std::vector<ExprPtr>& operands, const std::vector<Op>& operators, Level wanted, std::size_t from) {
    for (std::size_t i = from; i < operands.size(); ++i) {
      if (i > from) out_ += text_of(operators[i - 1]);
      expr(*operands[i], wanted);
    }
  }

  void node(const Literal& literal) {
    if (literal.is_integer) return number(literal.integer);
    char buffer[32];
    const std::string_view text(buffer, std::to_chars(buffer, buffer + sizeof buffer, literal.real).ptr - buffer);
    out_ += text;
    // The point tells a decimal from an integer: the two have different types (docs/language.md R7).
    if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  }
  void node(const Infinity&) { out_ += "inf"; }
  void node(const IndexValue& value) { out_ += value.index; }
  void node(const Read& read) { ref(*read.ref); }
  void node(const Sum& sum) { chain(sum.operands, sum.operators, Level::product, 0); }
  void node(const Product& product) { chain(product.operands, product.operators, Level::unary, 0); }
  void node(const Power& power) {
    expr(*power.base, Level::atom);
    out_ += "**";
    expr(*power.exponent, Level::unary);
  }
  void node(const Extremum& extremum) {
    out_ += extremum.is_max ? "max(" : "min(";
    expr(*extremum.left, Level::sum);
    out_ += ',';
    expr(*extremum.right, Level::sum);
    out_ += ')';
  }
  void node(const Call& call) {
    out_ += text_of(call.function);
    if (call.function == Function::negate) return expr(*call.argument, Level::unary);
    out_ += '(';
    expr(*call.argument, Level::sum);
    out_ += ')';
  }
  void node(const Select& select) {
    out_ += compact_ ? "where(" : "if_then_else(";
    expr(*select.condition, Level::disjunction);
    out_ += ',';
    expr(*select.if_true, Level::sum);
    out_ += ',';
    expr(*select.if_false, Level::sum);
    out_ += ')';
  }
  void node(const Compare& compare) { chain(compare.operands, compare.operators, Level::sum, 0); }
  void node(const Logic& logic) {
    const Level wanted = logic.op == LogicOp::conjunction ? Level::comparison : Level::conjunction;
    for (const ExprPtr& operand : logic.operands) {
      if (&operand != logic.operands.data()) out_ += text_of(logic.op);
      expr(*operand, wanted);
    }
  }

  struct Marks {
    DType dtype;
    Placement scope;
  };

  bool compact_;
  TextBuffer out_;
  DType default_dtype_;
  NameTable<Marks> declared_;
  std::array<std::size_t, kDefaultOrder.size()> first_dtypes_{};
  Places places_;
};

}  // namespace steptp::printing
