#include "replay/chain.h"

#include <cmath>
#include <optional>

#include "replay/fields.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

constexpr std::string_view kFormat = "steptp-certificate-chain-1";
constexpr std::size_t kMostLinks = 10'000;
/// No equal verdict has a greater chance of an error than 2^-40.
constexpr double kGreatestChance = -40;

/// What does not hold, in a sentence.
struct Broken {
  std::string reason;
};

/// The chance of an error that a link states, as its logarithm.
std::optional<double> chance_of(const Json& link) {
  const Json* cover = link.find("cover");
  if (!cover || need(*cover, "bound_log2").is_null()) return std::nullopt;
  return number_of(*cover, "bound_log2");
}

/// The ends of a link are those of its neighbours and of the chain, letter by letter.
void check_ends(const Json& chain, const Json::Array& links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string before = i == 0 ? text_of(chain, "before") : text_of(links[i - 1], "after");
    if (text_of(links[i], "before") != before) {
      throw Broken{
          concat("link ", i + 1, " does not begin where ", i == 0 ? "the chain begins" : "the one before ends")};
    }
    if (need(links[i], "signature").dump() != need(chain, "signature").dump()) {
      throw Broken{concat("link ", i + 1, " has another signature than the chain")};
    }
  }
  if (text_of(links.back(), "after") != text_of(chain, "after"))
    throw Broken{"the last link does not end where the chain ends"};
}

/// An equal verdict is no better than that of any link, and the chance of an error not below their sum.
void check_verdict(const Json& chain, const Json::Array& links) {
  bool is_proved = true;
  double chance = 0;
  for (const Json& link : links) {
    const std::string verdict = word_of(link, "verdict", {"proved", "exact", "differs"});
    if (verdict == "differs") throw Broken{"a link whose programs differ"};
    is_proved = is_proved && verdict == "proved";
    if (const auto bound = chance_of(link)) chance += std::exp2(*bound);
  }
  if (text_of(chain, "verdict") != (is_proved ? "proved" : "exact"))
    throw Broken{"the verdict is not that of the links"};
  const bool is_stated = !need(chain, "bound_log2").is_null();
  if (is_stated != (chance > 0)) throw Broken{"the chance of an error is not that of the links"};
  if (!is_stated) return;
  const double stated = number_of(chain, "bound_log2");
  if (!(stated >= std::log2(chance))) throw Broken{"the chance of an error is less than that of the links"};
  if (!(stated <= kGreatestChance)) throw Broken{"the chance of an error is above 2^-40"};
}

void replay_links(const Json::Array& links, const Options& options,
                  const std::function<Report(std::string_view, const Options&)>& replay_pair, Report& report) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Report link = replay_pair(links[i].dump(), options);
    if (link.outcome != Report::Outcome::confirmed) {
      report.outcome = link.outcome;
      report.reason = concat("link ", i + 1, " of ", links.size(), ": ", link.reason);
      return;
    }
    const auto add = [&](const std::vector<std::string>& from, std::vector<std::string>& to) {
      for (const std::string& text : from) to.push_back(concat("link ", i + 1, ": ", text));
    };
    add(link.reproved, report.reproved);
    add(link.retested, report.retested);
    add(link.believed, report.believed);
  }
  report.outcome = Report::Outcome::confirmed;
}

}  // namespace

bool is_chain(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->as_object()) return false;
  const Json* format = json->find("format");
  return format && format->as_string() && *format->as_string() == kFormat;
}

Report replay_chain(std::string_view text, const Options& options,
                    const std::function<Report(std::string_view, const Options&)>& replay_pair) {
  Report report;
  report.outcome = Report::Outcome::unusable;
  try {
    const auto chain = parse_json(text);
    only(*chain, "a chain", {"format", "id", "verdict", "bound_log2", "signature", "before", "after", "links"});
    report.id = text_of(*chain, "id");
    report.verdict = word_of(*chain, "verdict", {"proved", "exact"});
    const Json::Array& links = array_of(*chain, "links");
    if (links.size() < 2 || links.size() > kMostLinks) throw BadFile{concat("a chain of ", links.size(), " links")};
    check_ends(*chain, links);
    check_verdict(*chain, links);
    report.reproved.push_back(concat(links.size(), " links from the root to the end, without gaps"));
    replay_links(links, options, replay_pair, report);
  } catch (const BadFile& bad) {
    report.reason = bad.message;
  } catch (const Broken& broken) {
    report.outcome = Report::Outcome::refused;
    report.reason = broken.reason;
  }
  return report;
}

}  // namespace steptp::replayer
