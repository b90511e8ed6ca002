// Convolutions as products, and tiles with a halo: `window`.
#include <span>
#include <vector>

#include "steptp/moves/window_match.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

struct Form {
  std::string_view form;
  std::int64_t thread_rows;
  std::int64_t thread_columns;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::int64_t vector;
  std::string_view image;
  std::int64_t channels = 1;
};

constexpr Form kGpuProducts[] = {
    {"product", 8, 16, 8, 4, 8, 4, "shared"},  {"product", 16, 16, 4, 4, 16, 4, "shared"},
    {"product", 8, 16, 4, 4, 16, 4, "shared"}, {"product", 8, 32, 4, 2, 16, 1, "shared"},
    {"product", 8, 16, 2, 2, 16, 1, "shared"}, {"product", 1, 128, 8, 1, 8, 1, "direct"},
    {"product", 4, 32, 4, 1, 8, 1, "direct"},
};
constexpr Form kGpuHalos[] = {
    {"halo", 4, 32, 2, 1, 1, 1, "direct"},    {"halo", 4, 32, 1, 1, 1, 1, "direct"},
    {"halo", 4, 32, 1, 1, 1, 1, "shared"},    {"halo", 8, 32, 2, 1, 1, 1, "shared"},
    {"halo", 8, 16, 1, 1, 2, 1, "shared", 8}, {"halo", 8, 32, 1, 1, 1, 1, "direct", 8},
};
constexpr Form kCpuProducts[] = {
    {"product", 8, 1, 4, 32, 64, 16, "shared"}, {"product", 4, 1, 4, 32, 32, 16, "shared"},
    {"product", 8, 1, 4, 16, 64, 16, "shared"}, {"product", 4, 2, 4, 16, 32, 16, "shared"},
    {"product", 8, 4, 4, 16, 32, 16, "shared"}, {"product", 1, 1, 4, 16, 64, 16, "shared"},
};
constexpr Form kCpuHalos[] = {
    {"halo", 8, 1, 1, 16, 1, 16, "direct"},
    {"halo", 1, 1, 4, 16, 1, 16, "direct"},
    {"halo", 1, 4, 1, 16, 1, 16, "direct"},
};

void add_form(ProposalList& list, std::uint32_t expression, std::int64_t following, const Form& form) {
  list.add("window", expression, static_cast<std::uint32_t>(following) + 1,
           {{"form", std::string(form.form)},
            {"thread_rows", form.thread_rows},
            {"thread_columns", form.thread_columns},
            {"rows", form.rows},
            {"columns", form.columns},
            {"depth", form.depth},
            {"vector", form.vector},
            {"padding", 0},
            {"image", std::string(form.image)},
            {"channels", form.channels},
            {"following", following}});
}

/// The output channels of a convolution.
std::int64_t channels_of(View& view, std::uint32_t expression, const WindowProduct& product) {
  const Statement& statement = *statement_at(view, item_site({expression}));
  std::int64_t out = 1;
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    if (product.kernel.roles[i][0] == 'm') out *= statement.loops[i]->extent;
  }
  return out;
}

/// Few channels are all in one thread, so that each pixel is read once for all of them.
std::vector<Form> forms_of_few_channels(std::int64_t channels) {
  constexpr std::int64_t kFew = 12;
  if (channels > kFew) return {};
  return {{"product", 1, 128, channels, 4, 8, 1, "shared"},
          {"product", 1, 256, channels, 2, 8, 1, "shared"},
          {"product", 1, 128, channels, 2, 16, 1, "shared"},
          {"product", 1, 128, channels, 1, 8, 1, "direct"}};
}

/// With all that goes along, and with nothing.
template <typename Find>
void add_forms(View& view, std::uint32_t expression, const Find& find, std::span<const Form> forms,
               ProposalList& list) {
  const Site site = item_site({expression});
  if (!find(view, site, 0)) return;
  std::int64_t following = 0;
  while (find(view, site, following + 1)) ++following;
  for (const Form& form : forms) add_form(list, expression, following, form);
  if (following == 0) return;
  for (const Form& form : forms) add_form(list, expression, 0, form);
}

}  // namespace

void propose_windows(View& view, std::uint32_t expression, ProposalList& list) {
  const bool is_cpu = list.target().is_cpu();
  const auto product = find_window_product(view, item_site({expression}), 0);
  const std::vector<Form> few =
      product && !is_cpu ? forms_of_few_channels(channels_of(view, expression, *product)) : std::vector<Form>();
  add_forms(view, expression, find_window_product, few, list);
  add_forms(view, expression, find_window_product,
            is_cpu ? std::span<const Form>(kCpuProducts) : std::span<const Form>(kGpuProducts), list);
  add_forms(view, expression, find_window_halo,
            is_cpu ? std::span<const Form>(kCpuHalos) : std::span<const Form>(kGpuHalos), list);
}

}  // namespace steptp
