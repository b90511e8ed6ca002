#pragma once

#include <string>

// The macros that look at the types of arguments would call functions that we do not link.
#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK
#endif
#include <curl/curl.h>

#include "steptp/base/result.h"

namespace steptp {

/// The functions of libcurl that we use.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

/// Loaded once: $STEPTP_LIBCURL, otherwise libcurl.so.4. Error: why it is not there.
[[nodiscard]] Result<const CurlLibrary*, std::string> load_curl();

}  // namespace steptp
