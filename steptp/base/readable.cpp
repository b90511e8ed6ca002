#include "steptp/base/readable.h"

#include <algorithm>

#include "steptp/base/utf8.h"

namespace steptp {

std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool disturbs = length == 0 || (length == 1 && (byte == 0x7f || (byte < 0x20 && byte != '\n')));
    if (disturbs)
      out += '.';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace steptp
