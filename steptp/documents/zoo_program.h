#pragma once

#include <optional>
#include <string>

#include "steptp/base/json.h"
#include "steptp/frontend/lower.h"
#include "steptp/text/profile.h"
#include "steptp/zoo/draw.h"
#include "steptp/zoo/types.h"

namespace steptp {

/// A program of the zoo in all its forms.
struct ZooProgram {
  const zoo::ProgramType* type = nullptr;  ///< null: a composition
  zoo::Arguments arguments;
  DType dtype = DType::f32;
  graph::Graph graph;
  Program program;
};

/// The program of a type; arguments that are not given have their default. Diagnostics: `zoo-type`, `zoo-argument`,
/// `zoo-arguments`, and those of lowering.
[[nodiscard]] Result<ZooProgram, Diagnostic> zoo_program(const std::string& name, const zoo::Arguments& given,
                                                         DType dtype);

/// The same with the arguments that are not given drawn from a seed, until they fit together, into memory and into a
/// launch.
[[nodiscard]] Result<ZooProgram, Diagnostic> zoo_program_drawn(const std::string& name, const zoo::Arguments& given,
                                                               DType dtype, std::uint64_t seed);

/// The draw with a number (zoo/draw.h), lowered. Draws whose first loops exceed what a launch allows are drawn again,
/// unless `any_launch`; `draws` counts what was passed over. Nothing where no draw was acceptable.
struct ZooDraw {
  ZooProgram program;
  std::uint64_t invalid = 0;
  std::uint64_t oversize = 0;
  std::uint64_t beyond_launch = 0;
  Hash structure = 0;  ///< equal for programs that are the same up to names
};
[[nodiscard]] std::optional<ZooDraw> zoo_draw(std::uint64_t seed, std::uint64_t index, zoo::DrawOptions options,
                                              bool any_launch = false);

/// What a program is printed as: LEIR, a PyTorch file, or the operator graph.
enum class ZooForm : std::uint8_t { leir, torch, graph };
[[nodiscard]] std::string to_text(const ZooProgram& program, ZooForm form, Profile profile);

/// {"program", "level", "number", "family", "arguments":[{"name","default","range"|"choices"}]}
[[nodiscard]] Json to_json(const zoo::ProgramType& type);
/// {"program", "args", "dtype", "signature", "leir", "degenerate"}
[[nodiscard]] Json to_json(const ZooProgram& program, Profile profile);

}  // namespace steptp
