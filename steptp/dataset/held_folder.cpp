#include "steptp/dataset/held_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

namespace fs = std::filesystem;

/// As `write_file` calls what it has not finished: NAME.tmp and a number.
bool is_leftover(const std::string& name) {
  const std::size_t mark = name.rfind(".tmp");
  return mark != name.npos && mark + 4 < name.size() && name.find_first_not_of("0123456789", mark + 4) == name.npos;
}

void remove_leftovers(const std::string& folder) {
  for (const std::string& place : {folder, folder + "/raw"}) {
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(place, error)) {
      if (is_leftover(file.path().filename().string())) fs::remove(file.path(), error);
    }
  }
}

}  // namespace

Result<HeldFolder, Diagnostic> HeldFolder::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return make_error("write", concat("cannot make the folder '", folder, "': ", error.message()));
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return make_error("write", concat("cannot open '", folder, "': ", std::string(std::strerror(errno))));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    return make_error("write", concat("another build or export is at work in '", folder, "'"),
                      "wait for it, or end it first");
  }
  remove_leftovers(folder);
  return HeldFolder(descriptor);
}

HeldFolder::~HeldFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace steptp::dataset
