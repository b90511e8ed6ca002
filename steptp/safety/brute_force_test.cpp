// The verdict of `check` against the tracer, which simply executes: over generated programs and their mutants.
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/text/signature_text.h"
#include "testing/demotions.h"
#include "testing/generator.h"
#include "testing/mutator.h"
#include "testing/soak.h"
#include "testing/tracer.h"

namespace steptp::testing {
namespace {

/// What the tracer's messages mean in terms of the checker's promises.
enum class Violation : std::uint8_t { none, element, structure, other };

Violation kind_of(const std::string& message) {
  if (message.empty()) return Violation::none;
  if (message.starts_with("undefined ") || message.find(" out of range: ") != std::string::npos ||
      message.ends_with("is not complete")) {
    return Violation::element;
  }
  for (const std::string_view start : {"conflict about ", "not as declared: ", "shadowed index ", "axis of ",
                                       "no loop ", "writes ", "scope-axes of "}) {
    if (message.starts_with(start)) return Violation::structure;
  }
  return Violation::other;  // arithmetic on values, inf among integers
}

bool is_element_error(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error &&
         (diagnostic.id == "out-of-range" || diagnostic.id == "undefined-read" || diagnostic.id == "not-written");
}

/// "C lies in [0,10) where it indexes A" as the domain of C: what the verdict assumes, the tracer is given.
Program with_assumptions(Program program, const std::vector<std::string>& assumes) {
  for (const std::string& text : assumes) {
    const std::size_t open = text.find('[');
    const std::size_t comma = text.find(',');
    for (Variable& variable : program.signature.variables) {
      if (variable.name != text.substr(0, text.find(' '))) continue;
      Domain assumed{Domain::Kind::range, 0, 0};
      std::from_chars(text.data() + open + 1, text.data() + comma, assumed.low);
      std::from_chars(text.data() + comma + 1, text.data() + text.find(')'), assumed.high);
      if (variable.domain.kind == Domain::Kind::range) {
        assumed.low = std::max(assumed.low, variable.domain.low);
        assumed.high = std::min(assumed.high, variable.domain.high);
      }
      variable.domain = assumed;
    }
  }
  return program;
}

std::string describe(const Program& program, const CheckReport& report, const std::string& traced) {
  std::string out;
  for (const Variable& variable : program.signature.variables) append(out, print_signature_line(variable), "\n");
  append(out, print(program), "\n");
  for (const Diagnostic& item : report.diagnostics)
    append(out, "  check: ", item.id, " at ", item.site, ": ", item.message, "\n");
  append(out, "  trace: ", traced.empty() ? "nothing" : traced, "\n");
  return out;
}

struct Tally {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> disagreements;
};

/// Where data decides, a witness may need luck: the tracer gets many seeds before an error counts as wrong.
std::string first_violation(const Program& program, std::uint64_t seed, std::uint64_t attempts) {
  std::string found;
  for (std::uint64_t i = 0; found.empty() && i < attempts; ++i) found = trace(program, combine(seed, i));
  return found;
}

void judge(const Program& program, std::uint64_t seed, const std::string& about, Tally& tally) {
  const CheckReport report = check_program(program);
  const Program run = with_demotions(with_assumptions(program, report.assumes), report.diagnostics);
  const auto disagree = [&](const std::string& why, const std::string& traced) {
    tally.disagreements.push_back(concat("seed ", seed, ", ", about, ": ", why, "\n", describe(run, report, traced)));
  };
  const bool element_error = std::any_of(report.diagnostics.begin(), report.diagnostics.end(), is_element_error);
  const std::string traced = first_violation(run, seed, element_error ? 300 : 4);
  const Violation kind = kind_of(traced);
  switch (report.verdict) {
    case CheckReport::Verdict::ok:
      ++tally.counts["ok"];
      if (kind == Violation::element || kind == Violation::structure) disagree("ok, but the machine fails", traced);
      break;
    case CheckReport::Verdict::unknown:
      ++tally.counts["unknown"];
      if (kind == Violation::structure) disagree("unknown, but the structure is wrong", traced);
      break;
    case CheckReport::Verdict::errors:
      ++tally.counts[element_error ? "element error" : "other error"];
      if (element_error && kind == Violation::none) disagree("an error without a witness", traced);
      break;
  }
  if (kind == Violation::element) ++tally.counts["element violation"];
  for (const Diagnostic& item : report.diagnostics) {
    if (item.severity != Severity::warning) ++tally.counts[item.id];
  }
}

void expect_agreement(const Tally& tally) {
  for (const auto& [what, count] : tally.counts) ::testing::Test::RecordProperty(what, static_cast<int>(count));
  EXPECT_TRUE(tally.disagreements.empty()) << tally.disagreements.size() << " disagreements";
  for (std::size_t i = 0; i < std::min<std::size_t>(tally.disagreements.size(), 8); ++i)
    ADD_FAILURE() << tally.disagreements[i];
}

Program generated(std::uint64_t seed, bool affine_only) {
  Random random(seed);
  return generate_program(random, {.affine_only = affine_only});
}

bool is_quasi_affine(const Index& index);
struct AffineAtom {
  bool operator()(const LoopVariable&) const { return true; }
  bool operator()(const FloorQuotient& node) const {
    return node.divisor->is_constant() && is_quasi_affine(*node.dividend);
  }
  bool operator()(const FloorRemainder& node) const {
    return node.divisor->is_constant() && is_quasi_affine(*node.dividend);
  }
  bool operator()(const IndirectRead&) const { return false; }
};
bool is_quasi_affine(const Index& index) {
  return std::all_of(index.terms().begin(), index.terms().end(), [](const IndexTerm& term) {
    return term.factors.size() == 1 && std::visit(AffineAtom{}, term.factors[0]);
  });
}

/// Conditions of if_then_else count only where they hide a read.
bool has_affine_conditions(const Expr& expr) {
  bool good = true;
  const auto value = [](const Expr& part) {
    const auto index = to_index(part);
    return index && is_quasi_affine(*index);
  };
  const std::function<bool(const Expr&)> condition = [&](const Expr& part) {
    if (!is_condition(part)) return value(part);
    bool all = true;
    for (const ExprPtr* place : children(part))
      all = all && (std::holds_alternative<Logic>(part.node) ? condition(**place) : value(**place));
    return all;
  };
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    bool reads = false;
    for_each_ref(*select->if_true, [&reads](const RefPtr&) { reads = true; });
    for_each_ref(*select->if_false, [&reads](const RefPtr&) { reads = true; });
    good = !reads || condition(*select->condition);
  }
  for (const ExprPtr* place : children(expr)) good = good && has_affine_conditions(**place);
  return good;
}

bool is_affine(const Program& program) {
  bool good = true;
  for_each_equation(program, [&good](const Equation& equation, const std::vector<const Nest*>&) {
    const auto note = [&good](const RefPtr& ref) {
      for (const Index& subscript : ref->subscripts) good = good && is_quasi_affine(subscript);
    };
    for_each_ref(equation.left, note);
    for_each_ref(*equation.right, note);
    good = good && has_affine_conditions(*equation.right);
  });
  return good;
}

void judge_affine(const Program& program, std::uint64_t seed, const std::string& about, Tally& tally) {
  const CheckReport report = check_program(program);
  ++tally.counts["affine"];
  if (report.verdict != CheckReport::Verdict::unknown) return;
  tally.disagreements.push_back(concat("seed ", seed, ", ", about, ": unknown on an affine program\n",
                                       describe(program, report, trace(program, seed))));
}

TEST(SafetyBruteForce, GeneratedProgramsAreSafe) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < soaked(400); ++seed) {
    judge(generated(seed, seed % 2 == 0), seed, "generated", tally);
  }
  expect_agreement(tally);
  EXPECT_EQ(tally.counts["element error"] + tally.counts["other error"], 0u);
}

