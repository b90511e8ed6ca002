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
  for (const std::string_view word : {"inf", "max", "min", "if"}) add(word);
  return words;
}

class GrammarWriter {
 public:
  GrammarWriter(Profile profile, bool extended) : compact_(profile == Profile::compact), extended_(extended) {}

  std::string write(GrammarTarget target, const std::vector<std::string>& strategies) {
    switch (target) {
      case GrammarTarget::program: rule("root", "program"); break;
      case GrammarTarget::answer:
        rule("root", R"(think? "<answer>" answer "</answer>")");
        envelope("", strategies);
        break;
      case GrammarTarget::answers:
        rule("root", R"(think? "<answer>[" answer ("," answer)* "]</answer>")");
        envelope(R"("\"idx\":" posint "," )", strategies);
        break;
    }
    nests();
    references();
    subscripts();
    values();
    if (extended_) guards();
    words();
    return std::move(out_);
  }

 private:
  void rule(std::string_view name, std::string_view body) { append(out_, name, " ::= ", body, '\n'); }

  static std::string any_of(const std::vector<std::string>& texts) {
    return join(texts, " | ", [](const std::string& text) { return quoted(text); });
  }

  void envelope(std::string_view number, const std::vector<std::string>& strategies) {
    rule("answer", concat(R"("{" )", number,
                          R"("\"transformed_IR\":\"" program "\",\"applied_strategy\":\"" strategy "\"}")"));
    rule("strategy", any_of(strategies));
    rule("think", R"("<think>\n" trace-line ("\n" trace-line)* "\n</think>\n\n")");
    rule("trace-line", R"(([^<\n] | "<"+ ([^<t/\n] | "t" [^<h\n]))*)");
  }

  void nests() {
    const std::string_view guard = extended_ ? "guard? " : "";
    if (compact_) {
      rule("program", "default? nest+");
      rule("default", R"("^" default-dtype ";")");
      rule("default-dtype", dtypes([](DType dtype) { return dtype != DType::f32; }));
      rule("nest", concat(R"(loop (" " loop)* )", guard, R"((" " equation | "{" item+ "}"))"));
      rule("loop", "bound posint | [PUV]? plain posint");
    } else {
      rule("program", "nest+");
      rule("nest", concat("loop+ ", guard, R"("[" item+ "];")"));
      rule("loop", R"("B^{" posint "}_{" bound "=0}" | [LPUV] "^{" posint "}_{" plain "=0}")");
    }
    rule("item", "equation | nest");
    rule("equation", compact_ ? R"(ref ("=" condition | "+=" value | " max=" value | " min=" value) ";")"
                              : R"(ref "=" condition ";")");
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
    const auto reference = [this](std::string_view name, std::string_view dtype) {
      rule(name, compact_ ? concat(R"(name ("^" )", dtype, R"~()? ("^" scope)? ("(" subscripts ")")?)~")
                          : concat(R"(name "^{" )", dtype, R"( "," scope "}" ("_{" subscripts "}")?)"));
    };
    reference("ref", "dtype");
    reference("index-ref", "index-dtype");
    rule("name", "[AC-KM-OQ-SW-Z] [a-z]*");
    rule("dtype", dtypes([](DType) { return true; }));
    rule("index-dtype", dtypes([](DType dtype) { return is_integer(dtype); }));
    rule("scope", "[gls]");
  }

  void subscripts() {
    rule("subscripts", R"(subscript ("," subscript)*)");
    rule("subscript", "term ([+-] term)*");
    rule("term", R"(factor ("*" factor | ("//" | "%") divisor)*)");
    rule("factor", "natural | operand");
    rule("divisor", "posint | operand");
    rule("operand", R"~(index | "(" subscript ")" | index-ref)~");
  }

  void values() {
    logic("condition", "conjunction", "comparison", "value");
    rule("value", "product ([+-] product)*");
    rule("product", R"(unary (("*" | "/" "/"? | "%") unary)*)");
    rule("unary", R"("-"* power)");
    rule("power", R"(atom ("**" unary)?)");
    rule("atom", R"~(number | "inf" | index | ref | "(" value ")" | call)~");
    rule("call", concat(R"~(function "(" value ")" | ("max" | "min") "(" value "," value ")" | )~",
                        compact_ ? R"("where")" : R"("if_then_else")", R"~( "(" condition "," value "," value ")")~"));
    std::vector<std::string> functions;
    for (const Function function : kAllFunctions) {
      if (function == Function::negate || (is_extension(function) && !extended_)) continue;
      functions.emplace_back(text_of(function));
    }
    rule("function", any_of(functions));
  }

  /// A bracket holds a value inside arithmetic, a condition only where a condition may stand.
  void logic(std::string_view condition, std::string_view conjunction, std::string_view comparison,
             std::string_view value) {
    rule(condition, concat(conjunction, R"( ("|" )", conjunction, ")*"));
    rule(conjunction, concat(comparison, R"( ("&" )", comparison, ")*"));
    rule(comparison, concat(R"~("(" )~", condition, R"~( ")" | )~", value,
                            R"~( (("<" "="? | ">" "="? | "==" | "!=") )~", value, ")*"));
  }

  void guards() {
    rule("guard", compact_ ? R"~(" ?(" guard-condition ")")~" : R"("?{" guard-condition "}")");
    logic("guard-condition", "guard-conjunction", "guard-comparison", "guard-value");
    rule("guard-value", "guard-term ([+-] guard-term)*");
    rule("guard-term", R"(guard-factor (("*" | "//" | "%") guard-factor)*)");
    rule("guard-factor", R"~("-"* (natural | index | "(" guard-value ")"))~");
  }

  void words() {
    rule("natural", R"("0" | posint)");
    rule("posint", "[1-9] [0-9]*");
    rule("number", R"(natural ("." [0-9]+)? ("e" [+-]? [0-9]+)?)");
    rule("index", "plain | bound");
    rule("bound", concat("[bt] [xyz] ", one_of(index_letters()), '*'));
    plain_indices();
  }

  /// Any word of index letters that is not reserved: one rule for each prefix of a reserved word.
  void plain_indices() {
    const std::set<std::string> reserved = reserved_index_words();
    std::set<std::string> prefixes;
    for (const std::string& word : reserved) {
      for (std::size_t length = 0; length <= word.size(); ++length) prefixes.insert(word.substr(0, length));
    }
    for (const std::string& prefix : prefixes) {
      std::set<char> free = index_letters();
      std::string body;
      for (const char c : index_letters()) {
        const std::string longer = prefix + c;
        if (!prefixes.contains(longer)) continue;
        free.erase(c);
        append(body, " | \"", c, "\" plain-", longer);
      }
      body.insert(0, concat(one_of(free), ' ', one_of(index_letters()), '*'));
      const bool complete = !prefix.empty() && !reserved.contains(prefix);
      if (complete) body = concat('(', body, ")?");
      rule(prefix.empty() ? "plain" : "plain-" + prefix, body);
    }
  }

  bool compact_;
  bool extended_;
  std::string out_;
};

}  // namespace

std::string gbnf(Profile profile, GrammarTarget target, const std::vector<std::string>& strategy_names, bool extended) {
  return GrammarWriter(profile, extended).write(target, strategy_names);
}

}  // namespace steptp
