#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "replay/number.h"
#include "steptp/base/result.h"

namespace steptp::replayer {

struct Form;
using FormPtr = std::shared_ptr<const Form>;

/// A normal form as a certificate writes it. The grammar, with blanks allowed between tokens:
///
///   sum      = product { ("+"|"-") product }          product = [ "-" ] power { "*" power }
///   power    = atom [ "^" [ "-" ] digits ]
///   atom     = digits [ "/" digits ] | "inf" | variable | "(" sum ")" | "$" digits
///            | Name "[" sums "]" | "#" digits "[" sums "]" | "self" "[" sums "]" | word "(" sums or conditions ")"
///            | fold "{" ranges [ "|" conditions ] "}" "(" sum ")" | "recurrence" "{" variables "}" "(" [ sum "," ]
///            sum ")" "[" sums "]"
///   variable = "i" digits (of the element) | "b" digits "." digits (bound by a fold) | "v" digits (of a side
///   condition) range    = variable "=" integer ".." integer
///
/// `#7[...]` is the element of value number 7, `$3` a part that is written down once. Words: functions by their names,
/// inverse, max, min, power, select, truth, floor, to_i32, wrap_i32, div_i32, mod_f64; conditions: always, never, ge0,
/// eq0, lt, le, eq, is, not, and, or.
struct Form {
  enum class Kind : std::uint8_t {
    number,
    infinity,
    variable,
    input,  ///< name, parts: subscripts
    value,  ///< number: the value number
    sum,    ///< parts; negated: which
    product,
    power,  ///< of parts[0], a whole number
    call,   ///< function
    inverse,
    max,
    min,
    real_power,
    select,  ///< parts: condition, then, else
    truth,
    quotient,    ///< of integers
    conversion,  ///< dtype
    wrapped,
    operation,   ///< op and dtype
    fold,        ///< op; bound variables with ranges; parts[0] the body, the others conditions
    recurrence,  ///< bound variables; parts[0] the body, the others arguments
    self,
    always,
    never,
    nonnegative,
    zero,
    less,
    less_equal,
    equal,
    boolean,
    negation,
    conjunction,
    disjunction,
  };
  Kind kind = Kind::number;
  std::vector<FormPtr> parts;
  std::vector<bool> negated;
  std::string name;
  std::int64_t number = 0;
  std::string numerator;  ///< number: digits
  std::string denominator;
  Function function = Function::negate;
  ArithmeticOp op = ArithmeticOp::add;
  DType dtype = DType::f64;
  struct Bound {
    std::uint32_t variable = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  std::vector<Bound> bound;
  /// recurrence: where a round has no value. Then the form is 1 where some round on the way has none, otherwise 0.
  FormPtr struck;
  std::vector<std::uint32_t> free;  ///< variables, sorted
  bool reads_self = false;
};

/// The variables i0, i1, ... of an element have the numbers 0, 1, ...
inline constexpr std::size_t kMostDimensions = 32;

/// The names of variables are numbers that all forms of a certificate share.
class Names {
 public:
  Names();
  [[nodiscard]] std::uint32_t number(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

/// Forms of one certificate; parts that are written down once are added in order and can be referred to by later ones.
class FormReader {
 public:
  explicit FormReader(Names& names) : names_(names) {}
  [[nodiscard]] Result<FormPtr, std::string> read(std::string_view text, bool is_condition = false);
  void add_part(FormPtr form) { parts_.push_back(std::move(form)); }
  /// How many parts no form refers to.
  [[nodiscard]] std::size_t unused_parts() const { return parts_.size() - used_.size(); }

 private:
  Names& names_;
  std::vector<FormPtr> parts_;
  std::set<std::size_t> used_;
  std::uint64_t nodes_ = 0;
};

/// Bounds of a variable, both included.
using Range = std::pair<std::int64_t, std::int64_t>;
using IndexBox = std::vector<Range>;

/// Inputs that have one value nearly everywhere: whether all elements of a box do.
struct Uniform {
  std::function<bool(const std::string&, const IndexBox&)> input;
  std::function<bool(std::int64_t, const IndexBox&)> value;  ///< of a value number
};

/// How often the body of the innermost fold is evaluated for one element.
[[nodiscard]] double rounds_of(const Form& form);

/// Calls for every node once; parts are shared.
void for_each_node(const FormPtr& form, const std::function<void(const Form&)>& visit);

}  // namespace steptp::replayer
