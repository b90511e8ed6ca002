// Words as programs: what program_writer.cpp writes, and nothing else.
#include <algorithm>
#include <map>

#include "steptp/base/text.h"
#include "steptp/cursor/numbers.h"
#include "steptp/cursor/program_words.h"
#include "steptp/cursor/sentence.h"
#include "steptp/ir/names.h"

namespace steptp::cursor {

namespace {

/// Why reading stops. It never leaves this file.
struct Stop {
  std::string why;
};

class ProgramReader {
 public:
  explicit ProgramReader(std::span<const Token> tokens) : tokens_(tokens) {}

  Program run() {
    while (!at_end() && role_of(tokens_[place_])) read_variable();
    while (!at_end()) {
      loops_ = 0;
      slots_.clear();
      program_.nests.push_back(read_nest());
    }
    if (program_.nests.empty()) stop("an expression, which begins with OPEN");
    return std::move(program_);
  }

 private:
  [[nodiscard]] bool at_end() const { return place_ == tokens_.size(); }
  [[noreturn]] void stop(std::string_view wanted) const {
    throw Stop{at_end() ? concat("the program ends at word ", place_, ", where ", wanted, " is expected")
                        : concat("word ", place_, " of the program, ", word_of_token(tokens_[place_]), ": ", wanted,
                                 " is expected")};
  }
  Token next(std::string_view wanted) {
    if (at_end()) stop(wanted);
    return tokens_[place_++];
  }
  [[nodiscard]] bool is(Token token) const { return !at_end() && tokens_[place_] == token; }
  bool skip(Token token) {
    const bool found = is(token);
    place_ += found ? 1 : 0;
    return found;
  }
  void expect(Token token) {
    if (!skip(token)) stop(word_of_token(token));
  }
  template <class Value>
  Value take(std::optional<Value> (*value_of)(Token), std::string_view wanted) {
    const auto value = at_end() ? std::nullopt : value_of(tokens_[place_]);
    if (!value) stop(wanted);
    ++place_;
    return *value;
  }
  std::int64_t integer(std::string_view wanted) {
    std::size_t place = place_;
    const auto number = read_integer(tokens_, place);
    if (!number) stop(wanted);
    place_ = place;
    return *number;
  }
  double real() {
    std::size_t place = place_;
    const auto number = read_real(tokens_, place);
    if (!number) stop("a real number");
    place_ = place;
    return *number;
  }
  /// Brackets of any depth would need a stack of any depth; a sentence has 512 words.
  struct Depth {
    explicit Depth(ProgramReader& reader) : reader_(reader) {
      if (++reader_.depth_ > static_cast<int>(kMostTokens)) reader_.stop("fewer brackets");
    }
    ~Depth() { --reader_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ProgramReader& reader_;
  };

  void read_variable() {
    Variable out;
    out.role = take(role_of, "a role");
    out.dtype = take(dtype_of, "a type");
    if (!at_end() && domain_of(tokens_[place_])) out.domain.kind = take(domain_of, "a domain");
    if (out.domain.kind == Domain::Kind::range) {
      out.domain.low = real();
      out.domain.high = real();
    }
    while (!at_end() && begins_integer(tokens_[place_])) {
      const std::int64_t extent = integer("an extent");
      if (extent < 1) stop("an extent of 1 or more before it");
      out.shape.push_back(extent);
    }
    out.name = add_tensor();
    known_.push_back({out.dtype, Scope::global, out.shape.size()});
    program_.signature.variables.push_back(std::move(out));
  }

  std::string add_tensor() {
    if (tensors_ == kTensorSlots) stop("no further tensor");
    return tensor_name(static_cast<std::uint64_t>(tensors_++));
  }

