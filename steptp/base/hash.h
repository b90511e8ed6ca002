#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace steptp {

/// Hashes are part of files we write, so they are our own and the same on every machine (std::hash is neither).
using Hash = std::uint64_t;

/// A strong 64-bit mixer (the finaliser of SplitMix64).
constexpr Hash mix(Hash x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Order matters: combine(combine(h, a), b) differs from combine(combine(h, b), a).
constexpr Hash combine(Hash seed, Hash value) { return mix(seed ^ (mix(value) + (seed << 6) + (seed >> 2))); }

constexpr Hash hash_text(std::string_view text) {
  Hash hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(hash ^ text.size());
}

/// For large data, eight bytes at a time; little endian machines only, as everything that writes data here.
inline Hash hash_bytes(std::string_view bytes, Hash seed = 0) {
  constexpr std::size_t kStreams = 4;
  Hash streams[kStreams] = {mix(seed), mix(seed + 1), mix(seed + 2), mix(seed + 3)};
  std::size_t at = 0;
  for (; at + kStreams * sizeof(Hash) <= bytes.size(); at += kStreams * sizeof(Hash)) {
    Hash words[kStreams];
    std::memcpy(words, bytes.data() + at, sizeof words);
    for (std::size_t i = 0; i < kStreams; ++i) {
      const Hash mixed = (streams[i] ^ words[i]) * 0x9fb21c651e98df25ULL;
      streams[i] = mixed ^ (mixed >> 29);
    }
  }
  Hash out = hash_text(bytes.substr(at)) ^ mix(bytes.size());
  for (const Hash stream : streams) out = combine(out, stream);
  return out;
}

}  // namespace steptp
