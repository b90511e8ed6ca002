#include <algorithm>
#include <charconv>
#include <memory>

#include "steptp/base/text.h"
#include "steptp/endpoint/curl_library.h"
#include "steptp/endpoint/http.h"

namespace steptp {

namespace {

constexpr double kLongestConnect = 10;  // seconds
constexpr double kLongestAnswer = 2e6;  // what curl counts in milliseconds

using Kind = HttpFailure::Kind;

/// One transfer: what came so far, and why it was ended by us.
struct Transfer {
  const HttpRequest* request = nullptr;
  HttpResponse response;
  std::size_t bytes = 0;
  bool is_too_long = false;
  bool is_ended = false;  ///< whoever gets the bytes has enough
  bool is_cancelled = false;
};

std::size_t take_bytes(char* data, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  const std::string_view bytes(data, size * count);
  transfer.bytes += bytes.size();
  transfer.is_too_long = transfer.bytes > transfer.request->longest;
  if (transfer.is_too_long) return 0;
  if (!transfer.request->on_bytes) {
    transfer.response.body += bytes;
  } else if (!transfer.request->on_bytes(bytes)) {
    transfer.is_ended = true;
    return 0;
  }
  return bytes.size();
}

bool starts_with_word(std::string_view line, std::string_view word) {
  if (line.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), line.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  std::string_view line(data, size * count);
  constexpr std::string_view kRetry = "retry-after:";
  if (starts_with_word(line, kRetry)) {
    line.remove_prefix(std::min(line.find_first_not_of(' ', kRetry.size()), line.size()));
    double seconds = 0;
    // A date instead of a number is left to our own waiting.
    if (std::from_chars(line.data(), line.data() + line.size(), seconds).ec == std::errc() && seconds >= 0)
      transfer.response.retry_after = seconds;
  }
  return size * count;
}

int look_up(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  transfer.is_cancelled = transfer.request->go_on && !transfer.request->go_on();
  return transfer.is_cancelled ? 1 : 0;
}

Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return Kind::bad_url;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION: return Kind::unreachable;
    case CURLE_OPERATION_TIMEDOUT: return Kind::timed_out;
    default: return Kind::broken;
  }
}

/// What runs on this machine is never behind a proxy.
bool is_local(std::string_view url) {
  const std::size_t host = url.find("://");
  if (host == std::string_view::npos) return false;
  url.remove_prefix(host + 3);
  return url.starts_with("127.") || url.starts_with("localhost") || url.starts_with("[::1]");
}

}  // namespace

Result<HttpResponse, HttpFailure> CurlClient::post(const HttpRequest& request) {
  if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) {
    return HttpFailure{Kind::bad_url,
                       concat("'", request.url, "' is not an address that begins with http:// or https://")};
  }
  const auto library = load_curl();
  if (!library) return HttpFailure{Kind::no_client, library.error()};
  const CurlLibrary& curl = **library;
  const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> handle(curl.easy_init(), curl.easy_cleanup);
  if (!handle) return HttpFailure{Kind::no_client, "libcurl cannot begin a transfer"};
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl.slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, decltype(curl.slist_free_all)> headers(list, curl.slist_free_all);

  Transfer transfer;
  transfer.request = &request;
  char problem[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, request.url.c_str());
  if (is_local(request.url)) set(CURLOPT_PROXY, "");
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDS, request.body.c_str());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min(request.seconds, kLongestAnswer) * 1000));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(request.seconds, kLongestConnect) * 1000));
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(problem));
  set(CURLOPT_WRITEFUNCTION, &take_bytes);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &look_up);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  const CURLcode code = curl.easy_perform(handle.get());

  long status = 0;
  curl.easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  const char* type = nullptr;
  curl.easy_getinfo(handle.get(), CURLINFO_CONTENT_TYPE, &type);
  transfer.response.status = static_cast<int>(status);
  transfer.response.content_type = type ? type : "";
  if (code == CURLE_OK || transfer.is_ended) return std::move(transfer.response);
  if (transfer.is_too_long) {
    return HttpFailure{Kind::too_long, concat("the answer has more than ", request.longest, " bytes")};
  }
  if (transfer.is_cancelled) return HttpFailure{Kind::cancelled, "cancelled"};
  return HttpFailure{kind_of(code), problem[0] ? std::string(problem) : std::string(curl.easy_strerror(code))};
}

}  // namespace steptp
