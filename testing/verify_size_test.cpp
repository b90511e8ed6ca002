// Pairs made to break the judge by their size: deep, long, wide, with huge numbers. Each gets an answer in bounded time
// and memory, in a process of its own, so that a crash is a failure of its pair and not of this test.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/verify/verify_pair.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

// Of CPU; the builds of tests are slower than the one that users have.
constexpr double kMostSeconds = 30;
constexpr long kMostMegabytes = 2000;

struct Case {
  std::string name;
  std::string before;
  std::string after;
  std::string signature = "@input A f32[16]\n@input C f32[16]\n@output O f32[16]\n";
  bool may_be_equal = true;
};

/// The verdict of a process that judges the pair, or what became of it.
std::string verdict_apart(const Case& one) {
  int line[2];
  if (pipe(line) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const auto read = [&](const std::string& text) {
      return read_document(one.name, expand_shorthand(one.signature + text, {{"T", "f32"}}));
    };
    const Judgement judgement = verify_pair(make_pair(read(one.before), read(one.after)));
    const std::string text = concat(name_of(judgement.verdict), judgement.unusable ? " unusable" : "");
    _exit(write(line[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(line[1]);
  std::string text(64, '\0');
  const ssize_t got = read(line[0], text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(line[0]);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  if (WIFSIGNALED(status)) return concat("signal ", WTERMSIG(status));
  const double seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  if (seconds > kMostSeconds) return concat(text, " after ", std::to_string(seconds), " s");
  if (used.ru_maxrss / 1024 > kMostMegabytes) return concat(text, " with ", used.ru_maxrss / 1024, " MB");
  return text;
}

void expect_answer(const Case& one) {
  const std::string verdict = verdict_apart(one);
  const bool is_equal = verdict == "proved" || verdict == "exact";
  const bool is_answer = is_equal || verdict == "numeric" || verdict == "differs" || verdict == "undecided" ||
                         verdict == "invalid" || verdict == "undecided unusable" || verdict == "invalid unusable";
  std::cout << one.name << ": " << verdict << "\n";
  EXPECT_TRUE(is_answer) << one.name << ": " << verdict;
  EXPECT_TRUE(one.may_be_equal || !is_equal) << one.name << ": " << verdict;
}

std::string nest(const std::string& body, const std::string& extent = "16") {
  return concat("L(a,", extent, ")[", body, "];");
}

using Step = std::function<std::string(const std::string&)>;

std::string nested(int times, const Step& step, std::string inside = "A[a]") {
  for (int i = 0; i < times; ++i) inside = step(inside);
  return inside;
}

/// A tensor of its own for each number.
std::string tensor(int number) {
  std::string name = "E";
  for (; number > 0; number /= 20) name += "acdefghijkmnoqrswxyz"[number % 20];
  return name + "z[a]";
}

/// Statements one after the other, each in a nest of its own, or all in one.
std::string chain(int length, const std::function<std::string(const std::string&, int)>& step, bool in_one = false) {
  std::string out;
  std::string last = "A[a]";
  for (int i = 0; i < length; ++i) {
    const std::string next = i + 1 == length ? "O[a]" : tensor(i);
    const std::string statement = concat(next, "=", step(last, i), ";");
    out += in_one ? statement : nest(statement);
    last = next;
  }
  return in_one ? nest(out) : out;
}

/// mish of mish of ...; one of them has another exponent in its divisor.
std::string mishes(int times, int changed) {
  return chain(4 * times, [&](const std::string& last, int i) -> std::string {
    const std::string input = i < 4 ? "A[a]" : tensor(i / 4 * 4 - 1);
    const std::string soft = tensor(i / 4 * 4);
    if (i % 4 == 0) return concat("log(1+exp(", input, "))");
    if (i % 4 == 1) return concat("exp(", soft, ")-exp(-", soft, ")");
    if (i % 4 == 2) return concat("exp(", soft, ")+exp(-", i / 4 == changed ? input : soft, ")");
    return concat(input, "*", tensor(i / 4 * 4 + 1), "/", last);
  });
}

std::string joined(int count, const std::string& separator, const std::function<std::string(int)>& part) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "" : separator) + part(i);
  return out;
}

TEST(VerifySize, MishOfMish) {
  for (int times = 1; times <= 4; ++times) {
    for (int changed = 0; changed < times; ++changed) {
      expect_answer({concat("mish ", times, " ", changed), mishes(times, -1), mishes(times, changed),
                     "@input A f32[16]\n@output O f32[16]\n", false});
    }
  }
}

TEST(VerifySize, DeepExpressions) {
  for (const char* function : {"exp", "log", "sqrt", "abs", "erf", "tanh", "rsqrt", "floor"}) {
    const Step step = [&](const std::string& x) { return concat(function, "(", x, ")"); };
    expect_answer(
        {function, nest(concat("O[a]=", nested(240, step), ";")), nest(concat("O[a]=", nested(239, step), ";"))});
  }
  const std::vector<std::pair<std::string, Step>> steps = {
      {"max", [](const std::string& x) { return concat("max(", x, "*2,C[a])"); }},
      {"clamp", [](const std::string& x) { return concat("max(min(", x, ",C[a]),A[a])"); }},
      {"inverse", [](const std::string& x) { return concat("1/(1+", x, ")"); }},
      {"select", [](const std::string& x) { return concat("if_then_else(A[a]<C[a],", x, "+1,C[a])"); }},
      {"square", [](const std::string& x) { return concat("(", x, "+1)**2"); }},
      {"log-sum-exp", [](const std::string& x) { return concat("log(exp(", x, ")+exp(C[a]))"); }},
      {"logarithm", [](const std::string& x) { return concat("log(1+abs(", x, "))"); }},
      {"power", [](const std::string& x) { return concat("(1+abs(A[a]))**(", x, ")"); }},
      {"rounding", [](const std::string& x) { return concat("floor(exp(", x, "))"); }},
      {"sine", [](const std::string& x) { return concat("sin(exp(", x, "))"); }}};
  for (const auto& [name, step] : steps) {
    for (const int depth : {8, 60}) {
      expect_answer({concat(name, " ", depth), nest(concat("O[a]=", nested(depth, step), ";")),
                     nest(concat("O[a]=", nested(depth - 1, step), ";"))});
    }
  }
}

/// Definitions that are used twice: written out they have 2^40 parts.
TEST(VerifySize, SharedDefinitions) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"max($,$*2)", "max(2*$,$)"},
      {"exp($)+exp(-$)", "exp(-$)+exp($)"},
      {"$*$+C[a]", "C[a]+$*$"},
      {"$/(1+$*$)", "$/($*$+1)"},
      {"if_then_else($<C[a],$*2,$+C[a])", "if_then_else($>=C[a],C[a]+$,2*$)"},
      {"1/(1+exp(-$))", "exp($)/(1+exp($))"}};
  const auto with = [](const std::string& form, const std::string& x) {
    std::string out;
    for (const char c : form) out += c == '$' ? x : std::string(1, c);
    return out;
  };
  for (const auto& [before, after] : forms) {
    for (const bool changes : {false, true}) {
      const auto old_step = [&](const std::string& x, int) { return with(before, x); };
      const auto new_step = [&](const std::string& x, int i) {
        return with(changes && i == 20 ? after + "+1" : after, x);
      };
      expect_answer({concat(before, changes ? " changed" : ""), chain(40, old_step), chain(40, new_step)});
    }
  }
}

