#include "testing/near_miss_programs.h"

#include <cctype>
#include <iterator>

#include "steptp/base/text.h"

namespace steptp::testing::near_misses {

namespace {

constexpr Sort kR = Sort::real;
constexpr Sort kW = Sort::whole;
constexpr Sort kC = Sort::condition;

void add_real_forms(World& world) {
  for (const char* text :
       {"-$0",       "abs($0)", "exp($0)", "log($0)", "sqrt($0)", "floor($0)", "ceil($0)", "round($0)",  "tanh($0)",
        "rsqrt($0)", "erf($0)", "$0**2",   "$0**3",   "$0**0.5",  "$0**1.5",   "$0**(-1)", "$0**(-0.5)", "1/($0)",
        "$0%1",      "$0//1",   "$0%2",    "$0//2",   "sin($0)",  "cos($0)",   "2**($0)"}) {
    world.forms.push_back({kR, text, {kR}});
  }
  for (const char* text : {"$0+$1", "$0-$1", "$0*$1", "$0/$1", "max($0,$1)", "min($0,$1)", "$0*$1"}) {
    world.forms.push_back({kR, text, {kR, kR}, 4});
  }
  for (const char* text : {"$0//$1", "$0%$1", "$0**$1"}) world.forms.push_back({kR, text, {kR, kR}});
  world.forms.push_back({kR, "where($0,$1,$2)", {kC, kR, kR}, 8});
  for (const char* text : {"$0<$1", "$0<=$1", "$0==$1", "$0!=$1"}) world.forms.push_back({kC, text, {kR, kR}, 2});
  world.forms.push_back({kC, "$0&$1", {kC, kC}});
  world.forms.push_back({kC, "$0|$1", {kC, kC}});
}

void add_whole_forms(World& world) {
  for (const char* text : {"-$0", "abs($0)", "$0**2", "$0%3", "$0//2", "$0%256", "$0//128"}) {
    world.forms.push_back({kW, text, {kW}});
  }
  for (const char* text : {"$0+$1", "$0-$1", "$0*$1", "max($0,$1)", "min($0,$1)"}) {
    world.forms.push_back({kW, text, {kW, kW}, 3});
  }
  for (const char* text : {"$0//$1", "$0%$1"}) world.forms.push_back({kW, text, {kW, kW}});
  world.forms.push_back({kW, "where($0,$1,$2)", {kC, kW, kW}, 4});
  for (const char* text : {"$0<$1", "$0==$1", "$0<=$1"}) world.forms.push_back({kC, text, {kW, kW}, 2});
  for (const char* type : {"i8", "u8", "i16", "i64", "bool", "i32"}) {
    world.forms.push_back({kW, concat("store ", type), {kW}, 2});
    world.forms.push_back({kW, concat("store ", type), {kR}, 1});
  }
  world.forms.push_back({kR, "$0", {kW}, 3});
  world.forms.push_back({kR, "store f64", {kW}, 2});
}

/// `text` with every `$x<number>` moved up by so many.
std::string shifted(const std::string& text, std::size_t by) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "$x") != 0) {
      out += text[i];
      continue;
    }
    std::size_t end = i + 2;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    out += concat("$x", std::stoul(text.substr(i + 2, end - i - 2)) + by);
    i = end - 1;
  }
  return out;
}

}  // namespace

World world_of(const std::string& name) {
  World out;
  const std::string n = concat("[", kElements, "]");
  out.signature = concat("@program Near\n@input A f64", n, "\n@input C f64", n, "\n@output D f64", n, "\n");
  if (name == "writes") {
    out.signature = "@program Near\n@input A f64[6]\n@input C f64[6]\n@input I i64[6] [0,6)\n@output D f64[6]\n";
  }
  out.reals = {"A(a)", "C(a)", "0", "1", "2", "0.5", "A(a)", "C(a)"};
  if (name == "masks") {
    out.signature += concat("@input M f64", n, " masked\n@input Q f64", n, " positive\n");
    for (const char* leaf : {"M(a)", "M(a)", "M(a)", "Q(a)", "inf", "-inf"}) out.reals.emplace_back(leaf);
  }
  if (name == "integers") {
    out.signature += concat("@input I i8", n, "\n@input J u8", n, "\n@input N i64", n, "\n@input K bool", n, "\n");
    out.wholes = {"I(a)", "J(a)", "N(a)", "K(a)", "a", "1", "2", "127", "I(a)", "255"};
  }
  if (name == "folds") {
    out.signature += "@input G f64[4]\n@input H f64[4] masked\n";
    for (const char* leaf : {"G(c)", "H(c)", "c", "G(c)", "G(1)", "a"}) out.reals.emplace_back(leaf);
    for (const char* op : {"+", "*", "max", "min"}) {
      out.forms.push_back({kR, concat("fold ", op), {kR}, 8});
      out.forms.push_back({kR, concat("scan ", op), {kR, kR}, 2});
    }
    out.forms.push_back({kC, "c<2", {}, 3});
    out.forms.push_back({kC, "c==3", {}, 3});
    out.forms.push_back({kC, "a<5", {}, 2});
    out.forms.push_back({kC, "a%4==c", {}, 2});
  }
  if (name == "integers") add_whole_forms(out);
  add_real_forms(out);
  return out;
}