TEST(SafetyBruteForce, NothingIsUnknownAboutAffinePrograms) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < soaked(600); ++seed) {
    const Program program = generated(seed, true);
    judge_affine(program, seed, "generated", tally);
    Random random = Random(seed).fork(11);
    const auto mutant = mutate(program, random);
    if (mutant && is_affine(mutant->program)) judge_affine(mutant->program, seed, mutant->label, tally);
  }
  expect_agreement(tally);
  EXPECT_GE(tally.counts["affine"], soaked(600) * 5 / 4);
}

TEST(SafetyBruteForce, VerdictsOnMutantsAgreeWithTheMachine) {
  Tally tally;
  const std::uint64_t seeds = soaked(600);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Program program = generated(seed, seed % 2 == 0);
    for (std::uint64_t number = 0; number < 3; ++number) {
      Random random = Random(seed).fork(20 + number);
      const auto mutant = mutate(program, random);
      if (mutant) judge(mutant->program, seed, concat("mutant ", number, ", ", mutant->label), tally);
    }
  }
  expect_agreement(tally);
  // Each verdict and each kind of error has to occur often enough for the agreement to mean something.
  EXPECT_GE(tally.counts["ok"], seeds / 2);
  EXPECT_GE(tally.counts["element violation"], seeds / 5);
  for (const char* id : {"out-of-range", "undefined-read", "not-written"})
    EXPECT_GE(tally.counts[id], seeds / 50) << id;
}