TEST(VerifySize, LongPrograms) {
  const auto plus = [](const std::string& x, int) { return x + "+1"; };
  const auto swapped = [](const std::string& x, int) { return "1+" + x; };
  expect_answer({"many nests", chain(5000, plus), chain(5000, swapped)});
  expect_answer({"one nest", chain(1000, plus, true), chain(1000, swapped, true)});
  const auto changed = [](const std::string& x, int i) { return (i == 700 ? "2+" : "1+") + x; };
  Case different{"many nests, one changed", chain(1000, plus), chain(1000, changed)};
  different.may_be_equal = false;
  expect_answer(different);
}

TEST(VerifySize, WideExpressions) {
  const std::string wide = "@input A f32[16,2001]\n@output O f32[16]\n";
  const auto element = [](int i) { return concat("A[a,", i, "]"); };
  const auto both_ways = [&](const std::string& name, int count, const std::string& separator,
                             const std::function<std::string(int)>& part) {
    expect_answer({name, nest(concat("O[a]=", joined(count, separator, part), ";")),
                   nest(concat("O[a]=", joined(count, separator, [&](int i) { return part(count - 1 - i); }), ";")),
                   wide});
  };
  both_ways("sum", 1000, "+", element);
  both_ways("product", 2000, "*", element);
  both_ways("product of exponentials", 500, "*", [&](int i) { return concat("exp(", element(i), ")"); });
  both_ways("product of sums", 200, "*", [&](int i) { return concat("(", element(i), "+", element(i + 1), ")"); });
  both_ways("sum of quotients", 200, "+", [&](int i) { return concat("1/(1+", element(i), "*", element(i), ")"); });
  both_ways("sum of choices", 200, "+",
            [&](int i) { return concat("if_then_else(", element(i), "<", element(i + 1), ",", element(i), ",0)"); });
}