  NestPtr read_nest() {
    const Depth depth(*this);
    const auto outer = slots_;
    expect(program_words().open);
    std::vector<Loop> loops;
    while (!at_end() && (kind_of(tokens_[place_]) || bound_axis_of(tokens_[place_]))) loops.push_back(read_loop());
    ExprPtr guard;
    if (skip(program_words().guard)) guard = read_expr();
    std::vector<Item> items;
    while (!skip(program_words().close)) {
      if (is(program_words().open)) {
        items.emplace_back(read_nest());
        continue;
      }
      expect(program_words().equation);
      RefPtr left = read_ref();
      items.emplace_back(make_equation(std::move(left), read_expr()));
    }
    if (items.empty()) stop("something between OPEN and CLOSE");
    slots_ = outer;
    return make_nest(std::move(loops), std::move(guard), std::move(items));
  }

  Loop read_loop() {
    const auto axis = bound_axis_of(tokens_[place_]);
    Loop out;
    out.kind = axis ? LoopKind::bound : *kind_of(tokens_[place_]);
    ++place_;
    out.extent = integer("the extent of a loop");
    if (out.extent < 1) stop("an extent of 1 or more before it");
    if (loops_ == kLoopSlots) stop("no further loop");
    const std::string plain = index_name(static_cast<std::uint64_t>(loops_));
    out.index = axis ? concat(name_of(*axis), plain) : plain;
    slots_[static_cast<Token>(program_words().loop + loops_++)] = out.index;
    return out;
  }

  const std::string& read_loop_index() {
    const auto found = at_end() ? slots_.end() : slots_.find(tokens_[place_]);
    if (found == slots_.end()) stop("a loop around it");
    ++place_;
    return found->second;
  }

  [[nodiscard]] bool at_tensor() const {
    return !at_end() && tokens_[place_] >= program_words().tensor &&
           tokens_[place_] < program_words().tensor + kTensorSlots;
  }

  RefPtr read_ref() {
    const Depth depth(*this);
    if (!at_tensor()) stop("a tensor");
    const auto number = static_cast<std::size_t>(tokens_[place_] - program_words().tensor);
    if (number > known_.size()) stop("a tensor that is known, or the next slot");
    ++place_;
    if (number == known_.size()) {
      (void)add_tensor();
      known_.push_back(read_kind());
    } else if (!at_end() && dtype_of(tokens_[place_])) {
      known_[number] = read_kind();
    }
    const Known known = known_[number];
    std::vector<Index> subscripts;
    for (std::size_t i = 0; i < known.rank; ++i) subscripts.push_back(read_index());
    return make_ref(tensor_name(number), known.dtype, known.placement, std::move(subscripts));
  }

  struct Known {
    DType dtype = DType::f32;
    Placement placement;
    std::size_t rank = 0;
  };
  Known read_kind() {
    Known out;
    out.dtype = take(dtype_of, "the type of a new tensor");
    out.placement = take(placement_of, "a scope");
    const std::int64_t rank = integer("the number of dimensions");
    if (rank < 0 || rank > static_cast<std::int64_t>(kMostTokens)) stop("a number of dimensions before it");
    out.rank = static_cast<std::size_t>(rank);
    return out;
  }

  Index checked(std::optional<Index> index) const {
    if (!index) stop("a subscript that fits into 64 bits");
    return *std::move(index);
  }

  Index read_index() {
    const Depth depth(*this);
    if (!at_end() && begins_integer(tokens_[place_])) return Index::constant(integer("a subscript"));
    if (!skip(program_words().sum)) return read_term();
    Index out;
    while (!skip(program_words().end)) {
      const bool is_constant = !at_end() && begins_integer(tokens_[place_]);
      out = checked(Index::add(out, is_constant ? Index::constant(integer("a subscript")) : read_term()));
    }
    return out;
  }

  Index read_term() {
    if (!skip(program_words().product)) return read_atom();
    Index out = Index::constant(integer("a coefficient"));
    while (!skip(program_words().end)) out = checked(Index::multiply(out, read_atom()));
    return out;
  }