std::optional<Term> made(const Form& form, const std::vector<const Term*>& parts) {
  Term out;
  out.sort = form.sort;
  std::vector<std::string> texts;
  for (const Term* part : parts) {
    const std::size_t by = out.statements.size();
    for (const std::string& statement : part->statements) out.statements.push_back(shifted(statement, by));
    texts.push_back(shifted(part->text, by));
    out.size += part->size;
    out.is_of_round = out.is_of_round || part->is_of_round;
    out.is_steep = out.is_steep || part->is_steep;
  }
  if (parts.empty()) out.is_of_round = form.text.find('c') != std::string::npos;
  const bool grows = form.text.starts_with("exp") || form.text.find("**") != std::string::npos;
  const bool rounds = form.text.find("//") != std::string::npos || form.text.find('%') != std::string::npos ||
                      form.text.starts_with("floor") || form.text.starts_with("ceil") ||
                      form.text.starts_with("round") || form.text.starts_with("store");
  if (out.is_steep && (grows || rounds)) return std::nullopt;
  out.is_steep = out.is_steep || grows;
  const std::string name = concat("$x", out.statements.size());
  const std::string loops = concat("a", kElements);
  if (form.text.starts_with("store ")) {
    if (out.is_of_round) return std::nullopt;
    out.statements.push_back(concat(loops, " ", name, "^", form.text.substr(6), "(a)=", texts[0], ";"));
    out.text = name + "(a)";
    return out;
  }
  if (form.text.starts_with("fold ")) {
    const std::string op = form.text.substr(5);
    const std::string head = concat(loops, " c4 ", name, "(a)");
    if (op == "*") {
      out.statements.push_back(concat(head, "=", name, "(a)*(", texts[0], ");"));
    } else {
      out.statements.push_back(concat(head, op == "+" ? "" : " ", op, "=", texts[0], ";"));
    }
    out.text = name + "(a)";
    out.is_of_round = false;
    return out;
  }
  if (form.text.starts_with("scan ")) {
    const std::string op = form.text.substr(5);
    if (parts[1]->is_of_round) return std::nullopt;
    out.is_of_round = false;
    const std::string last = name + "(a,c-1)";
    const std::string step =
        op == "max" || op == "min" ? concat(op, "(", last, ",", texts[0], ")") : concat(last, op, "(", texts[0], ")");
    out.statements.push_back(concat(loops, " c4 ", name, "(a,c)=where(c==0,", texts[1], ",", step, ");"));
    out.text = name + "(a,3)";
    return out;
  }
  for (std::size_t i = 0; i < form.text.size(); ++i) {
    if (form.text[i] != '$') {
      out.text += form.text[i];
      continue;
    }
    const std::string& part = texts[static_cast<std::size_t>(form.text[++i] - '0')];
    const bool is_plain = part.find_first_of("+-*/%<>=&|") == std::string::npos || form.text == "$0";
    out.text += is_plain ? part : "(" + part + ")";
  }
  return out;
}

std::string text_of(const Term& term) {
  std::string out = "^f64;";
  for (const std::string& statement : term.statements) out += statement;
  out += concat("a", kElements, " D(a)=", term.text, ";");
  static constexpr std::string_view kLetters = "acdefghijklmnopqrstuvwxyz";
  for (std::size_t number = term.statements.size(); number-- > 0;) {
    const std::string from = concat("$x", number);
    const std::string name = concat("X", kLetters[number % 25], number < 25 ? "" : "z");
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at)) {
      out.replace(at, from.size(), name);
    }
  }
  return out;
}