TEST(VerifySize, HugeNumbers) {
  std::vector<std::string> literals = {"1e308", "1e-320", "1e4000", "1e-4000", "1e100000", "1e999999999999"};
  literals.push_back("1" + std::string(400, '0'));
  literals.push_back("0." + std::string(20000, '3'));
  for (const std::string& literal : literals) {
    const std::string name = literal.substr(0, 20);
    expect_answer({name, nest(concat("O[a]=A[a]*", literal, ";")), nest(concat("O[a]=", literal, "*A[a]*1;"))});
    expect_answer({name + " in exp", nest(concat("O[a]=exp(A[a]*", literal, ");")),
                   nest(concat("O[a]=exp(A[a]*", literal, "+1)/exp(1);"))});
  }
  for (const char* power : {"1000000", "9223372036854775807", "1e10", "1e300", "0.33333333333333333", "-1000000"}) {
    expect_answer({power, nest(concat("O[a]=A[a]**", power, ";")), nest(concat("O[a]=A[a]*A[a]**(", power, "-1);"))});
    expect_answer({concat("((x)**y)**y, y=", power), nest(concat("O[a]=(A[a]**", power, ")**", power, ";")),
                   nest(concat("O[a]=A[a]**(", power, "*", power, ");"))});
  }
  const std::string tower = nested(
      6, [](const std::string& x) { return concat("(", x, ")**64"); }, "3.5");
  expect_answer({"3.5**64**64...", nest(concat("O[a]=A[a]*", tower, ";")), nest(concat("O[a]=", tower, "*A[a];"))});
  const auto squares = [](const std::string& constant) {
    return chain(40, [&](const std::string& x, int i) {
      return i == 0 ? std::string("3.7") : i == 39 ? x + "*A[a]" : concat(x, "*", x, i == 20 ? constant : "+0.1");
    });
  };
  expect_answer({"squares of constants", squares("+0.1"), squares("+0.2")});
  for (const char* function : {"floor", "sin", "tanh", "log"}) {
    expect_answer({concat(function, " of exp of exp"), nest(concat("O[a]=", function, "(exp(exp(A[a]*60+4)));")),
                   nest(concat("O[a]=", function, "(exp(exp(A[a]*60+5)));"))});
  }
  expect_answer(
      {"remainder of exp of exp", nest("O[a]=exp(exp(exp(A[a]*60+4)))%3;"), nest("O[a]=exp(exp(exp(A[a]*60+5)))%3;")});
}

