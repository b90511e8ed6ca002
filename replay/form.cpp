// Reads the formulas of certificates by the grammar in form.h. Parts that occur often are written once and referred
// to, so a formula is a graph; depth and size are bounded, because certificates may be hostile.
// More than 400 lines, because the grammar is one class, and nobody else needs to see it.
#include "replay/form.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

struct Bad {
  std::string message;
};

constexpr std::uint64_t kMostNodes = 2'000'000;
constexpr int kDeepest = 2000;

using Kind = Form::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

struct Word {
  std::string_view name;
  Kind kind;
  std::size_t least;
  std::size_t most;
};
constexpr std::size_t kMany = 100'000;
constexpr Word kRealWords[] = {
    {"inverse", Kind::inverse, 1, 1},  {"max", Kind::max, 2, kMany},       {"min", Kind::min, 2, kMany},
    {"power", Kind::real_power, 2, 2}, {"quotient", Kind::quotient, 2, 2},
};
constexpr Word kConditionWords[] = {
    {"lt", Kind::less, 2, 2},         {"le", Kind::less_equal, 2, 2}, {"eq", Kind::equal, 2, 2},
    {"ge0", Kind::nonnegative, 1, 1}, {"eq0", Kind::zero, 1, 1},      {"is", Kind::boolean, 1, 1},
};

class Parser {
 public:
  Parser(std::string_view text, Names& names, const std::vector<FormPtr>& shared, std::set<std::size_t>& used,
         std::uint64_t& nodes)
      : text_(text), names_(names), shared_(shared), used_(used), nodes_(nodes) {}