std::string WrittenProgram::make() {
  std::string out = concat("^f64;a", kPlaces, " D(a)=", value("a", false), ";");
  if (random_.chance(1, 2)) out += concat("a", kPlaces, " E(a)=", value("a", false), ";");
  has_second_ = out.find("E(a)") != std::string::npos;
  for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) out += change();
  if (random_.chance(1, 3)) out += concat("a", kPlaces, " D(a)=D(a)", has_second_ ? "*E(a)" : "+C(a)", ";");
  return out;
}

std::string WrittenProgram::pick(std::initializer_list<const char*> words) {
  return *(words.begin() + static_cast<std::ptrdiff_t>(random_.below(words.size())));
}

std::string WrittenProgram::value(const std::string& at, bool has_round) {
  std::vector<std::string> all = {
      concat("A(", at, ")"),
      concat("C(", at, ")"),
      concat("A(5-(", at, "))"),
      concat("C((", at, ")//2)"),
      concat("A((", at, "+1)%6)"),
      "0",
      concat("where(", at, pick({"<3,", "==2,", "<=3,", "%2==0,", "!=5,"}), "A(", at, "),C(", at, "))"),
      concat("A(I(", at, "))")};
  if (has_round) all.insert(all.end(), {"A(c)", "C(c)", concat("A((", at, "+c)%6)")});
  return all[random_.below(all.size())];
}

std::string WrittenProgram::change() {
  struct Place {
    const char* loops;
    const char* at;
    bool has_round;
  };
  static constexpr Place kPlacesOf[] = {
      {"a6", "a", false},       {"a6", "5-a", false},     {"a5", "a+1", false},     {"a4", "a+2", false},
      {"a3", "a*2", false},     {"a3", "a*2+1", false},   {"a12", "a//2", false},   {"a9", "a%6", false},
      {"a3 c2", "a*2+c", true}, {"a2 c3", "a*3+c", true}, {"a2 c3", "a+c*2", true}, {"a4 c3", "a+c", true},
      {"a6 c3", "a", true},     {"a3 c6", "c", true},     {"a6", "a*5%6", false},   {"a6", "I(a)", false},
      {"a6", "(a+2)%6", false}, {"a3", "a", false},       {"a4", "5-a", false},     {"a7", "a*6//7", false},
      {"a3 c4", "c+2", true},   {"a6 c6", "c", true},
  };
  const Place& place = kPlacesOf[random_.below(std::size(kPlacesOf))];
  const std::string at = place.at;
  const std::string tensor = has_second_ && random_.chance(1, 3) ? "E" : "D";
  const std::string other = has_second_ ? pick({"D", "E"}) : "D";
  const std::string here = concat(tensor, "(", at, ")");
  const std::string read = concat(other, "(", pick({"5-(", "(", "(1+"}), at, pick({")%6)", ")*5%6)", ")//2)"}));
  std::string head = place.loops;
  if (random_.chance(1, 3)) {
    head += concat(" ?(", pick({"a<2", "a!=1", "a%2==0", "a>=1", "a*3<5", "a<=3", "a==2"}),
                   place.has_round && random_.chance(1, 3) ? pick({"&c<2", "&a!=c", "|c==1"}) : "", ")");
  }
  const std::string v = value(at, place.has_round);
  switch (random_.below(9)) {
    case 0: return concat(head, " ", here, "=", v, ";");
    case 1: return concat(head, " ", here, "+=", v, ";");
    case 2: return concat(head, " ", here, " max=", v, ";");
    case 3: return concat(head, " ", here, "=", read, ";");
    case 4: return concat(head, " ", here, "=", read, "+", v, ";");
    case 5: return concat(head, " ", here, "=max(", read, ",", v, ");");
    case 6:
      return concat(head, " ", here, "=where(", pick({"A(0)<0", "a<2", "a%3==1", "I(0)==2", "A(a%6)<C(0)"}), ",", v,
                    ",", read, ");");
    case 7: return concat(head, "{", here, "=", read, ";", tensor, "((", at, "+1)%6)=", v, ";}");
    default: return concat(head, " ", here, "=", here, "*", v, ";");
  }
}

}  // namespace steptp::testing::near_misses
