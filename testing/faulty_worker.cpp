// A worker for tests that does, on request, everything a worker must not do.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/base/worker.h"

#if defined(__SANITIZE_ADDRESS__)
/// A crash is what this program is for: it is to end by the signal, not by the sanitizer's report.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's own name
  return "handle_segv=0:handle_abort=0";
}
#endif

namespace {

using steptp::Worker;

void write_raw(const std::string& text) {
  if (write(Worker::kDescriptor, text.data(), text.size()) < 0) std::abort();
}

std::string handle(const std::string& request) {
  static int count = 0;
  ++count;
  if (request == "crash") std::raise(SIGSEGV);
  if (request == "abort") {
    std::fputs("the reason is written here\n", stderr);
    std::abort();
  }
  if (request == "hang") {
    volatile bool goes_on = true;
    while (goes_on) {
    }
  }
  if (request == "leave") std::_Exit(7);
  if (request == "throw") throw std::runtime_error("something of its own");
  if (request == "over") throw steptp::WorkerIsOver("the device is lost");
  if (request == "eat") {
    std::vector<std::vector<char>> eaten;
    for (;;) eaten.emplace_back(std::size_t{1} << 24, 'x');
  }
  if (request == "garbage") {
    write_raw(std::string(4096, '\x5a'));
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  if (request == "chatter") write_raw("a few bytes before the answer");
  if (request == "false payload") {
    std::string payload = "the answer";
    const auto header = steptp::frame_header(steptp::FrameKind::message, payload);
    std::string raw(sizeof header, '\0');
    std::memcpy(raw.data(), &header, sizeof header);
    payload[3] ^= 1;
    write_raw(raw + payload);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  if (request == "false header") {
    const std::string payload = "the answer";
    auto header = steptp::frame_header(steptp::FrameKind::message, payload);
    header.bytes += 1;  // everything else is right
    std::string raw(sizeof header, '\0');
    std::memcpy(raw.data(), &header, sizeof header);
    write_raw(raw + payload);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  if (request == "half") {
    const std::string payload(1000, 'p');
    const auto header = steptp::frame_header(steptp::FrameKind::message, payload);
    std::string raw(sizeof header, '\0');
    std::memcpy(raw.data(), &header, sizeof header);
    write_raw(raw + payload.substr(0, 10));
    std::_Exit(0);
  }
  if (request == "flood") {
    for (int i = 0; i < 100'000; ++i) std::fputs("many words on standard error\n", stderr);
  }
  if (request == "mute") close(Worker::kDescriptor);
  if (request == "count") return std::to_string(count);
  return "echo " + request;
}

}  // namespace

int main(int argc, char** argv) {
  const auto megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  return steptp::serve_requests(Worker::kDescriptor, {megabytes << 20}, handle);
}
