#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace steptp {

/// Server-sent events, however the bytes are cut: the data of each event, without its `data:`.
class EventStream {
 public:
  explicit EventStream(std::function<void(const std::string& data)> on_event) : on_event_(std::move(on_event)) {}

  void feed(std::string_view bytes);

 private:
  void take_line(std::string_view line);

  std::function<void(const std::string&)> on_event_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace steptp