  FormPtr whole(bool is_condition) {
    FormPtr out = is_condition ? condition() : sum();
    skip();
    if (at_ != text_.size()) fail("the end of the form");
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view wanted) const {
    throw Bad{concat("expected ", wanted, " at byte ", at_, " of a form")};
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(concat("'", c, "'"));
  }
  [[nodiscard]] char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string digits() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == start) fail("digits");
    return std::string(text_.substr(start, at_ - start));
  }
  std::int64_t integer() {
    const bool negative = take('-');
    const std::string text = digits();
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) fail("a number of 64 bits");
    return negative ? -value : value;
  }

  /// Counts depth for as long as it lives.
  struct Deeper {
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) throw Bad{"a form is nested too deeply"};
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser_;
  };

  /// `body` goes first and has no free variables.
  FormPtr finished(Form form, FormPtr body = nullptr) {
    if (++nodes_ > kMostNodes) throw Bad{"the forms are too large"};
    for (const FormPtr& part : form.parts) {
      if (!part) continue;
      form.free.insert(form.free.end(), part->free.begin(), part->free.end());
      form.reads_self |= part->reads_self;
    }
    if (form.kind == Kind::variable) form.free.push_back(static_cast<std::uint32_t>(form.number));
    if (form.kind == Kind::self) form.reads_self = true;
    std::sort(form.free.begin(), form.free.end());
    form.free.erase(std::unique(form.free.begin(), form.free.end()), form.free.end());
    if (form.kind == Kind::fold) {
      std::erase_if(form.free, [&](std::uint32_t id) {
        return std::any_of(form.bound.begin(), form.bound.end(), [id](const auto& b) { return b.variable == id; });
      });
    }
    if (body) form.parts[0] = std::move(body);
    return std::make_shared<const Form>(std::move(form));
  }

  FormPtr sum() {
    const Deeper deeper(*this);
    Form out;
    out.kind = Kind::sum;
    bool negative = false;
    do {
      FormPtr part = product(negative);
      out.parts.push_back(std::move(part));
      out.negated.push_back(negative);
      negative = false;
      if (take('+')) continue;
      if (!take('-')) break;
      negative = true;
    } while (true);
    if (out.parts.size() == 1 && !out.negated[0]) return out.parts[0];
    return finished(std::move(out));
  }

  FormPtr product(bool& negative) {
    if (take('-')) negative = !negative;
    Form out;
    out.kind = Kind::product;
    do out.parts.push_back(power());
    while (take('*'));
    if (out.parts.size() == 1) return out.parts[0];
    return finished(std::move(out));
  }

  FormPtr power() {
    FormPtr base = atom();
    if (!take('^')) return base;
    Form out;
    out.kind = Kind::power;
    out.number = integer();
    if (out.number < -1000 || out.number > 1000) fail("an exponent up to 1000");
    out.parts = {std::move(base)};
    return finished(std::move(out));
  }

  std::vector<FormPtr> list(char close, bool conditions) {
    std::vector<FormPtr> out;
    if (take(close)) return out;
    do out.push_back(conditions ? condition() : sum());
    while (take(','));
    need(close);
    return out;
  }

  FormPtr with_subscripts(Form form) {
    need('[');
    form.parts = list(']', false);
    return finished(std::move(form));
  }

  /// "i3", "b1.0", "v12": nothing where no variable stands here.
  std::optional<std::uint32_t> variable() {
    skip();
    const std::size_t start = at_;
    if (at_ + 1 >= text_.size() || !is_digit(text_[at_ + 1])) return std::nullopt;
    if (text_[at_] != 'i' && text_[at_] != 'b' && text_[at_] != 'v') return std::nullopt;
    ++at_;
    static_cast<void>(digits());
    if (text_[start] == 'b') {
      need('.');
      static_cast<void>(digits());
    }
    return names_.number(std::string(text_.substr(start, at_ - start)));
  }

  std::string word() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_lower(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  FormPtr atom() {
    const Deeper deeper(*this);
    Form out;
    const char first = peek();
    if (is_digit(first)) {
      out.numerator = digits();
      out.denominator = "1";
      if (take('/')) out.denominator = digits();
      if (out.denominator.find_first_not_of('0') == std::string::npos) fail("a divisor other than zero");
      return finished(std::move(out));
    }
    if (take('(')) {
      FormPtr inside = sum();
      need(')');
      return inside;
    }
    if (take('$')) return shared();
    if (take('#')) {
      out.kind = Kind::value;
      out.number = integer();
      return with_subscripts(std::move(out));
    }
    if (const auto id = variable()) {
      out.kind = Kind::variable;
      out.number = *id;
      return finished(std::move(out));
    }
    if (first >= 'A' && first <= 'Z') {
      const std::size_t start = at_++;
      while (at_ < text_.size() && is_lower(text_[at_])) ++at_;
      out.kind = Kind::input;
      out.name = std::string(text_.substr(start, at_ - start));
      return with_subscripts(std::move(out));
    }
    return real_word(word());
  }

  FormPtr shared() {
    const std::int64_t number = integer();
    if (number < 0 || static_cast<std::size_t>(number) >= shared_.size()) fail("the number of an earlier part");
    used_.insert(static_cast<std::size_t>(number));
    return shared_[static_cast<std::size_t>(number)];
  }

  FormPtr real_word(const std::string& name) {
    Form out;
    if (name == "inf") {
      out.kind = Kind::infinity;
      return finished(std::move(out));
    }
    if (name == "self") {
      out.kind = Kind::self;
      return with_subscripts(std::move(out));
    }
    if (name == "recurrence") return recurrence();
    if (peek() == '{') return fold(name);
    need('(');
    if (name == "select") {
      out.kind = Kind::select;
      out.parts.push_back(condition());
      need(',');
      for (FormPtr& part : list(')', false)) out.parts.push_back(std::move(part));
      if (out.parts.size() != 3) fail("two branches");
      return finished(std::move(out));
    }
    if (name == "truth") {
      out.kind = Kind::truth;
      out.parts = list(')', true);
      if (out.parts.size() != 1) fail("one condition");
      return finished(std::move(out));
    }
    out.parts = list(')', false);
    for (const Word& known : kRealWords) {
      if (known.name != name) continue;
      if (out.parts.size() < known.least || out.parts.size() > known.most) fail("another number of operands");
      out.kind = known.kind;
      return finished(std::move(out));
    }
    if (const auto function = parse_function(name); function && out.parts.size() == 1) {
      out.kind = Kind::call;
      out.function = *function;
      return finished(std::move(out));
    }
    return typed_word(name, std::move(out));
  }

  FormPtr typed_word(const std::string& name, Form out) {
    const std::size_t mark = name.find('_');
    const auto dtype = mark == std::string::npos ? std::nullopt : parse_dtype(name.substr(mark + 1));
    const std::string head = name.substr(0, mark);
    if (!dtype) fail("a known word");
    out.dtype = *dtype;
    if ((head == "to" || head == "wrap") && out.parts.size() == 1 && !is_float(*dtype)) {
      out.kind = head == "to" ? Kind::conversion : Kind::wrapped;
    } else if ((head == "div" || head == "mod") && out.parts.size() == 2) {
      out.kind = Kind::operation;
      out.op = head == "div" ? ArithmeticOp::floor_divide : ArithmeticOp::modulo;
    } else {
      fail("a known word");
    }
    return finished(std::move(out));
  }

  FormPtr fold(const std::string& name) {
    Form out;
    out.kind = Kind::fold;
    if (name != "sum" && name != "product" && name != "max" && name != "min") fail("sum, product, max or min");
    out.op = name == "sum"       ? ArithmeticOp::add
             : name == "product" ? ArithmeticOp::multiply
             : name == "max"     ? ArithmeticOp::max
                                 : ArithmeticOp::min;
    need('{');
    do {
      const auto id = variable();
      if (!id) fail("a variable");
      need('=');
      const std::int64_t low = integer();
      need('.');
      need('.');
      out.bound.push_back({*id, low, integer()});
    } while (take(','));
    std::vector<FormPtr> conditions;
    if (take('|')) {
      conditions = list('}', true);
    } else {
      need('}');
    }
    need('(');
    out.parts.push_back(sum());
    need(')');
    for (FormPtr& part : conditions) out.parts.push_back(std::move(part));
    return finished(std::move(out));
  }

  FormPtr recurrence() {
    Form out;
    out.kind = Kind::recurrence;
    need('{');
    while (!take('}')) {
      const auto id = variable();
      if (!id) fail("a variable");
      out.bound.push_back({*id, 0, 0});
      static_cast<void>(take(','));
    }
    need('(');
    std::vector<FormPtr> bodies = list(')', false);
    if (bodies.empty() || bodies.size() > 2) fail("a body, or where it has no value and a body");
    if (bodies.size() == 2) out.struck = bodies[0];
    out.parts.push_back(nullptr);
    need('[');
    for (FormPtr& part : list(']', false)) out.parts.push_back(std::move(part));
    if (out.parts.size() != out.bound.size() + 1) fail("as many arguments as variables");
    // The body speaks of nothing but its own variables.
    const auto is_bound = [&](std::uint32_t id) {
      return std::any_of(out.bound.begin(), out.bound.end(), [id](const auto& b) { return b.variable == id; });
    };
    for (const FormPtr& one : bodies) {
      if (!std::all_of(one->free.begin(), one->free.end(), is_bound)) fail("a body without other variables");
    }
    // They are bound; arguments may use variables of the same names, which are not.
    return finished(std::move(out), std::move(bodies.back()));
  }

  FormPtr condition() {
    const Deeper deeper(*this);
    Form out;
    const std::string name = word();
    if (name == "always" || name == "never") {
      out.kind = name == "always" ? Kind::always : Kind::never;
      return finished(std::move(out));
    }
    need('(');
    if (name == "not" || name == "and" || name == "or") {
      out.kind = name == "not" ? Kind::negation : name == "and" ? Kind::conjunction : Kind::disjunction;
      out.parts = list(')', true);
      if (out.parts.empty() || (name == "not" && out.parts.size() != 1)) fail("a condition");
      return finished(std::move(out));
    }
    out.parts = list(')', false);
    for (const Word& known : kConditionWords) {
      if (known.name != name) continue;
      if (out.parts.size() < known.least || out.parts.size() > known.most) fail("another number of operands");
      out.kind = known.kind;
      return finished(std::move(out));
    }
    fail("a known condition");
  }

  std::string_view text_;
  Names& names_;
  const std::vector<FormPtr>& shared_;
  std::set<std::size_t>& used_;  ///< of the shared parts
  std::uint64_t& nodes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<FormPtr, std::string> FormReader::read(std::string_view text, bool is_condition) {
  try {
    return Parser(text, names_, parts_, used_, nodes_).whole(is_condition);
  } catch (const Bad& bad) {
    return bad.message;
  }
}

}  // namespace steptp::replayer
