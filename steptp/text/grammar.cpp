// Writes the grammar as GBNF. Engines compute most of a mask once for each place in a rule, so rules are flat: a
// chain of operands and operators is one rule, and every chain takes what ends it. Decision 0007.
#include "steptp/text/grammar.h"

#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"
#include "steptp/text/expression_reader.h"

namespace steptp {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// A character class; runs of three or more become ranges.
std::string one_of(const std::set<char>& letters) {
  std::string out = "[";
  for (auto at = letters.begin(); at != letters.end();) {
    auto end = at;
    char last = *at;
    while (++end != letters.end() && *end == last + 1) ++last;
    out += *at;
    if (last - *at >= 2) out += '-';
    if (last != *at) out += last;
    at = end;
  }
  return out + ']';
}

std::set<char> index_letters() {
  std::set<char> letters;
  for (char c = 'a'; c <= 'z'; ++c) {
    if (is_index_letter(c)) letters.insert(c);
  }
  return letters;
}

/// Words that would be plain indices by their letters, but are reserved.
std::set<std::string> reserved_index_words() {
  std::set<std::string> words;
  const auto add = [&words](std::string_view word) {
    if (is_reserved_word(word) && std::all_of(word.begin(), word.end(), is_index_letter)) words.emplace(word);
  };
  for (const Function function : kAllFunctions) {
    if (function != Function::negate) add(text_of(function));
  }
  for (const std::string_view word : {"inf", "max", "min"}) add(word);
  return words;
}

/// Writes the rules. Precedence plays no part in what is accepted, so a chain of operands and operators is one rule,
/// whatever the operators; and every chain also takes what ends it. That is for the engines: they compute most of a
/// mask once per place in a rule, and must look at the rest of the stack only for tokens that reach beyond the rule's
/// end. If an index were a rule, any word that begins with index letters would be such a token.
class GrammarWriter {
 public:
  GrammarWriter(Profile profile, bool extended) : compact_(profile == Profile::compact), extended_(extended) {
    const std::string word =
        concat(plain_alternatives(""), extended ? " | [btw] [xyz] " : " | [bt] [xyz] ", one_of(index_letters()), '*');
    index_ = concat('(', word, ')');
  }

  std::string write(GrammarTarget target, const std::vector<std::string>& strategies) {
    switch (target) {
      case GrammarTarget::program: rule("root", "program"); break;
      case GrammarTarget::answer:
        rule("root", R"(think? "<answer>" answer "</answer>")");
        envelope("", strategies);
        break;
      case GrammarTarget::answers:
        rule("root", R"(think? "<answer>[" answer ("," answer)* "]</answer>")");
        envelope(R"("\"idx\":" [1-9] [0-9]* "," )", strategies);
        break;
    }
    nests();
    if (extended_) guards();
    equations();
    references();
    subscripts();
    return std::move(out_);
  }

 private:
  void rule(std::string_view name, std::string_view body) { append(out_, name, " ::= ", body, '\n'); }

  static std::string any_of(const std::vector<std::string>& texts) {
    return join(texts, " | ", [](const std::string& text) { return quoted(text); });
  }

