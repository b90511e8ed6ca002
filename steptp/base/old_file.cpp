#include "steptp/base/old_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "steptp/base/text.h"

namespace steptp {

Result<bool, Diagnostic> remove_old(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return true;
  if (::unlink(path.c_str()) == 0) return true;
  return make_error("write", concat("cannot replace '", path, "': ", std::strerror(errno)));
}

}  // namespace steptp
