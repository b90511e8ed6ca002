// References and subscripts: the part of ExpressionReader that deals in exact integers and names.
#include <algorithm>
#include <charconv>

#include "steptp/base/recycled.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/text/expression_reader.h"

namespace steptp {

namespace {

constexpr const char* kScopes = "scopes are g (global), s (shared; s2 to s5 with a depth), l (local), f (fragment)";
constexpr std::string_view kIndexLetters = "a c d f g h i j k l m n o p q r s u w";

}  // namespace

bool is_reserved_word(std::string_view word) {
  return word == "inf" || word == "max" || word == "min" || parse_function(word).has_value();
}

bool ExpressionReader::check_index_word(std::string_view word, std::uint32_t begin) {
  if (word.size() == 1 && is_index_letter(word[0])) return true;  // nearly always
  const auto all_letters = [](std::string_view text) { return std::all_of(text.begin(), text.end(), is_index_letter); };
  if (word.size() >= 2 && (word[0] == 't' || word[0] == 'b' || word[0] == 'w') && word[1] >= 'x' && word[1] <= 'z') {
    if (all_letters(word.substr(2))) return true;
  } else if (is_reserved_word(word)) {
    scan_.report("reserved", Severity::error, since(begin), concat("'", word, "' is reserved and cannot be an index"),
                 word == "inf" || word == "if" ? "" : concat("a function is written with brackets: ", word, "(...)"));
    return false;
  } else if (!word.empty() && all_letters(word)) {
    return true;
  }
  const auto bad = std::find_if_not(word.begin(), word.end(), is_index_letter);
  scan_.report("reserved", Severity::error, since(begin),
               concat("'", word, "' is not an index: the letter '", std::string_view(&*bad, 1), "' is reserved"),
               concat("indices are made of the letters ", kIndexLetters, "; bound ones begin with tx ty tz bx by bz"));
  return false;
}

bool ExpressionReader::read_index_name(bool bound, std::string& name) {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  const std::string_view word = scan_.take_lower();
  if (word.empty()) {
    scan_.expected(bound ? "a bound index (tx ty tz bx by bz wx wy wz)" : "an index");
    return false;
  }
  if (!check_index_word(word, begin)) return false;
  const bool is_bound = word.size() >= 2 && word[1] >= 'x';
  if (is_bound != bound) {
    scan_.error(since(begin),
                bound ? concat("a B loop takes a bound index (tx ty tz bx by bz wx wy wz), found '", word, "'")
                      : concat("'", word, "' is a bound index, which only a B loop takes"),
                bound                        ? "write L for a loop over a plain index"
                : profile_ == Profile::paper ? concat("write B^{..}_{", word, "=0}")
                                             : concat("a loop over ", word, " has no letter: ", word, "16"));
    return false;
  }
  name.assign(word);
  return true;
}

bool ExpressionReader::parse_scope_code(std::string_view text, std::uint32_t begin, Placement& scope) {
  if (const auto parsed = parse_placement(text)) {
    scope = *parsed;
    return true;
  }
  scan_.error(since(begin), concat("expected a scope, found '", text, "'"),
              text.starts_with('s') ? "depths are s2 s3 s4 s5" : kScopes);
  return false;
}

bool ExpressionReader::read_superscript(DType& dtype, Placement& scope) {
  // Nearly every reference of a program has the superscript of the one before.
  if (!last_superscript_.empty() && scan_.take(last_superscript_)) {
    std::tie(dtype, scope) = last_marks_;
    return true;
  }
  scan_.peek();
  std::uint32_t begin = scan_.position();
  const std::uint32_t whole = begin;
  const std::string_view code_text = scan_.take_code();
  const auto parsed = code_text.empty() ? std::nullopt : parse_dtype(code_text);
  if (!parsed || code(*parsed) != code_text) {
    if (code_text.empty()) {
      scan_.expected("a dtype", concat("dtypes are ", dtype_codes()));
    } else {
      scan_.error(since(begin), concat("expected a dtype, found '", code_text, "'"),
                  concat("dtypes are ", dtype_codes()));
    }
    return false;
  }
  dtype = *parsed;
  if (!scan_.take(',')) {
    scan_.expected("',' and a scope", "a reference is written Name^{dtype,scope}, such as D^{f32,g}");
    return false;
  }
  scan_.peek();
  begin = scan_.position();
  const std::string_view scope_text = scan_.take_code();
  if (scope_text.empty()) {
    scan_.expected("a scope", kScopes);
    return false;
  }
  if (!parse_scope_code(scope_text, begin, scope)) return false;
  if (!scan_.take('}')) {
    scan_.expected("'}'");
    return false;
  }
  last_superscript_ = scan_.text().substr(whole, scan_.end_of_last() - whole);
  last_marks_ = {dtype, scope};
  return true;
}

/// Most subscripts are one letter or one axis and nothing else. Null, and nothing taken, for all others.
const Index* ExpressionReader::take_plain_variable(char close) {
  const auto ends_behind = [&](std::size_t length) { return scan_.raw(length) == ',' || scan_.raw(length) == close; };
  const char first = scan_.raw(0);
  if (is_index_letter(first) && ends_behind(1)) {
    scan_.take_bytes(1);
    return &variables_.letter(first);
  }
  if ((first != 't' && first != 'b' && first != 'w') || !ends_behind(2)) return nullptr;
  const auto axis = axis_of(scan_.text().substr(scan_.position(), 2));
  if (!axis) return nullptr;
  scan_.take_bytes(2);
  return &variables_.axis(*axis);
}

bool ExpressionReader::read_subscripts(std::vector<Index>& subscripts, std::vector<Span>& spans, char close) {
  subscripts.reserve(4);
  do {
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    // A subscript counts as a level, whatever it is.
    if (const Index* plain = map_ || depth_ >= kMaxDepth ? nullptr : take_plain_variable(close)) {
      subscripts.push_back(*plain);
      continue;
    }
    Index index;
    if (!read_index(index)) return false;
    // The canonical text may need more brackets than this one, and it has to be readable too.
    if (depth_ + index.nesting() >= kMaxDepth) {
      scan_.report("too-deep", Severity::error, since(begin), concat("nested deeper than ", kMaxDepth, " levels"),
                   "store a part in an intermediate tensor");
      return false;
    }
    if (map_) spans.push_back(since(begin));
    subscripts.push_back(std::move(index));
  } while (scan_.take(','));
  if (!scan_.take(close)) {
    scan_.expected(concat("',' or '", close, "' in the subscript"));
    return false;
  }
  return true;
}

bool ExpressionReader::read_paper_ref(std::string_view name, Ref& ref, std::vector<Span>& spans) {
  // Subscript before superscript is what a LaTeX renderer shows; both orders are read.
  bool subscripted = false;
  if (scan_.take("_{")) {
    subscripted = true;
    if (!read_subscripts(ref.subscripts, spans, '}')) return false;
  }
  if (!scan_.take("^{")) {
    scan_.expected(concat("'^{' after the tensor ", name), concat("a reference is written ", name, "^{f32,g}_{...}"));
    return false;
  }
  if (!read_superscript(ref.dtype, ref.scope)) return false;
  if (!subscripted && scan_.peek() == '_' && scan_.take("_{")) return read_subscripts(ref.subscripts, spans, '}');
  return true;
}

bool ExpressionReader::read_compact_marks(std::string_view name, DType& dtype, Placement& scope) {
  dtype = default_dtype_;
  scope = Scope::global;
  const auto* known = declared_.find(name);
  if (known) std::tie(dtype, scope) = *known;
  bool dtype_seen = false;
  bool scope_seen = false;
  while (scan_.take('^')) {
    scan_.peek();
    const std::uint32_t begin = scan_.position();
    const std::string_view mark = scan_.take_code();
    if (const auto parsed = parse_dtype(mark); parsed && code(*parsed) == mark && !dtype_seen && !scope_seen) {
      dtype = *parsed;
      dtype_seen = true;
    } else if ((mark.size() == 1 || parse_placement(mark)) && !scope_seen) {
      if (!parse_scope_code(mark, begin, scope)) return false;
      scope_seen = true;
    } else if (mark.empty()) {
      scan_.expected("a dtype or a scope behind '^'",
                     concat("write the dtype (", dtype_codes(), ") before the scope (g s l)"));
      return false;
    } else {
      scan_.error(since(begin), concat("expected a dtype or a scope behind '^', found '", mark, "'"),
                  concat("write the dtype (", dtype_codes(), ") before the scope (g s l)"));
      return false;
    }
  }
  if (!known) declared_.add(name, {dtype, scope});
  return true;
}

bool ExpressionReader::read_compact_ref(std::string_view name, Ref& ref, std::vector<Span>& spans) {
  if (!read_compact_marks(name, ref.dtype, ref.scope)) return false;
  if (scan_.take('(')) return read_subscripts(ref.subscripts, spans, ')');
  return true;
}

/// The reference that comes next, taken, where the text has spelled it so before. Not with a map, which wants a node
/// per place; and not where it might nest too deep, which depends on the place: no text nests deeper than it is long.
RefPtr ExpressionReader::known_ref() {
  const char first = scan_.peek();
  if (map_ || first < 'A' || first > 'Z') return nullptr;
  const RefCache::Entry* const known = refs_.find(scan_.text().substr(scan_.position()));
  if (!known || static_cast<std::size_t>(depth_) + known->spelling.size() >= kMaxDepth) return nullptr;
  scan_.take_bytes(known->spelling.size());
  return known->ref;
}

RefPtr ExpressionReader::read_ref() {
  if (RefPtr known = known_ref()) return known;
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  const std::string_view name = scan_.take_name();
  if (name.empty()) {
    const bool lower = is_lower(scan_.peek());
    scan_.expected("a tensor", lower ? "a tensor's name begins with a capital" : "");
    return nullptr;
  }
  if (name[0] == 'L' || name[0] == 'P' || name[0] == 'V' || name[0] == 'U' || name[0] == 'B' || name[0] == 'T') {
    scan_.report("reserved", Severity::error, since(begin),
                 concat("'", name, "' cannot name a tensor: the capital ", name.substr(0, 1), " begins a loop"),
                 "tensors begin with a capital other than L P V U B T");
    return nullptr;
  }
  auto ref = make_recycled<Ref>();
  ref->tensor.assign(name);
  std::vector<Span> spans;
  const bool good =
      profile_ == Profile::paper ? read_paper_ref(name, *ref, spans) : read_compact_ref(name, *ref, spans);
  if (!good) return nullptr;
  if (map_) {
    map_->nodes.emplace(ref.get(), since(begin));
    map_->subscripts.emplace(ref.get(), std::move(spans));
  } else if (!ref->subscripts.empty()) {
    refs_.add(scan_.text().substr(begin, scan_.end_of_last() - begin), ref);
  }
  return ref;
}

bool ExpressionReader::index_result(std::optional<Index> value, std::uint32_t begin, std::string_view what,
                                    Index& index) {
  if (value) {
    index = std::move(*value);
    return true;
  }
  scan_.report("subscript", Severity::error, since(begin), std::string(what),
               "subscripts are exact 64-bit integers of at most 4096 terms and 64 nested divisions");
  return false;
}

bool ExpressionReader::read_index(Index& index) {
  const Deeper deeper(*this);
  if (!deeper.ok()) return false;
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  if (!read_index_term(index)) return false;
  std::vector<Index> waiting;  // what a long sum still has to take in
  std::size_t waiting_terms = 0;
  const auto take_in = [&] {
    if (waiting.empty()) return true;
    const bool good =
        index_result(Index::sum(index, waiting), begin, "this subscript overflows or has too many terms", index);
    waiting.clear();
    waiting_terms = 0;
    return good;
  };
  for (char c = scan_.peek(); c == '+' || c == '-'; c = scan_.peek()) {
    scan_.take(c);
    Index right;
    if (!read_index_term(right)) return false;
    constexpr std::size_t kLong = 64;
    if (index.terms().size() > kLong) {
      waiting_terms += right.terms().size() + 1;
      auto part = c == '+' ? std::optional(std::move(right)) : Index::subtract(Index(), right);
      if (!part) return index_result(std::nullopt, begin, "this subscript overflows", index);
      waiting.push_back(*std::move(part));
      if (waiting_terms > Index::kMaxTerms && !take_in()) return false;
      continue;
    }
    if (index.terms().size() + right.terms().size() > Index::kMaxTerms) {
      return index_result(std::nullopt, begin, "this subscript has too many terms", index);
    }
    if (!index_result(c == '+' ? Index::add(index, right) : Index::subtract(index, right), begin,
                      "this subscript overflows", index)) {
      return false;
    }
  }
  return take_in();
}

bool ExpressionReader::read_index_term(Index& index) {
  scan_.peek();
  const std::uint32_t begin = scan_.position();
  if (!read_index_factor(index)) return false;
  for (char c = scan_.peek(); c == '*' || c == '/' || c == '%'; c = scan_.peek()) {
    if (c == '/' && !scan_.take("//")) {
      scan_.expected("'//'", "subscripts are integers: floor division is written //");
      return false;
    }
    if (c != '/') scan_.take(c);
    scan_.peek();
    Index right;
    if (!read_index_factor(right)) return false;
    if (c != '*' && right == Index()) {
      scan_.report("subscript", Severity::error, since(begin), "division by zero in a subscript");
      return false;
    }
    std::optional<Index> value = c == '*'   ? Index::multiply(index, right)
                                 : c == '/' ? Index::floor_divide(index, right)
                                            : Index::modulo(index, right);
    if (!index_result(std::move(value), begin,
                      "this subscript overflows, has too many terms or nests too many divisions", index))
      return false;
  }
  return true;
}

bool ExpressionReader::read_natural(std::int64_t& value) {
  const std::uint32_t begin = (scan_.peek(), scan_.position());
  const std::string_view digits = scan_.take_digits();
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
    scan_.report("number", Severity::error, since(begin), "this integer does not fit in 64 bits");
    return false;
  }
  return true;
}

