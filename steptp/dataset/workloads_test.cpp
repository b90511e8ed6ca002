// The published workloads come out with exactly the published names, dtypes, shapes and roles (data/workloads.txt).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "source_dir.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"

namespace steptp {
namespace {

std::string signature_text(const Program& program) {
  return join(program.signature.variables, "; ", [](const Variable& variable) {
    return concat(name_of(variable.role), " ", variable.name, " ", code(variable.dtype),
                  graph::to_text(variable.shape));
  });
}

TEST(Workloads, PublishedSignatures) {
  std::ifstream file(STEPTP_SOURCE_DIR "/data/workloads.txt");
  std::string line;
  int seen = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const std::size_t bar = line.find(" | ");
    ASSERT_NE(bar, std::string::npos);
    std::istringstream words(line.substr(0, bar));
    std::string name;
    std::string dtype;
    words >> name >> dtype;
    zoo::Arguments arguments;
    for (std::string pair; words >> pair;) {
      const std::size_t equals = pair.find('=');
      arguments[pair.substr(0, equals)] = std::stod(pair.substr(equals + 1));
    }
    const Result<ZooProgram, Diagnostic> made = zoo_program(name, arguments, *parse_dtype(dtype));
    ASSERT_TRUE(made.ok()) << name << ": " << made.error().message;
    EXPECT_EQ(signature_text(made->program), line.substr(bar + 3)) << name;
    ++seen;
  }
  EXPECT_EQ(seen, 100);
}

}  // namespace
}  // namespace steptp