/// Small programs that ask hard questions: writers and readers with drawn quasi-affine subscripts under drawn guards.
/// All of it is decidable, so the verdict has to be the machine's, both ways.
class HardQuestion {
 public:
  explicit HardQuestion(Random& random) : random_(random) {}

  std::string program() {
    rank_ = 1 + random_.below(2);
    std::string text = "a6 c6 D(a,c)=0;";
    if (random_.chance(1, 2)) {
      // A whole box, so that only the conditions of the reader are hard.
      append(text, "a", random_.between(3, 14), " c", random_.between(3, 14), " E(", rank_ == 1 ? "a" : "a,c", ")=1;");
    } else {
      for (std::size_t writers = 1 + random_.below(3); writers-- > 0;)
        append(text, loops(), " E(", subscripts(3), ")=a;");
    }
    const std::string read = concat("where(", condition(1), ",E(", subscripts(-1), "),0)");
    if (random_.chance(1, 3)) {
      append(text, loops(), "{E(", subscripts(3), ")=c;D(a,c)=", read, ";}");  // written and read in the same loops
    } else {
      append(text, loops(), " D(a,c)=", read, ";");
    }
    return text;
  }

 private:
  std::string loops() {
    std::string text = concat("a", random_.between(1, 6), " c", random_.between(1, 6));
    if (random_.chance(1, 2)) append(text, " ?(", condition(1), ")");
    return text;
  }
  /// With a positive bias few writes are negative, which would end the question early.
  std::string subscripts(std::int64_t bias) {
    std::string text = subscript(bias);
    for (std::size_t i = 1; i < rank_; ++i) append(text, ",", subscript(bias));
    return text;
  }
  std::string subscript(std::int64_t bias) {
    const char* const names[] = {"a", "c"};
    const std::string one = names[random_.below(2)];
    const std::string other = names[random_.below(2)];
    switch (random_.below(7)) {
      case 0: return one;
      case 1: return concat(one, "*2+", other);
      case 2: return concat(one, "+", other, bias < 0 ? "" : "+1");
      case 3: return concat("(", one, "*", random_.between(1, 3), "+", other, ")//", random_.between(2, 3));
      case 4: return concat("(", one, "+", other, "*", random_.between(1, 3), ")%", random_.between(2, 5));
      case 5: return concat(5, "-", one);
      default: return concat(one, "-", other, "+", bias > 0 ? 5 : random_.between(0, 5));
    }
  }
  std::string condition(int depth) {
    if (depth > 0 && random_.chance(1, 2)) return concat(condition(0), random_.chance(1, 2) ? "&" : "|", condition(0));
    const char* const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    return concat(subscript(0), operators[random_.below(6)], random_.between(0, 6));
  }
  Random& random_;
  std::size_t rank_ = 1;
};

TEST(SafetyBruteForce, HardQuestionsAreDecidedBothWays) {
  Signature signature;
  signature.variables.push_back({"D", Role::output, DType::f32, {6, 6}, {}, {}});
  Tally tally;
  const std::uint64_t seeds = soaked(2500);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const std::string text = HardQuestion(random).program();
    const Document document = read_program_text("text", text, signature);
    ASSERT_TRUE(document.ok) << text << render(document.diagnostics, *document.source);
    const std::size_t unknown = tally.counts["unknown"];
    judge(document.program, seed, "hard", tally);
    if (tally.counts["unknown"] > unknown) tally.disagreements.push_back(concat("seed ", seed, ": unknown: ", text));
  }
  expect_agreement(tally);
  EXPECT_GE(tally.counts["ok"], seeds / 10);
  EXPECT_GE(tally.counts["undefined-read"], seeds / 10);
}

}  // namespace
}  // namespace steptp::testing