bool ExpressionReader::read_index_factor(Index& index) {
  const char c = scan_.peek();
  const std::uint32_t begin = scan_.position();
  if (c >= '0' && c <= '9') {
    std::int64_t value = 0;
    if (!read_natural(value)) return false;
    if (scan_.raw(0) == '.') {
      scan_.error({scan_.position(), 1}, "a subscript is an integer, found a decimal point");
      return false;
    }
    index = Index::constant(value);
    return true;
  }
  if (is_lower(c)) {
    const std::string_view word = scan_.take_lower();
    if (!check_index_word(word, begin)) return false;
    index = variables_.find(word);
    return true;
  }
  if (c >= 'A' && c <= 'Z') {
    RefPtr ref = read_ref();
    if (!ref) return false;
    if (!is_integer(ref->dtype)) {
      scan_.error(since(begin),
                  concat("a subscript reads ", ref->tensor, ", whose dtype ", code(ref->dtype), " is not an integer"),
                  "only integer tensors can index");
      return false;
    }
    index = Index::read(std::move(ref));
    return true;
  }
  if (c == '(') {
    scan_.take('(');
    if (!read_index(index)) return false;
    if (scan_.take(')')) return true;
    scan_.expected("')' in the subscript");
    return false;
  }
  scan_.expected("an index",
                 c == '-' ? "a subscript cannot begin with a minus: write 0-a or move a positive term first" : "");
  return false;
}

}  // namespace steptp
