#include "steptp/columns/jsonl_writer.h"

#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "steptp/base/text.h"

namespace steptp {

Result<JsonlWriter, Diagnostic> JsonlWriter::create(const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return std::move(file).error();
  return JsonlWriter(std::move(file).value());
}

std::optional<Diagnostic> JsonlWriter::add(const Json& row) {
  append(waiting_, row.dump(), '\n');
  constexpr std::size_t kPiece = std::size_t{1} << 18;
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
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string input;
  ZSTD_inBuffer in{nullptr, 0, 0};
  std::string lines;
  std::size_t at = 0;
  std::size_t frame_wants = 0;  ///< 0: a frame is complete

  [[nodiscard]] Diagnostic damaged(std::string_view why) const {
    return make_error("zstd", concat("'", path, "' is damaged: ", why));
  }
  /// More lines; false at the end of the file.
  [[nodiscard]] Result<bool, Diagnostic> fill();
};

Result<bool, Diagnostic> JsonlReader::State::fill() {
  if (in.pos == in.size) {
    input.resize(ZSTD_DStreamInSize());
    const std::size_t got = std::fread(input.data(), 1, input.size(), file.get());
    if (std::ferror(file.get()) != 0) {
      return make_error("file", concat("cannot read '", path, "': ", std::strerror(errno)));
    }
    in = {input.data(), got, 0};
    if (got == 0 && frame_wants != 0) return damaged("it ends early");
    if (got == 0) return false;
  }
  lines.erase(0, at);
  at = 0;
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
  do {
    out.pos = 0;
    frame_wants = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(frame_wants) != 0) return damaged(ZSTD_getErrorName(frame_wants));
    lines.append(buffer.data(), out.pos);
  } while (out.pos == out.size);
  return true;
}

JsonlReader::JsonlReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JsonlReader::JsonlReader(JsonlReader&&) noexcept = default;
JsonlReader::~JsonlReader() = default;

Result<JsonlReader, Diagnostic> JsonlReader::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (!state->context) throw std::bad_alloc();
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
