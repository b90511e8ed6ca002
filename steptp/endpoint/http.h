#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/result.h"

namespace steptp {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  double seconds = 600;  ///< for all of it
  std::size_t longest = std::size_t{64} << 20;
  /// Gets the body of the answer as it comes; false ends the transfer. Without it the body is in the response.
  std::function<bool(std::string_view)> on_bytes;
  std::function<bool()> go_on;  ///< asked now and then; false cancels
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::optional<double> retry_after;  ///< seconds
  std::string body;
};

/// Why there is no whole answer.
struct HttpFailure {
  enum class Kind : std::uint8_t {
    no_client,    ///< the library that speaks HTTP is not installed
    bad_url,      ///< or a protocol that is not HTTP
    unreachable,  ///< nobody is there: no such host, no connection
    timed_out,
    broken,    ///< the connection ended in the middle
    too_long,  ///< more bytes than wanted
    cancelled,
  };
  Kind kind = Kind::unreachable;
  std::string message;
};

/// What speaks HTTP. Tests have one of their own.
class HttpClient {
 public:
  HttpClient() = default;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  virtual ~HttpClient() = default;

  /// Sends a POST request and waits for its answer; from many threads at a time.
  [[nodiscard]] virtual Result<HttpResponse, HttpFailure> post(const HttpRequest& request) = 0;
};

/// By libcurl, which is loaded when it is first needed: only those who ask a server need it.
class CurlClient : public HttpClient {
 public:
  [[nodiscard]] Result<HttpResponse, HttpFailure> post(const HttpRequest& request) override;
};

}  // namespace steptp
