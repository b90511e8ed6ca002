#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/zip.h"
#include "steptp/import/pt2_fields.h"

namespace steptp::graph {

/// The values of a tensor: C order, little endian, a bool as a byte.
struct StoredTensor {
  TensorType type;
  std::vector<std::byte> data;
  bool operator==(const StoredTensor&) const = default;
};

namespace pt2 {

/// An archive of torch.export, opened: its model as JSON, and its tensors by name. Pickles are never looked into.
/// Throws Refused.
class Archive {
 public:
  /// `content` must outlive the archive.
  explicit Archive(std::string_view content);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Json& model() const { return model_; }
  /// A file of the capture script: parameters have no values there.
  [[nodiscard]] bool is_capture() const { return is_capture_; }
  /// What a reader should know about the values, empty where there is nothing to say.
  [[nodiscard]] const std::string& note() const { return note_; }

  /// The values of a parameter, a buffer or a constant. Nothing where this kind of file has none.
  [[nodiscard]] std::optional<StoredTensor> tensor(const std::string& name, const TensorType& wanted);

 private:
  void find_model();
  void read_config(const std::string& folder, std::string_view config);
  [[nodiscard]] const ZipEntry* find(const std::string& name) const;
  [[nodiscard]] std::string_view bytes(const ZipEntry& entry);
  [[nodiscard]] std::string text(const std::string& name);

  struct TensorEntry {
    std::string entry;
    TensorMeta meta;
  };

  std::string_view content_;
  std::map<std::string, ZipEntry, std::less<>> entries_;
  std::map<std::string, std::string, std::less<>> inflated_;
  std::set<std::string, std::less<>> opened_;
  std::uint64_t read_ = 0;      ///< bytes of entries read so far
  std::uint64_t unpacked_ = 0;  ///< bytes of tensors made so far
  std::string root_;
  std::string model_entry_;
  std::string name_;
  Json model_;
  std::map<std::string, TensorEntry, std::less<>> tensor_entries_;
  bool has_values_ = true;
  bool is_capture_ = false;
  std::string note_;
};

}  // namespace pt2
}  // namespace steptp::graph
