#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/tlm/dense.h"

namespace steptp::tlm {

/// The sizes of a model: a GPT with norms before each part, tied embeddings and no biases.
struct ModelShape {
  std::size_t layers = 0;
  std::size_t width = 0;
  std::size_t heads = 0;
  std::size_t positions = 0;   ///< the longest sentence
  std::size_t vocabulary = 0;  ///< tokens
  bool operator==(const ModelShape&) const = default;

  [[nodiscard]] std::size_t head_width() const { return width / heads; }
  [[nodiscard]] std::size_t parameters() const;
};

/// The matrices of one layer.
struct LayerWeights {
  std::vector<float> attention_norm;
  PackedMatrix attention;  ///< queries, keys and values beside each other
  PackedMatrix projection;
  std::vector<float> feed_norm;
  PackedMatrix widen;
  PackedMatrix narrow;
};

/// What a weights file holds. The file is a line "steptp-tlm-weights 1", a line of JSON (the header), the numbers in a
/// fixed order, and a line with the SHA-256 of all bytes before it. The header has "layers", "width", "heads",
/// "positions", "vocabulary", "vocabulary_sha256", "space_version" (1 where it is not said), "storage" (bf16 or f32)
/// and "card": where the weights come from.
struct Weights {
  ModelShape shape;
  Storage storage = Storage::f32;
  std::string vocabulary_sha256;
  std::int64_t space_version = 1;  ///< of what decisions mean
  Json card;
  std::vector<float> token_rows;     ///< [vocabulary][width]
  std::vector<float> position_rows;  ///< [positions][width]
  std::vector<LayerWeights> layers;
  std::vector<float> last_norm;
  PackedMatrix output;  ///< the token rows again, as a matrix
};

/// From the bytes of a file. A file that is cut, damaged, of another version or of sizes that the code cannot run is an
/// error with the id `weights`; `name` is the file's, for messages.
[[nodiscard]] Result<Weights, Diagnostic> parse_weights(std::string_view bytes, const std::string& name);

/// From a file, or from its parts PATH.0, PATH.1, ... one after the other, where there is no file PATH.
[[nodiscard]] Result<Weights, Diagnostic> read_weights(const std::string& path);

}  // namespace steptp::tlm
