#include "steptp/import/pt2_archive.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "steptp/base/text.h"

namespace steptp::graph::pt2 {

namespace {

constexpr std::string_view kHowToSave =
    "write it with torch.export.save(torch.export.export(model, inputs), \"model.pt2\"), or import the .py file that "
    "defines the model";

constexpr std::size_t kMostEntries = 1U << 20;
/// A tensor with a stride of zero is larger than its bytes in the file; beyond this it is no longer a buffer.
constexpr std::uint64_t kMostSurplus = std::uint64_t{256} << 20;
constexpr std::string_view kModels = "models/";
constexpr std::string_view kOldModel = "serialized_exported_program.json";

/// PyTorch up to 2.7 writes numbers that are not finite as Python does, bare; JSON has no such numbers, and later
/// versions write them as strings.
std::string quote_bare_numbers(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      out.append(text.substr(at, 2));
      ++at;
      continue;
    }
    if (text[at] == '"') quoted = !quoted;
    std::string_view word;
    for (const std::string_view candidate : {"-Infinity", "Infinity", "NaN"}) {
      if (!quoted && word.empty() && text.substr(at).starts_with(candidate)) word = candidate;
    }
    append(out, word.empty() ? std::string(1, text[at]) : concat('"', word, '"'));
    if (!word.empty()) at += word.size() - 1;
  }
  return out;
}

Json parse(std::string_view text, std::string_view where) {
  Result<Json, JsonError> json = parse_json(text);
  if (!json && (text.find("Infinity") != text.npos || text.find("NaN") != text.npos)) {
    json = parse_json(quote_bare_numbers(text));
  }
  if (!json) malformed(concat(where, " is not JSON: ", json.error().message, " at byte ", json.error().offset));
  return *std::move(json);
}

bool is_plain(std::string_view path) {
  return !path.empty() && path.front() != '/' && path.find('\\') == path.npos && path.find('\0') == path.npos &&
         path != ".." && !path.starts_with("../") && path.find("/../") == path.npos && !path.ends_with("/..");
}

/// The last element that is reached, in elements of the storage; nothing where that does not fit.
std::optional<std::uint64_t> reach(const TensorMeta& meta) {
  std::uint64_t last = 0;
  if (meta.offset < 0) return {};
  for (std::size_t at = 0; at < meta.strides.size(); ++at) {
    std::uint64_t part = 0;
    if (meta.strides[at] < 0) return {};
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(meta.strides[at]),
                               static_cast<std::uint64_t>(meta.type.shape[at] - 1), &part) ||
        __builtin_add_overflow(last, part, &last)) {
      return {};
    }
  }
  if (__builtin_add_overflow(last, static_cast<std::uint64_t>(meta.offset), &last)) return {};
  return last;
}

/// The elements of a strided tensor one after the other.
std::vector<std::byte> densify(std::string_view storage, const TensorMeta& meta, std::size_t width) {
  const Shape& shape = meta.type.shape;
  const std::size_t elements = static_cast<std::size_t>(count(shape));
  std::vector<std::byte> out(elements * width);
  Shape at(shape.size(), 0);
  std::int64_t from = meta.offset;
  for (std::size_t number = 0; number < elements; ++number) {
    std::memcpy(out.data() + number * width, storage.data() + static_cast<std::size_t>(from) * width, width);
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      from += meta.strides[dim];
      if (++at[dim] < shape[dim]) break;
      from -= meta.strides[dim] * shape[dim];
      at[dim] = 0;
    }
  }
  return out;
}

}  // namespace

Archive::Archive(std::string_view content) : content_(content) {
  Result<std::vector<ZipEntry>, Diagnostic> directory = read_zip_directory(content);
  if (!directory && directory.error().hint.empty()) {
    Diagnostic error = directory.error();
    error.hint = kHowToSave;
    directory = std::move(error);
  }
  if (!directory) throw Refused{std::move(directory).error()};
  if (directory->size() > kMostEntries) malformed(concat("the archive has ", directory->size(), " entries"));
  for (ZipEntry& entry : *directory) {
    if (!is_plain(entry.name))
      malformed(concat("the entry ", quote_json(entry.name), " has a path that leaves the archive"));
    std::string name = entry.name;
    if (!entries_.emplace(name, std::move(entry)).second)
      malformed(concat("the entry ", quote_json(name), " occurs twice"));
  }
  find_model();
  const std::string order = text(concat(root_, "byteorder"));
  if (!order.empty() && order != "little")
    malformed(concat("the byte order is ", quote_json(order), "; little is wanted"));
  is_capture_ = text(concat(root_, "archive_format")) == "steptp-capture";
  const ZipEntry* entry = find(model_entry_);
  model_ = parse(bytes(*entry), model_entry_);
  if (!has_values_) return;
  read_config(concat(root_, "data/weights/"), "model_weights_config.json");
  read_config(concat(root_, "data/constants/"), "model_constants_config.json");
}