  Index read_atom() {
    if (skip(program_words().read)) return Index::read(read_ref());
    const bool is_quotient = is(program_words().quotient);
    if (skip(program_words().quotient) || skip(program_words().remainder)) {
      const Index dividend = read_index();
      const Index divisor = read_index();
      return checked(is_quotient ? Index::floor_divide(dividend, divisor) : Index::modulo(dividend, divisor));
    }
    return Index::variable(read_loop_index());
  }

  ExprPtr read_expr() {
    const Depth depth(*this);
    if (at_end()) stop("an expression");
    if (at_tensor()) return read_expr_of(read_ref());
    if (begins_integer(tokens_[place_])) return integer_literal(integer("a number"));
    if (is(program_words().real)) return real_literal(real());
    if (is(program_words().open)) return read_comparisons();
    const Token token = next("an expression");
    if (token == program_words().infinity) return make_expr(Infinity{});
    if (token == program_words().index) return make_expr(IndexValue{read_loop_index()});
    if (token == program_words().select) {
      ExprPtr condition = read_expr();
      ExprPtr if_true = read_expr();
      return make_expr(Select{std::move(condition), std::move(if_true), read_expr()});
    }
    if (const auto function = function_of(token)) return make_call(*function, read_expr());
    if (const auto op = compare_of(token)) {
      ExprPtr left = read_expr();
      return make_expr(Compare{{std::move(left), read_expr()}, {*op}});
    }
    if (const auto op = logic_of(token)) {
      ExprPtr left = read_expr();
      return make_expr(Logic{*op, {std::move(left), read_expr()}});
    }
    const auto op = arithmetic_of(token);
    if (!op) {
      --place_;
      stop("an expression");
    }
    ExprPtr left = read_expr();
    return binary(*op, std::move(left), read_expr());
  }

  static ExprPtr read_expr_of(RefPtr ref) { return steptp::read_expr(std::move(ref)); }

  static ExprPtr binary(ArithmeticOp op, ExprPtr left, ExprPtr right) {
    switch (op) {
      case ArithmeticOp::add:
      case ArithmeticOp::subtract: return make_sum(std::move(left), op, std::move(right));
      case ArithmeticOp::multiply:
      case ArithmeticOp::divide:
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo: return make_product(std::move(left), op, std::move(right));
      case ArithmeticOp::power: return make_expr(Power{std::move(left), std::move(right)});
      case ArithmeticOp::max:
      case ArithmeticOp::min: return make_expr(Extremum{op == ArithmeticOp::max, std::move(left), std::move(right)});
    }
    return left;
  }

  ExprPtr read_comparisons() {
    expect(program_words().open);
    Compare out;
    out.operands.push_back(read_expr());
    while (!skip(program_words().close)) {
      out.operators.push_back(take(compare_of, "a comparison"));
      out.operands.push_back(read_expr());
    }
    if (out.operands.size() < 3) stop("two comparisons or more in brackets");
    return make_expr(std::move(out));
  }

  std::span<const Token> tokens_;
  std::size_t place_ = 0;
  int depth_ = 0;
  Program program_;
  std::vector<Known> known_;
  std::map<Token, std::string> slots_;
  std::int64_t tensors_ = 0;
  std::int64_t loops_ = 0;
};

}  // namespace

Result<Program, std::string> decode_program(std::span<const Token> tokens) {
  if (tokens.size() > kMostTokens) return concat("a sentence has at most ", kMostTokens, " words");
  Program program;
  try {
    program = ProgramReader(tokens).run();
  } catch (const Stop& stop) {
    return stop.why;
  }
  // One program, one text: whatever is written in another way is not a sentence.
  const auto again = encode_program(program);
  if (!again) return again.error();
  for (std::size_t i = 0; i < std::max(again->size(), tokens.size()); ++i) {
    if (i < again->size() && i < tokens.size() && (*again)[i] == tokens[i]) continue;
    return concat("word ", i, " of the program",
                  i < again->size() ? concat(": ", word_of_token((*again)[i]), " is expected")
                                    : std::string(": the program ends before it"),
                  ", because a program is written in one way only");
  }
  return program;
}

}  // namespace steptp::cursor