  void envelope(std::string_view number, const std::vector<std::string>& strategies) {
    rule("answer",
         concat(R"("{" )", number, R"("\"transformed_IR\":\"" program "\",\"applied_strategy\":\"" strategy "\"}")"));
    rule("strategy", any_of(strategies));
    rule("think", R"("<think>\n" trace-line ("\n" trace-line)* "\n</think>\n\n")");
    rule("trace-line", R"(([^<\n] | "<"+ ([^<t/\n] | "t" [^<h\n]))*)");
  }

  /// A header is a loop and the rest of the header.
  void nests() {
    const std::string bound = concat(extended_ ? "[btw] [xyz] " : "[bt] [xyz] ", one_of(index_letters()), '*');
    const std::string plain = concat('(', plain_alternatives(""), ')');
    if (compact_) {
      rule("program", R"(("^" default-dtype ";")? nest+)");
      rule("default-dtype", dtypes([](DType dtype) { return dtype != DType::f32; }));
      const std::string rest =
          concat(R"( [1-9] [0-9]* (" " nest | )", extended_ ? R"~(" ?(" guard-close body | )~" : "", "body)");
      rule("nest", concat(bound, rest, extended_ ? " | [PTUV]? " : " | [PUV]? ", plain, rest));
      rule("body", R"(" " equation | "{" (equation | nest)+ "}")");
    } else {
      rule("program", "nest+");
      const std::string rest = concat(R"( "=0}" (nest | )", extended_ ? R"("?{" guard body | )" : "", "body)");
      rule("nest", concat(R"("B^{" [1-9] [0-9]* "}_{" )", bound, rest, extended_ ? " | [LPTUV]" : " | [LPUV]",
                          R"( "^{" [1-9] [0-9]* "}_{" )", plain, rest));
      rule("body", R"("[" (equation | nest)+ "];")");
    }
  }

  void equations() {
    rule("equation", compact_ ? concat('(', reference(""), R"() ("=" condition | ("+=" | " max=" | " min=") value))")
                              : concat(reference(""), R"( "=" condition)"));
    const std::string atom = value_atom();
    constexpr std::string_view kOperators = R"([+%-] | "*" "*"? | "/" "/"?)";
    logic("condition", "comparison", "condition-close", atom, kOperators, ";");
    logic("condition-comma", "comparison-comma", "condition-close", atom, kOperators, ",");
    logic("condition-close", "comparison-close", "condition-close", atom, kOperators, ")");
    if (compact_) chain("value", atom, kOperators, ";");
    chain("value-comma", atom, kOperators, ",");
    chain("value-close", atom, kOperators, ")");
  }

  [[nodiscard]] std::string value_atom() const {
    std::vector<std::string> functions;
    for (const Function function : kAllFunctions) {
      if (function == Function::negate || (is_extension(function) && !extended_)) continue;
      functions.emplace_back(text_of(function));
    }
    return concat(R"~(("0" | [1-9] [0-9]*) ("." [0-9]+)? ("e" [+-]? [0-9]+)? | "inf" | )~", index_, " | ",
                  reference(""), " | (", any_of(functions),
                  R"~()? "(" value-close | ("max(" | "min(") value-comma value-close | )~",
                  compact_ ? R"~("where(")~" : R"~("if_then_else(")~", " condition-comma value-comma value-close");
  }

  /// Operands and operators, then what ends them.
  void chain(std::string_view name, std::string_view atom, std::string_view operators, std::string_view end) {
    rule(name, concat(R"("-"* ()", atom, ") ((", operators, ") ", name, " | ", quoted(end), ')'));
  }

  /// A bracket holds a condition only where a condition may stand: at the beginning and behind & and |. Elsewhere a
  /// bracket is an atom, and holds a value.
  void logic(std::string_view condition, std::string_view comparison, std::string_view close, std::string_view atom,
             std::string_view operators, std::string_view end) {
    rule(condition, concat(R"~("(" )~", close, " ([&|] ", condition, " | ", quoted(end), ") | ", comparison));
    rule(comparison, concat(R"("-"* ()", atom, ") ((", operators, R"( | "<" "="? | ">" "="? | "==" | "!=") )",
                            comparison, " | [&|] ", condition, " | ", quoted(end), ')'));
  }

  void guards() {
    const std::string atom = concat(R"("0" | [1-9] [0-9]* | )", index_, R"~( | "(" guard-value-close)~");
    constexpr std::string_view kOperators = R"([+*%-] | "//")";
    if (!compact_) logic("guard", "guard-comparison", "guard-close", atom, kOperators, "}");
    logic("guard-close", "guard-comparison-close", "guard-close", atom, kOperators, ")");
    chain("guard-value-close", atom, kOperators, ")");
  }

  template <typename Wanted>
  static std::string dtypes(Wanted wanted) {
    std::vector<std::string> codes;
    for (const DType dtype : kAllDTypes) {
      if (wanted(dtype)) codes.emplace_back(code(dtype));
    }
    return any_of(codes);
  }

  /// A tensor that indexes has an integer dtype; in compact text it may have been declared so before.
  void references() {
    const std::string_view scopes = extended_ ? R"([fgl] | "s" [2-5]?)" : "[gls]";
    const auto marks = [&](std::string_view name, const std::string& codes) {
      rule(name, compact_ ? concat(R"("^" ()", codes, R"() ("^" ()", scopes, R"())? | "^" ()", scopes, ')')
                          : concat(R"("^{" ()", codes, R"() "," ()", scopes, R"() "}")"));
    };
    marks("marks", dtypes([](DType) { return true; }));
    marks("index-marks", dtypes([](DType dtype) { return is_integer(dtype); }));
  }

  /// The alternatives of a reference, of which a compact one may end with its name.
  [[nodiscard]] std::string reference(std::string_view which) const {
    const std::string_view name = "[AC-KM-OQ-SW-Z] [a-z]*";
    const std::string marked = concat(name, ' ', which, "marks");
    if (!compact_) return concat(marked, R"( ("_{" subscripts)?)");
    return concat(name, " | ", name, R"~( "(" subscripts | )~", marked, " | ", marked, R"~( "(" subscripts)~");
  }

  /// Subscripts up to their closing bracket. What stands behind // and % is not the number 0.
  void subscripts() {
    const auto list = [this](const std::string& name, std::string_view operators, std::string_view end) {
      const std::string tail =
          concat(" (", operators, ' ', name, R"( | ("//" | "%") )", name, "-divisor | ", quoted(end), ')');
      rule(name, concat(R"("0")", tail, " | ", name, "-divisor"));
      rule(name + "-divisor",
           concat("([1-9] [0-9]* | ", index_, " | ", reference("index-"), R"~( | "(" subscript-close))~", tail));
    };
    list("subscripts", "[,+*-]", compact_ ? ")" : "}");
    list("subscript-close", "[+*-]", ")");
  }

  /// The words of index letters that are not reserved, by the longest prefix they share with a reserved word. No
  /// groups: the engines make rules of those.
  [[nodiscard]] std::string plain_alternatives(const std::string& prefix) const {
    const std::string begin = prefix.empty() ? "" : quoted(prefix) + ' ';
    std::set<char> free = index_letters();
    std::string longer_ones;
    for (const char c : index_letters()) {
      const std::string longer = prefix + c;
      const auto at = reserved_.lower_bound(longer);
      if (at == reserved_.end() || !at->starts_with(longer)) continue;
      free.erase(c);
      append(longer_ones, " | ", plain_alternatives(longer));
    }
    const bool complete = !prefix.empty() && !reserved_.contains(prefix);
    return concat(complete ? quoted(prefix) + " | " : "", begin, one_of(free), ' ', one_of(index_letters()), '*',
                  longer_ones);
  }

  bool compact_;
  bool extended_;
  std::set<std::string> reserved_ = reserved_index_words();
  std::string index_;  ///< a plain or a bound index
  std::string out_;
};

}  // namespace

std::string gbnf(Profile profile, GrammarTarget target, const std::vector<std::string>& strategy_names, bool extended) {
  return GrammarWriter(profile, extended).write(target, strategy_names);
}

}  // namespace steptp
