// steptp-replay: confirms or refuses certificates of `steptp verify --certificate` without the judge's code.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "replay/replay.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"

namespace {

using steptp::replayer::Report;

constexpr const char* kHelp =
    "Usage: steptp-replay [OPTIONS] CERTIFICATE...\n"
    "Confirms or refuses certificates of `steptp verify --certificate F`, without the judge's code. It says what it\n"
    "proves again, what it tests again at points that it draws itself, and what it takes from the judge.\n"
    "  --seed N    the seed of these points (1)\n"
    "  --budget N  how many steps one certificate may take (200000000)\n"
    "  --json      print one JSON object per certificate\n"
    "  --help      print this text\n"
    "Exit status: 0 confirmed, 1 refused, 2 a certificate cannot be read, 3 undecided; of many the first of 2, 1, 3, "
    "0.\n";

int status_of(Report::Outcome outcome) {
  switch (outcome) {
    case Report::Outcome::confirmed: return 0;
    case Report::Outcome::refused: return 1;
    case Report::Outcome::unusable: return 2;
    case Report::Outcome::undecided: return 3;
  }
  return 3;
}

int worse(int a, int b) {
  constexpr int kRank[] = {0, 2, 3, 1};
  return kRank[a] >= kRank[b] ? a : b;
}

void print(const std::string& file, const Report& report, bool json) {
  if (json) {
    const auto strings = [](const std::vector<std::string>& texts) {
      steptp::Json::Array out;
      for (const std::string& text : texts) out.emplace_back(text);
      return out;
    };
    steptp::Json out;
    out.set("file", file).set("id", report.id).set("verdict", report.verdict).set("outcome", name_of(report.outcome));
    out.set("reason", report.reason).set("reproved", strings(report.reproved));
    out.set("retested", strings(report.retested)).set("believed", strings(report.believed));
    std::printf("%s\n", out.dump().c_str());
    return;
  }
  std::string out = steptp::concat(file, ": ", name_of(report.outcome));
  if (!report.verdict.empty()) steptp::append(out, " (", report.verdict, ")");
  out += "\n";
  if (!report.reason.empty()) steptp::append(out, "  ", report.reason, "\n");
  for (const std::string& text : report.reproved) steptp::append(out, "  proved again: ", text, "\n");
  for (const std::string& text : report.retested) steptp::append(out, "  tested again: ", text, "\n");
  for (const std::string& text : report.believed) steptp::append(out, "  believed: ", text, "\n");
  std::fputs(out.c_str(), stdout);
}

bool read_natural(const char* text, std::uint64_t& value) {
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc() && at == end && at != text;
}

}  // namespace

int main(int argc, char** argv) {
  steptp::replayer::Options options;
  std::vector<std::string> files;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (word == "--json") {
      json = true;
    } else if (word == "--seed" || word == "--budget") {
      if (++i == argc || !read_natural(argv[i], word == "--seed" ? options.seed : options.budget)) {
        std::fprintf(stderr, "steptp-replay: %s needs a number\n", word.c_str());
        return 2;
      }
    } else if (word.starts_with("--")) {
      std::fprintf(stderr, "steptp-replay: no option %s\n%s", word.c_str(), kHelp);
      return 2;
    } else {
      files.push_back(word);
    }
  }
  if (files.empty()) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  int status = 0;
  for (const std::string& file : files) {
    Report report;
    if (const auto text = steptp::read_file(file)) {
      report = steptp::replayer::replay_certificate(*text, options);
    } else {
      report.outcome = Report::Outcome::unusable;
      report.reason = text.error().message;
    }
    print(file, report, json);
    status = worse(status, status_of(report.outcome));
  }
  return status;
}
