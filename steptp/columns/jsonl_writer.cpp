#include "steptp/columns/jsonl_writer.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

}  // namespace

Result<JsonlWriter, Diagnostic> JsonlWriter::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return std::move(file).error();
  return JsonlWriter(std::move(file).value());
}

std::optional<Diagnostic> JsonlWriter::add(const Json& row) {
  append(waiting_, row.dump(), '\n');
  return waiting_.size() < kPiece ? std::nullopt : compress(false);
}

std::optional<Diagnostic> JsonlWriter::compress(bool last) {
  const std::string ready = stream_.add(waiting_, last);
  waiting_.clear();
  return file_.write(ready);
}

Result<WrittenFile, Diagnostic> JsonlWriter::finish() {
  if (auto problem = compress(true)) return *std::move(problem);
  return file_.finish();
}

struct JsonlReader::State {
  std::string path;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, &std::fclose};
  ZstdReader reader;
  std::string lines;
  std::size_t at = 0;

  [[nodiscard]] Diagnostic damaged(std::string_view why) const {
    return make_error("zstd", concat("'", path, "' is damaged: ", why));
  }
  /// More lines; false at the end of the file.
  [[nodiscard]] Result<bool, Diagnostic> fill();
};

Result<bool, Diagnostic> JsonlReader::State::fill() {
  std::string input(kPiece, '\0');
  const std::size_t got = std::fread(input.data(), 1, input.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    return make_error("file", concat("cannot read '", path, "': ", std::strerror(errno)));
  }
  if (got == 0 && !reader.is_complete()) return damaged("it ends early");
  if (got == 0) return false;
  lines.erase(0, at);
  at = 0;
  if (!reader.add(std::string_view(input).substr(0, got), lines, SIZE_MAX)) return damaged(reader.problem());
  return true;
}

JsonlReader::JsonlReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonlReader::JsonlReader(JsonlReader&&) noexcept = default;
JsonlReader::~JsonlReader() = default;

Result<JsonlReader, Diagnostic> JsonlReader::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file.reset(std::fopen(path.c_str(), "rbe"));
  if (!state->file) return make_error("file", concat("cannot open '", path, "': ", std::strerror(errno)));
  return JsonlReader(std::move(state));
}

Result<std::optional<std::string>, Diagnostic> JsonlReader::next() {
  State& state = *state_;
  std::size_t searched = state.at;
  while (true) {
    const std::size_t end = state.lines.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = state.lines.substr(state.at, end - state.at);
      state.at = end + 1;
      return std::optional<std::string>(std::move(line));
    }
    searched = state.lines.size() - state.at;  // what is kept moves to the front
    auto more = state.fill();
    if (!more) return std::move(more).error();
    if (!*more && state.at < state.lines.size()) return state.damaged("its last line has no end");
    if (!*more) return std::optional<std::string>();
  }
}

}  // namespace steptp
