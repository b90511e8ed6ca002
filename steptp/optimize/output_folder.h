#pragma once

#include <map>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/optimize/optimize.h"

namespace steptp {

/// The files of an answer: root.leir, program.leir, plan.json, recipe.json, verdict.json, expected.json, plan.txt, and
/// certificates/NN.json, one for each link of the chain that has one. By their names in the folder.
[[nodiscard]] std::map<std::string, std::string> files_of(const Document& root, const Optimized& optimized,
                                                          const OptimizeRequest& request);

/// The name of the folder of one of many programs: the program's own, of which letters, digits and `_.-` stay, at most
/// a hundred of them, and what is counted behind it. So it is a name in its folder whatever the program is called.
[[nodiscard]] std::string folder_name(const std::string& program, const std::string& number);

/// Writes the files of an answer, and removes what an answer before has left there that this one does not have: an old
/// certificate would be one of another program.
[[nodiscard]] Result<bool, Diagnostic> write_answer(const std::string& folder,
                                                    const std::map<std::string, std::string>& files);

/// Writes them, and makes the folder where there is none. The same answer gives the same bytes.
[[nodiscard]] Result<bool, Diagnostic> write_files(const std::string& folder,
                                                   const std::map<std::string, std::string>& files);

}  // namespace steptp
