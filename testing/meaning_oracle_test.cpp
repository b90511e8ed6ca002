// The reference evaluator against the oracle: on generated programs they agree up to rounding, and docs/language.md
// lists where they do not, row by row.

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/text.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/equal_pairs.h"
#include "testing/generator.h"
#include "testing/judge_support.h"
#include "testing/meaning.h"
#include "testing/oracle_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// The number as a double, rounded towards nothing in particular.
double nearest_double(Reals& reals, Reals::Id number) {
  if (const mpq_class* exact = reals.as_rational(number)) return exact->get_d();
  return std::stod(reals.text(number));
}

struct Agreement {
  std::uint64_t compared = 0;
  std::uint64_t untold = 0;
  std::uint64_t rounded = 0;  ///< beyond the tolerance, which is not a fault: digits cancelled or a choice was close
  std::uint64_t kinds = 0;    ///< a number for one, an infinity or NaN for the other
};

void compare(const Program& program, std::uint64_t seed, Agreement& out) {
  MeaningInputs inputs;
  inputs.seed = seed;
  const auto run_result = run(program, oracle_tensors(program.signature, inputs));
  if (!run_result) return;
  Reals reals;
  const auto meant = evaluate_meaning(program, inputs, reals);
  for (const auto& [name, values] : meant) {
    const std::vector<double> executed = numbers(run_result->outputs.at(name));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].kind == Meant::Kind::unknown || values[i].kind == Meant::Kind::none) {
        ++out.untold;
        continue;
      }
      ++out.compared;
      const bool finite = std::isfinite(executed[i]);
      if (finite != values[i].is_number()) {
        ++out.kinds;
        continue;
      }
      if (!finite) {
        if (std::isnan(executed[i]) != (values[i].kind == Meant::Kind::nan)) ++out.kinds;
        continue;
      }
      const double exact = nearest_double(reals, values[i].number);
      if (std::fabs(exact - executed[i]) > 1e-6 * (1 + std::fabs(exact))) ++out.rounded;
    }
  }
}

TEST(MeaningOracle, TheyAgreeOnGeneratedPrograms) {
  Agreement agreement;
  Random random(soak_seed(4711));
  for (std::uint64_t i = 0; i < soaked(150); ++i) {
    GeneratorOptions options;
    options.max_operations = 1500;
    compare(widened(generate_program(random, options)), i, agreement);
    compare(widened(written_program(random)), i, agreement);
  }
  EXPECT_GT(agreement.compared, 1000u);
  // Rounding may flip a comparison, overflow or underflow; a wrong rule would show in far more elements.
  EXPECT_LE(agreement.rounded * 100, agreement.compared);
  EXPECT_LE(agreement.kinds * 100, agreement.compared);
  EXPECT_LE(agreement.untold * 4, agreement.compared);
  RecordProperty("compared", static_cast<int>(agreement.compared));
  std::printf("compared %llu, beyond rounding %llu, other kind %llu, untold %llu\n",
              static_cast<unsigned long long>(agreement.compared), static_cast<unsigned long long>(agreement.rounded),
              static_cast<unsigned long long>(agreement.kinds), static_cast<unsigned long long>(agreement.untold));
}

struct DocumentedRow {
  std::string expression;
  std::string dtype;
  double a = 0;
  std::string executed;
  std::string meant;
};

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != '`') out += c;
  }
  const std::size_t first = out.find_first_not_of(' ');
  return first == std::string::npos ? "" : out.substr(first, out.find_last_not_of(' ') - first + 1);
}

/// The rows `| why | expression | dtype | A | IEEE | meaning |` under the heading.
std::vector<DocumentedRow> documented_rows() {
  std::ifstream file(std::string(STEPTP_SOURCE_DIR) + "/docs/language.md");
  std::vector<DocumentedRow> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## R18: where execution differs from the meaning";
    if (!inside || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    std::istringstream in(line.substr(1));
    for (std::string one; std::getline(in, one, '|');) cells.push_back(cell(one));
    if (cells.size() < 6 || cells[0] == "why") continue;
    rows.push_back({cells[1], cells[2], std::stod(cells[3]), cells[4], cells[5]});
  }
  return rows;
}

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (value == 0 && std::signbit(value)) return "-0";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

TEST(MeaningOracle, TheDifferencesAreThoseOfTheDocumentation) {
  const auto rows = documented_rows();
  EXPECT_GE(rows.size(), 12u);
  for (const DocumentedRow& row : rows) {
    const std::string t = row.dtype;
    const Program program =
        program_of(concat("@input A ", t, "[1]\n@output D ", t, "[1]\n^", t, ";\na1 D(a)=", row.expression, ";\n"));
    MeaningInputs inputs;
    inputs.set["A"][0] =
        is_float(*parse_dtype(t)) ? input_real(row.a) : input_integer(static_cast<std::int64_t>(row.a));
    const auto executed = run(program, oracle_tensors(program.signature, inputs));
    const std::string shown =
        executed ? text_of(numbers(executed->outputs.at("D"))[0]) : std::string(name_of(executed.error().kind));
    Reals reals;
    MeantArithmetic arithmetic(reals);
    const std::string meant = arithmetic.text(evaluate_meaning(program, inputs, reals)["D"][0]);
    EXPECT_EQ(shown, row.executed) << row.expression << " at " << row.a << " in " << t;
    EXPECT_EQ(meant, row.meant) << row.expression << " at " << row.a << " in " << t;
  }
}

}  // namespace
}  // namespace steptp::testing
