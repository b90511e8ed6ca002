#include "steptp/endpoint/curl_library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

template <typename Function>
bool look_up(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  return to != nullptr;
}

bool look_up_all(void* library, CurlLibrary& out) {
  return look_up(library, "curl_global_init", out.global_init) && look_up(library, "curl_easy_init", out.easy_init) &&
         look_up(library, "curl_easy_setopt", out.easy_setopt) &&
         look_up(library, "curl_easy_perform", out.easy_perform) &&
         look_up(library, "curl_easy_getinfo", out.easy_getinfo) &&
         look_up(library, "curl_easy_cleanup", out.easy_cleanup) &&
         look_up(library, "curl_easy_strerror", out.easy_strerror) &&
         look_up(library, "curl_slist_append", out.slist_append) &&
         look_up(library, "curl_slist_free_all", out.slist_free_all);
}

Result<const CurlLibrary*, std::string> open_library() {
  static CurlLibrary library;
  void* handle = nullptr;
  if (const char* given = std::getenv("STEPTP_LIBCURL")) {
    handle = dlopen(given, RTLD_NOW | RTLD_LOCAL);
  } else {
    for (const char* name : kNames) {
      if (!handle) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (!handle) {
    const char* reason = dlerror();
    return concat("libcurl is not there: ", reason ? reason : "unknown reason",
                  "; a server is asked by libcurl (on Debian: apt-get install libcurl4)");
  }
  if (!look_up_all(handle, library) || library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return std::string("the libcurl found is not one that we can use");
  }
  return &library;
}

}  // namespace

Result<const CurlLibrary*, std::string> load_curl() {
  static const Result<const CurlLibrary*, std::string> library = open_library();
  return library;
}

}  // namespace steptp