TEST(VerifySize, HugeExtents) {
  for (const char* extent : {"2147483648", "1099511627776", "4611686018427387904"}) {
    const std::string signature = concat("@input A f32[", extent, "]\n@output O f32[", extent, "]\n");
    const std::string double_it = nest("O[a]=A[a]*2;", extent);
    expect_answer({extent, double_it, nest("O[a]=A[a]+A[a];", extent), signature});
    Case far{concat("far ", extent), double_it, nest("O[a]=if_then_else(a==1000000007,0,A[a]+A[a]);", extent),
             signature};
    far.may_be_equal = false;
    expect_answer(far);
    expect_answer({concat("recurrence ", extent), nest("O[a]=if_then_else(a<1,0,O[a-1])*2+A[a];", extent),
                   nest("O[a]=if_then_else(a<1,0,O[a-1])*2+A[a]+0.5;", extent), signature});
  }
  const std::string square = "@input A f32[10000,10000]\n@output O f32[10000,10000]\n";
  const auto pascal = [](const std::string& factor) {
    return concat("L(a,10000)L(c,10000)[O[a,c]=tanh(if_then_else(a<1,0,O[a-1,c])*", factor,
                  "+if_then_else(c<1,0,O[a,c-1])+A[a,c]);];");
  };
  expect_answer({"a recurrence in two directions", pascal("1"), pascal("1.1"), square, false});
}

// Each of many writers reads what all others write: the ways back to an input are as many as their power.
TEST(VerifySize, OneTensorOverwrittenInTurn) {
  const std::string signature = "@input A f32[4]\n@output O f32[4]\n";
  for (const int times : {45, 60}) {
    const auto program = [&](const char* last) {
      return nest("O[a]=A[a];", "4") +
             joined(times, "", [&](int i) { return nest(i + 1 == times ? last : "O[a]=max(O[a]*O[a],A[a]);", "4"); });
    };
    expect_answer({concat("overwritten ", times, " times"), program("O[a]=max(O[a]*O[a],A[a]);"),
                   program("O[a]=if_then_else(O[a]*O[a]>A[a],O[a]*O[a],A[a]);"), signature});
  }
}

TEST(VerifySize, ManyLoopsAndSubscripts) {
  const auto loop = [](int i) {
    return concat("L(", std::string(1, "acdfghijklmnopqrsuw"[i % 19]), std::string(1, "acdfghijklmnopqrsuw"[i / 19]),
                  ",2)");
  };
  const std::string scalar = "@input A f32[]\n@output O f32[]\n";
  for (const int loops : {60, 300}) {
    const std::string header = joined(loops, "", loop);
    expect_answer({concat(loops, " loops"), header + "[O[]=O[]+A[];];", header + "[O[]=A[]*2+O[];];", scalar});
  }
  const std::string table = "@input A f32[100000]\n@output O f32[1000]\n";
  for (const int depth : {10, 60}) {
    const auto subscript = [&](const char* start) {
      return nested(
          depth, [](const std::string& x) { return concat("(", x, "*3+5)%977"); }, start);
    };
    expect_answer({concat("remainders ", depth), nest(concat("O[a]=A[", subscript("a"), "];"), "1000"),
                   nest(concat("O[a]=A[", subscript("(a+1)"), "];"), "1000"), table, false});
  }
  const auto writes = [](const std::string& factor) {
    return nest("O[a]=0;", "1000") + joined(200, "", [&](int i) {
             return nest(concat("O[a+", i * 3, "]=A[a]*", i == 199 ? factor : std::to_string(i), ";"), "50");
           });
  };
  expect_answer({"partial writes", writes("199"), writes("200"), table});
}

}  // namespace
}  // namespace steptp::testing
