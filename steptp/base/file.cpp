#include "steptp/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "steptp/base/pending_file.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

Diagnostic system_error(std::string_view id, std::string_view what, const std::string& path) {
  return make_error(id, concat("cannot ", what, " '", path, "': ", std::strerror(errno)));
}

}  // namespace

Result<std::string, Diagnostic> read_file(const std::string& path) {
  const bool standard_input = path == "-";
  const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return system_error("file", "open", path);
  std::string content;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) content.reserve(static_cast<std::size_t>(status.st_size));
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = ::read(file, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  const int read_errno = errno;
  if (!standard_input) ::close(file);
  errno = read_errno;
  if (got < 0) return system_error("file", "read", path);
  return content;
}

Result<bool, Diagnostic> write_file(const std::string& path, std::string_view content) {
  auto file = PendingFile::create(path, concat(path, ".tmp", ::getpid()));
  if (!file) return system_error("write", "create", path);
  if (!file->write(content) || !file->commit(true)) return system_error("write", "write", path);
  return true;
}

Result<std::string, Diagnostic> gunzip(std::string_view compressed, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return make_error("gzip", "cannot start zlib");
  // zlib's interface predates const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(compressed.size(), UINT32_MAX));
  std::string out;
  char buffer[1 << 16];
  int status = Z_OK;
  while (status == Z_OK && out.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > limit) return make_error("gzip", concat("more than ", limit, " bytes once decompressed"));
  if (status != Z_STREAM_END) return make_error("gzip", "the compressed data is damaged or cut off");
  return out;
}

}  // namespace steptp
