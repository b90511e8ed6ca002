#include "steptp/text/expression_reader.h"

#include <array>
#include <charconv>
#include <cmath>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::string_view kFunctionList =
    "exp log sqrt abs erf max min if_then_else, and the extensions tanh sin cos floor ceil round rsqrt";

}  // namespace

void ExpressionReader::report_depth() {
  scan_.report("too-deep", Severity::error, {scan_.position(), 1}, concat("nested deeper than ", kMaxDepth, " levels"),
               "store a part in an intermediate tensor");
}

bool ExpressionReader::refuse_condition(std::uint32_t begin) {
  scan_.error(since(begin), "a condition stands where a number is wanted",
              "write if_then_else(condition,1,0) to turn a condition into a number");
  return false;
}

ExprPtr ExpressionReader::read_value() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr value = read_sum();
  return value && require_value(value, begin) ? value : nullptr;
}

ExprPtr ExpressionReader::read_condition() {
  const Deeper deeper(*this);
  if (!deeper.ok()) return nullptr;
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr first = read_conjunction();
  if (!first || scan_.peek() != '|') return first;
  Logic logic{LogicOp::disjunction, {std::move(first)}};
  while (scan_.take('|')) {
    ExprPtr next = read_conjunction();
    if (!next) return nullptr;
    logic.operands.push_back(std::move(next));
  }
  return placed(make_expr(std::move(logic)), begin);
}

ExprPtr ExpressionReader::read_conjunction() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr first = read_comparison();
  if (!first || scan_.peek() != '&') return first;
  Logic logic{LogicOp::conjunction, {std::move(first)}};
  while (scan_.take('&')) {
    ExprPtr next = read_comparison();
    if (!next) return nullptr;
    logic.operands.push_back(std::move(next));
  }
  return placed(make_expr(std::move(logic)), begin);
}

ExprPtr ExpressionReader::read_comparison() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr first = read_sum();
  const char next_char = first ? scan_.peek() : ' ';
  if (next_char != '<' && next_char != '>' && next_char != '=' && next_char != '!') return first;
  Compare compare{{first}, {}};
  const auto take_operator = [this](CompareOp& op) {
    switch (scan_.peek()) {
      case '<': op = scan_.take("<=") ? CompareOp::less_equal : CompareOp::less; break;
      case '>': op = scan_.take(">=") ? CompareOp::greater_equal : CompareOp::greater; break;
      case '=':
        if (!scan_.take("==")) return false;
        op = CompareOp::equal;
        return true;
      case '!':
        if (!scan_.take("!=")) return false;
        op = CompareOp::not_equal;
        return true;
      default: return false;
    }
    if (op == CompareOp::less) scan_.take('<');
    if (op == CompareOp::greater) scan_.take('>');
    return true;
  };
  CompareOp op{};
  while (take_operator(op)) {
    if (!require_value(compare.operands.back(), begin)) return nullptr;
    scan_.peek();
    const std::uint32_t next_begin = scan_.position();
    ExprPtr next = read_sum();
    if (!next || !require_value(next, next_begin)) return nullptr;
    compare.operands.push_back(std::move(next));
    compare.operators.push_back(op);
  }
  if (compare.operators.empty()) return first;
  return placed(make_expr(std::move(compare)), begin);
}

ExprPtr ExpressionReader::read_sum() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr first = read_product();
  if (!first) return nullptr;
  const char c = scan_.peek();
  if (c != '+' && c != '-') return first;
  if (!require_value(first, begin)) return nullptr;
  scan_.take(c);
  Sum sum;
  sum.operands.reserve(2);
  sum.operands.push_back(std::move(first));
  sum.operators.push_back(c == '+' ? ArithmeticOp::add : ArithmeticOp::subtract);
  if (!read_summands(sum)) return nullptr;
  return placed(make_expr(std::move(sum)), begin);
}

