#include "cli/python_tool.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/verb.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

/// A Python without the package says so as everything else here is said.
constexpr const char* kStart =
    "import importlib, sys\n"
    "try:\n"
    "    tool = importlib.import_module(sys.argv.pop(1))\n"
    "except ImportError as error:\n"
    "    print(f'steptp: error: {sys.executable} cannot run this: {error} [python]', file=sys.stderr)\n"
    "    print('  hint: name a Python that has PyTorch and the package steptp with --python', file=sys.stderr)\n"
    "    sys.exit(4)\n"
    "sys.exit(tool.main(sys.argv[1:]))\n";

}  // namespace

Status become_python_tool(const std::string& python, const std::string& module, const std::vector<std::string>& words) {
  std::vector<std::string> all = {python, "-c", kStart, module};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  print_error(make_error("python", concat("cannot start ", python, ": ", std::strerror(errno)),
                         "name a Python that has PyTorch and the package steptp with --python"));
  return Status::failed;
}

}  // namespace steptp::cli
