#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace steptp {

/// A string under construction. A program's text is made of very many very short pieces, for which std::string's
/// appending takes longer than everything else here.
class TextBuffer {
 public:
  void operator+=(char c) {
    if (size_ == text_.size()) grow(1);
    text_[size_++] = c;
  }
  template <std::size_t Size>
  void operator+=(const char (&literal)[Size]) {
    std::memcpy(room(Size - 1), literal, Size - 1);
    size_ += Size - 1;
  }
  void operator+=(std::string_view part) {
    char* const begin = room(part.size());
    // Names and codes have a few letters: less than a call of memcpy takes.
    for (std::size_t i = 0; i < part.size(); ++i) begin[i] = part[i];
    size_ += part.size();
  }

  template <typename Integer>
  void number(Integer value) {
    constexpr std::size_t kDigits = 24;
    char* const begin = room(kDigits);
    size_ += static_cast<std::size_t>(std::to_chars(begin, begin + kDigits, value).ptr - begin);
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] std::string take() {
    text_.resize(size_);
    return std::move(text_);
  }

 private:
  /// A place for that many characters behind the text.
  char* room(std::size_t bytes) {
    if (text_.size() - size_ < bytes) grow(bytes);
    return text_.data() + size_;
  }
  void grow(std::size_t bytes) { text_.resize(std::max(text_.size() * 2, size_ + bytes)); }

  std::string text_ = std::string(256, '\0');
  std::size_t size_ = 0;
};

}  // namespace steptp