bool ExpressionReader::read_summands(Sum& sum) {
  while (true) {
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    ExprPtr next = read_product();
    if (!next || !require_value(next, begin)) return false;
    sum.operands.push_back(std::move(next));
    const char c = scan_.peek();
    if (c != '+' && c != '-') return true;
    scan_.take(c);
    sum.operators.push_back(c == '+' ? ArithmeticOp::add : ArithmeticOp::subtract);
  }
}

ExprPtr ExpressionReader::read_product() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr first = read_unary();
  if (!first) return nullptr;
  const auto take_operator = [this](ArithmeticOp& op) {
    switch (scan_.peek()) {
      case '*': op = ArithmeticOp::multiply; return scan_.take('*');
      case '/':
        op = scan_.take("//") ? ArithmeticOp::floor_divide : ArithmeticOp::divide;
        return op == ArithmeticOp::floor_divide || scan_.take('/');
      case '%': op = ArithmeticOp::modulo; return scan_.take('%');
      default: return false;
    }
  };
  ArithmeticOp op{};
  if (!take_operator(op)) return first;
  if (!require_value(first, begin)) return nullptr;
  Product product;
  product.operands.reserve(2);
  product.operands.push_back(std::move(first));
  do {
    product.operators.push_back(op);
    scan_.peek();
    const std::uint32_t next_begin = scan_.position();
    ExprPtr next = read_unary();
    if (!next || !require_value(next, next_begin)) return nullptr;
    product.operands.push_back(std::move(next));
  } while (take_operator(op));
  return placed(make_expr(std::move(product)), begin);
}

ExprPtr ExpressionReader::read_unary() {
  if (scan_.peek() != '-') return read_power();
  const Deeper deeper(*this);
  if (!deeper.ok()) return nullptr;
  const std::uint32_t begin = scan_.position();
  scan_.take('-');
  ExprPtr argument = read_unary();
  if (!argument || !require_value(argument, begin)) return nullptr;
  return placed(make_call(Function::negate, std::move(argument)), begin);
}

ExprPtr ExpressionReader::read_power() {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  ExprPtr base = read_atom();
  if (!base || scan_.peek() != '*' || !scan_.take("**")) return base;
  const Deeper deeper(*this);
  if (!deeper.ok() || !require_value(base, begin)) return nullptr;
  ExprPtr exponent = read_unary();
  if (!exponent || !require_value(exponent, begin)) return nullptr;
  return placed(make_expr(Power{std::move(base), std::move(exponent)}), begin);
}

ExprPtr ExpressionReader::read_atom() {
  const char c = scan_.peek();
  const std::uint32_t begin = scan_.position();
  if (c >= 'A' && c <= 'Z') {
    const RefPtr ref = read_ref();
    return ref ? placed(read_of(ref), begin) : nullptr;
  }
  if (is_digit(c)) return read_number();
  if (is_lower(c)) return read_word();
  if (c == '(') {
    scan_.take('(');
    ExprPtr inner = read_condition();
    if (!inner) return nullptr;
    if (!scan_.take(')')) {
      scan_.expected("')'",
                     concat("the bracket opened ", scan_.position() - begin, " characters before is not closed"));
      return nullptr;
    }
    return inner;
  }
  scan_.expected("a number, an index, a tensor, a function or '('", c == '^' ? "powers are written x**y"
                                                                    : c == '.'
                                                                        ? "a number needs a digit before the point: 0.5"
                                                                        : "");
  return nullptr;
}

