#pragma once

#include <string>

#include "steptp/base/text.h"

namespace steptp::cuda {

/// Lines with the indentation of the brackets around them.
class Writer {
 public:
  template <typename... Parts>
  void line(const Parts&... parts) {
    text_.append(depth_ * 2, ' ');
    append(text_, parts...);
    text_ += '\n';
  }
  template <typename... Parts>
  void open(const Parts&... parts) {
    line(parts..., " {");
    ++depth_;
  }
  void open() {
    line("{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Text can be taken back to where it was.
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  void cut(std::size_t size) { text_.resize(size); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace steptp::cuda
