#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/certify/inputs.h"

namespace steptp::certify {

/// What a person is told of the inputs that show a fault: elements that are unlike the others of their input one by
/// one, and of the others how many there are, and their value where it is one.
struct Witness {
  struct Rest {
    std::size_t count = 0;
    bool is_all = true;                ///< none of this input is named
    std::optional<std::string> value;  ///< of all of them
  };
  std::vector<InputRead> named;
  std::map<std::size_t, Rest> rest;  ///< by input

  explicit Witness(const std::vector<InputRead>& reads);
};

}  // namespace steptp::certify