const ZipEntry* Archive::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::string_view Archive::bytes(const ZipEntry& entry) {
  // Entries may lie over each other in the file: what is read in all cannot be more than the file.
  if (opened_.insert(entry.name).second && (read_ += entry.packed) > content_.size()) {
    malformed("entries of the archive share their bytes");
  }
  const auto before = inflated_.find(entry.name);
  if (before != inflated_.end() && !before->second.empty()) return before->second;
  std::string& inflated = inflated_[entry.name];
  Result<std::string_view, Diagnostic> data = read_zip_entry(content_, entry, inflated);
  if (!data) throw Refused{about_entry(entry.name, std::move(data).error())};
  return *data;
}

std::string Archive::text(const std::string& name) {
  const ZipEntry* entry = find(name);
  return entry ? std::string(bytes(*entry)) : std::string();
}

void Archive::find_model() {
  std::vector<std::string> models;
  for (const auto& [name, entry] : entries_) {
    const std::size_t folder = name.find(kModels);
    const bool at_root = folder == 0 || (folder != name.npos && name.find('/') == folder - 1);
    if (at_root && name.ends_with(".json")) models.push_back(name);
    if (name == kOldModel || name.ends_with(concat("/", kOldModel))) models.push_back(name);
  }
  if (models.empty()) {
    refuse("pt2", "the archive holds no exported program (models/model.json): was it written by torch.export.save?",
           std::string(kHowToSave));
  }
  if (models.size() > 1) {
    malformed(concat("the archive holds several programs: ",
                     join(models, ", ", [](const std::string& name) { return name; }), "; save one alone"));
  }
  model_entry_ = models.front();
  const bool old = model_entry_.ends_with(kOldModel);
  root_ = model_entry_.substr(0, old ? model_entry_.size() - kOldModel.size() : model_entry_.find(kModels));
  name_ = root_.empty() ? "" : root_.substr(0, root_.size() - 1);
  const bool pickled = old || (find(concat(root_, "data/weights/model.pt")) &&
                               !find(concat(root_, "data/weights/model_weights_config.json")));
  if (!pickled) return;
  has_values_ = false;
  note_ =
      "this archive is of PyTorch 2.8 or older and holds its tensors as pickles, which are not read: the program is "
      "complete, the values of parameters and buffers are not; save it again with PyTorch 2.9 or later to have them";
}

void Archive::read_config(const std::string& folder, std::string_view config) {
  const std::string name = concat(folder, config);
  const ZipEntry* entry = find(name);
  if (!entry) return;
  const Json json = parse(bytes(*entry), name);
  const Json& tensors = field(json, "config", name);
  if (!tensors.as_object()) malformed(concat("\"config\" of ", name, " is ", tensors.kind_name(), ", not an object"));
  for (const auto& [tensor, description] : *tensors.as_object()) {
    const std::string where = concat("the tensor ", quote_json(tensor));
    const Json* pickled = description.find("use_pickle");
    if (pickled && pickled->as_bool() && *pickled->as_bool()) {
      refuse("pt2-weights", concat(where, " is stored as a pickle, which is not read"),
             "a tensor subclass or a script object was saved; save plain tensors");
    }
    const std::string& path = text_field(description, "path_name", where);
    if (!is_plain(path) || path.find('/') != path.npos) malformed(concat(where, " has the path ", quote_json(path)));
    tensor_entries_[tensor] = {concat(folder, path), tensor_meta(field(description, "tensor_meta", where), where)};
  }
}

std::optional<StoredTensor> Archive::tensor(const std::string& name, const TensorType& wanted) {
  if (!has_values_) return {};
  const std::string where = concat("the tensor ", quote_json(name));
  const auto found = tensor_entries_.find(name);
  if (found == tensor_entries_.end()) {
    if (is_capture_) return {};
    refuse("pt2-weights", concat(where, " has no values in the archive"), "save the exported program again");
  }
  const TensorMeta& meta = found->second.meta;
  if (meta.type != wanted) {
    malformed(
        concat(where, " is ", to_text(meta.type), " where it is stored and ", to_text(wanted), " in the program"));
  }
  const ZipEntry* entry = find(found->second.entry);
  if (!entry) refuse("pt2-weights", concat(where, ": the archive has no entry ", quote_json(found->second.entry)));
  const std::string_view storage = bytes(*entry);
  const std::size_t width = static_cast<std::size_t>(info(meta.type.dtype).bytes);
  const std::uint64_t elements = static_cast<std::uint64_t>(count(meta.type.shape));
  const std::optional<std::uint64_t> last = elements > 0 ? reach(meta) : std::optional<std::uint64_t>(0);
  if (!last || (elements > 0 && *last >= storage.size() / width)) {
    refuse("pt2-weights",
           concat(where, " (", to_text(meta.type), ") is longer than the ", storage.size(), " bytes stored for it"),
           "an export made with fake tensors has no values; export the model with real ones");
  }
  const std::uint64_t most = content_.size() + kMostSurplus;
  if (elements > most / width || (unpacked_ += elements * width) > most)
    malformed(concat(where, ": the tensors are much larger than the file"));
  StoredTensor out{meta.type, densify(storage, meta, width)};
  if (meta.type.dtype == DType::boolean) {
    for (std::byte& byte : out.data) byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return out;
}

}  // namespace steptp::graph::pt2