ExprPtr ExpressionReader::read_number() {
  const std::uint32_t begin = scan_.position();
  std::size_t length = 0;
  const auto digits = [&] {
    const std::size_t before = length;
    while (is_digit(scan_.raw(length))) ++length;
    return length > before;
  };
  digits();
  bool integer = true;
  if (scan_.raw(length) == '.') {
    ++length;
    integer = false;
    if (!digits()) {
      scan_.advance(length);
      scan_.expected("a digit behind the decimal point");
      return nullptr;
    }
  }
  if (scan_.raw(length) == 'e' || scan_.raw(length) == 'E') {
    ++length;
    integer = false;
    if (scan_.raw(length) == '+' || scan_.raw(length) == '-') ++length;
    if (!digits()) {
      scan_.advance(length);
      scan_.expected("a digit in the exponent");
      return nullptr;
    }
  }
  const std::string_view text = scan_.text().substr(begin, length);
  (void)scan_.take(text);
  if (integer) {
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) {
      return placed(integer_literal(value), begin);
    }
    scan_.report("number", Severity::error, since(begin), "this integer does not fit in 64 bits",
                 "write it as a decimal number, such as 1e20");
    return nullptr;
  }
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range || !std::isfinite(value)) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos ? text.front() == '0' : text[exponent + 1] == '-';
    scan_.report("number", Severity::error, since(begin), "this number is outside the range of f64",
                 tiny ? "what is closer to zero than 1e-323 is written 0" : "write inf for infinity");
    return nullptr;
  }
  return placed(real_literal(value), begin);
}

ExprPtr ExpressionReader::read_word() {
  const std::uint32_t begin = scan_.position();
  const std::string_view word = scan_.take_word();
  if (scan_.peek() == '(') return read_call(word, begin);
  if (word == "inf") return placed(make_expr(Infinity{}), begin);
  if (scan_.peek() == '^' && profile_ == Profile::paper) {
    scan_.error(since(begin), concat("a tensor's name begins with a capital, found '", word, "'"),
                "tensors are A C D E ... Z (not L P V U B T), then lower-case letters; indices are lower case");
    return nullptr;
  }
  if (!check_index_word(word, begin)) return nullptr;
  return placed(make_expr(IndexValue{std::string(word)}), begin);
}

bool ExpressionReader::read_arguments(std::string_view word, std::uint32_t begin, std::span<ExprPtr> arguments) {
  const std::size_t count = arguments.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && !scan_.take(',')) {
      scan_.expected(concat("','"), concat(word, " takes ", count, " arguments"));
      return false;
    }
    const bool condition = i == 0 && count == 3;
    ExprPtr argument = condition ? read_condition() : read_value();
    if (!argument) return false;
    arguments[i] = std::move(argument);
  }
  if (!scan_.take(')')) {
    scan_.expected(concat("')' after the ", count == 1 ? "argument" : "arguments", " of ", word),
                   scan_.peek() == ','
                       ? concat(word, " takes ", count, count == 1 ? " argument" : " arguments")
                       : concat("the bracket opened ", scan_.position() - begin, " characters before is not closed"));
    return false;
  }
  return true;
}

ExprPtr ExpressionReader::read_call(std::string_view word, std::uint32_t begin) {
  const Deeper deeper(*this);
  if (!deeper.ok()) return nullptr;
  const std::string_view select = profile_ == Profile::paper ? "if_then_else" : "where";
  std::size_t count = 1;
  if (word == select) count = 3;
  if (word == "max" || word == "min" || word == "pow") count = 2;
  const auto function = parse_function(word);
  if (count == 1 && !function) {
    std::string hint = concat("the functions are ", kFunctionList);
    if (word == "where" || word == "if_then_else") hint = concat("in this profile it is written ", select, "(c,a,b)");
    if (word == "sigmoid") hint = "write 1/(1+exp(-x))";
    if (word == "relu") hint = "write max(x,0)";
    scan_.error(since(begin), concat("'", word, "' is not a function of the language"), std::move(hint));
    return nullptr;
  }
  scan_.take('(');
  std::array<ExprPtr, 3> arguments;
  if (!read_arguments(word, begin, std::span(arguments).first(count))) return nullptr;
  if (word == "pow") {
    // Reported, and read on: the rest of the text may have errors of its own.
    scan_.error(since(begin), "'pow' is not a function of the language", "powers are written x**y");
    return make_expr(Power{arguments[0], arguments[1]});
  }
  if (count == 3) return placed(make_expr(Select{arguments[0], arguments[1], arguments[2]}), begin);
  if (count == 2) return placed(make_expr(Extremum{word == "max", arguments[0], arguments[1]}), begin);
  return placed(make_call(*function, arguments[0]), begin);
}

}  // namespace steptp
