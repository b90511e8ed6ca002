#include "steptp/execution/object_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "steptp/base/pending_file.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::uint64_t kMagic = 0x31434a424f505453ULL;  // changes with the form of an entry
constexpr std::time_t kFresh = 3600;                     // seconds within which a use need not be noted again

struct EntryHead {
  std::uint64_t magic = kMagic;
  CacheKey key;
  std::uint64_t bytes = 0;
  Hash content = 0;
};
static_assert(sizeof(EntryHead) == 48);

std::string hex(Hash value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) out[i] = kDigits[value & 15];
  return out;
}

/// A descriptor that is closed.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bool read_all(int from, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(from, to, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

CacheKey cache_key(std::initializer_list<std::string_view> parts) {
  CacheKey out{mix(1), mix(2), 0};
  for (const std::string_view part : parts) {
    out.first = combine(out.first, hash_bytes(part, 1));
    out.second = combine(out.second, hash_bytes(part, 0x5eed));
    out.bytes += part.size();
  }
  return out;
}

std::string ObjectCache::default_folder() {
  if (const char* named = std::getenv("STEPTP_CACHE")) {
    return std::string_view(named) == "off" ? std::string() : std::string(named);
  }
  if (const char* caches = std::getenv("XDG_CACHE_HOME"); caches && *caches) return concat(caches, "/steptp");
  if (const char* home = std::getenv("HOME"); home && *home) return concat(home, "/.cache/steptp");
  return {};
}

std::string ObjectCache::path_of(const CacheKey& key) const {
  const std::string name = hex(key.first);
  return concat(folder_, "/objects/", name.substr(0, 2), "/", name.substr(2), hex(key.second));
}

std::optional<std::string> ObjectCache::find(const CacheKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = path_of(key);
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat about = {};
  // Code that somebody else put there is not run.
  if (file.get() < 0 || fstat(file.get(), &about) != 0 || about.st_uid != geteuid()) return std::nullopt;
  std::array<char, sizeof(EntryHead)> bytes;
  std::string object;
  bool is_whole = read_all(file.get(), bytes.data(), bytes.size());
  if (is_whole) {
    const auto head = std::bit_cast<EntryHead>(bytes);
    is_whole = head.magic == kMagic && head.key == key &&
               head.bytes + sizeof(EntryHead) == static_cast<std::uint64_t>(about.st_size);
    if (is_whole) {
      object.resize(head.bytes);
      is_whole = read_all(file.get(), object.data(), object.size()) && hash_bytes(object) == head.content;
    }
  }
  if (!is_whole) {
    unlink(path.c_str());
    return std::nullopt;
  }
  if (about.st_mtime + kFresh < std::time(nullptr)) futimens(file.get(), nullptr);
  return object;
}

void ObjectCache::put(const CacheKey& key, std::string_view object) const {
  if (folder_.empty()) return;
  static std::atomic<std::uint64_t> count = 0;
  const std::string path = path_of(key);
  const std::string beside = concat(path, ".", static_cast<long long>(getpid()), ".", ++count);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) return note(concat("cannot make ", folder_, ": ", failed.message()));
  auto file = PendingFile::create(path, beside, 0600);
  const auto head =
      std::bit_cast<std::array<char, sizeof(EntryHead)>>(EntryHead{kMagic, key, object.size(), hash_bytes(object)});
  if (!file || !file->write({head.data(), head.size()}) || !file->write(object) || !file->commit(false)) {
    return note(concat("cannot write in ", folder_, ": ", std::strerror(errno)));
  }
  if (key.first % 64 == 0) prune();
}

void ObjectCache::prune() const {
  namespace fs = std::filesystem;
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t sum = 0;
  std::error_code ignored;
  // Entries of other processes come and go meanwhile: what cannot be looked at is left out.
  for (auto at = fs::recursive_directory_iterator(folder_ + "/objects", ignored);
       !ignored && at != fs::recursive_directory_iterator(); at.increment(ignored)) {
    std::error_code gone;
    if (!at->is_regular_file(gone) || gone) continue;
    const std::uint64_t bytes = at->file_size(gone);
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    sum += bytes;
    entries.push_back({used, bytes, at->path()});
  }
  if (sum <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (sum <= most_bytes_ / 4 * 3) break;
    fs::remove(entry.path, ignored);
    sum -= entry.bytes;
  }
}

std::string ObjectCache::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void ObjectCache::note(std::string problem) const {
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) problem_ = std::move(problem);
}

}  // namespace steptp
