#pragma once

// The words of a search: its algorithms, what can become of a candidate, and why a search ended.

#include <cstdint>

#include "steptp/base/words.h"

namespace steptp::search {

enum class Algorithm : std::uint8_t { greedy, beam, bfs, dfs, mcts, chain, chain_without_parent };

/// What became of one candidate. Only `fresh` ones are ever expanded.
enum class Outcome : std::uint8_t {
  fresh,       ///< a new program, equal and safe, with a time
  known,       ///< a program that this search has met before
  same,        ///< the program that it was asked about
  unreadable,  ///< no answer, no JSON, no program
  invalid,     ///< fails `check`, or changes what must stay
  differs,     ///< a counterexample was found
  numeric,     ///< agrees at drawn points only, which is not equal
  unsafe,      ///< equal, and loses digits or overflows where the root does not
  undecided,   ///< neither shown equal nor different, or not shown safe
  refused,     ///< a move or step was refused, so there is no program
  build,       ///< does not lower or compile
  launch,      ///< does not start, or stops because of its data
  crash,       ///< its process died, or it computed something else
  timeout,
};

/// Why a search ended.
enum class Stop : std::uint8_t {
  samples,         ///< the budget of samples is spent
  device_seconds,  ///< likewise
  tokens,          ///< likewise
  finished,        ///< the algorithm has made all of its iterations
  exhausted,       ///< nothing is left to ask about
  no_progress,     ///< many asks in a row brought no program that was not known
  interrupted,     ///< by the user, or the process was ended: it can be resumed
  no_proposer,     ///< whoever proposes is gone
  no_device,       ///< the device, or the root on it, cannot be measured
  no_journal,      ///< the journal cannot be written
};

}  // namespace steptp::search

namespace steptp {

template <>
inline constexpr auto kWords<search::Algorithm> =
    std::to_array<std::string_view>({"greedy", "beam", "bfs", "dfs", "mcts", "chain", "chain-without-parent"});
template <>
inline constexpr auto kWords<search::Outcome> =
    std::to_array<std::string_view>({"new", "known", "same", "unreadable", "invalid", "differs", "numeric", "unsafe",
                                     "undecided", "refused", "build", "launch", "crash", "timeout"});
template <>
inline constexpr auto kWords<search::Stop> = std::to_array<std::string_view>({"samples", "device-seconds", "tokens",
                                                                              "finished", "exhausted", "no-progress",
                                                                              "interrupted", "no-proposer", "no-device",
                                                                              "no-journal"});

}  // namespace steptp
