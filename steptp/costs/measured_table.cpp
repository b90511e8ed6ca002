#include "steptp/costs/measured_table.h"

#include <cmath>
#include <map>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::costs {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

class Reader {
 public:
  Reader(const std::string& path, const DeviceRates& device) : path_(path), device_(device) {}

  Result<MeasuredTable, Diagnostic> read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (line.empty()) continue;
      if (const std::string problem = take(std::string(line)); !problem.empty())
        return make_error("file", concat(path_, ":", number, ": ", problem),
                          "steptp search measure writes files of measurements");
    }
    weigh();
    return std::move(out_);
  }

 private:
  std::string take(const std::string& line) {
    const auto row = parse_json(line);
    if (!row) return row.error().message;
    const Json* key = row->find("key");
    if (!key || !key->as_string()) return "the line has no \"key\"";
    if (const Json* program = row->find("program")) return begin(*key->as_string(), *program);
    const Json* seconds = row->find("seconds");
    if (!seconds) return {};
    const Json* leir = row->find("leir");
    const auto group = groups_.find(*key->as_string());
    if (group == groups_.end()) return "its program does not come before it";
    if (!leir || !leir->as_string() || !seconds->is_number() || !(seconds->number() > 0) ||
        !std::isfinite(seconds->number()))
      return "\"leir\" or \"seconds\" is missing or wrong";
    return add(group->second, *leir->as_string(), seconds->number());
  }

  std::string begin(const std::string& key, const Json& program) {
    Document root = read_document("program", program.dump());
    if (!root.ok) return "its program cannot be read";
    MeasuredGroup group{key, root.program.name, "", 0};
    for (const Variable& variable : root.program.signature.variables) {
      if (group.dtype.empty()) group.dtype = code(variable.dtype);
    }
    groups_[key] = out_.groups.size();
    out_.groups.push_back(std::move(group));
    roots_.push_back(std::move(root.program));
    return {};
  }

  std::string add(std::size_t group, const std::string& leir, double seconds) {
    const Document document = read_program_text("row", leir, roots_[group].signature);
    if (!document.ok) return "its LEIR cannot be read";
    const auto summary = estimation::summary_of(document.program);
    if (!summary) return concat("its program has no kernels: ", summary.error());
    out_.cases.push_back({case_of(*summary, device_), seconds, group, 1});
    out_.groups[group].rows += 1;
    return {};
  }

  void weigh() {
    if (out_.groups.empty()) return;
    const double mean = static_cast<double>(out_.cases.size()) / static_cast<double>(out_.groups.size());
    for (MeasuredCase& one : out_.cases) one.weight = mean / static_cast<double>(out_.groups[one.group].rows);
  }

  const std::string& path_;
  const DeviceRates& device_;
  MeasuredTable out_;
  std::vector<Program> roots_;
  std::map<std::string, std::size_t> groups_;
};

}  // namespace

Result<MeasuredTable, Diagnostic> read_measured_table(const std::string& path, std::string_view bytes,
                                                      const DeviceRates& device) {
  if (!bytes.starts_with("\x1f\x8b")) return Reader(path, device).read(bytes);
  const auto text = gunzip(bytes, kMostBytes);
  if (!text) return text.error();
  return Reader(path, device).read(*text);
}

}  // namespace steptp::costs
