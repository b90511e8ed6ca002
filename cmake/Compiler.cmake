# One place for the language level, the warnings and the sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(STEPTP_CCACHE ccache)
if(STEPTP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Neither __DATE__ nor a macro before the first include is used with compiled headers, which ccache wants to be told.
  # Paths below the root count as relative, so that all clones and build folders share what was compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${STEPTP_CCACHE})
endif()

add_library(steptp_options INTERFACE)
target_compile_options(steptp_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
# g++ 12 reports moved-from variants as uninitialized, which they are not, and sums of strings as out of bounds; the
# sanitizers and clang-tidy look instead.
# Warnings are errors with g++, the compiler of record; clang builds the fuzz targets, and its -Wconversion means more.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(steptp_options INTERFACE -Werror -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds
                                                  -Wno-stringop-overflow -Wno-stringop-overread)
else()
  # The stable_sort of g++'s library calls a function that the same library calls deprecated, which clang 19 reports.
  target_compile_options(steptp_options INTERFACE -Wno-sign-conversion -Wno-deprecated-declarations)
endif()
# The libraries are position independent because the Python module takes them in; nobody replaces their functions from
# outside, and only when that is said may the compiler inline them within a file.
target_compile_options(steptp_options INTERFACE -fno-semantic-interposition)
# Values are computed exactly as written: the compiler may neither contract a*b+c nor reassociate.
target_compile_options(steptp_options INTERFACE -ffp-contract=off)
target_include_directories(steptp_options INTERFACE ${PROJECT_SOURCE_DIR})
if(STEPTP_SANITIZE)
  target_compile_options(steptp_options INTERFACE -fsanitize=${STEPTP_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(steptp_options INTERFACE -fsanitize=${STEPTP_SANITIZE})
endif()

# The headers of the standard library that most files need are compiled once, and so are our own that nearly all take in
# (programs and what they are made of, results). Only with g++: clang, which builds the fuzz targets and reads the sources
# for `make lint`, sees each file with its own includes, so that a missing one is noticed.
# An owner is a target with the flags of those that share its headers: libraries have one, tests (with gtest) another.
# Our own are named from the root, as files include them: a path of this clone would be another text in every clone.
option(STEPTP_SHARED_HEADERS "compile the most used headers once" ON)
function(steptp_own_headers owner)
  target_link_libraries(${owner} PRIVATE steptp_options)
  if(STEPTP_SHARED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ccache finds out by this which compiled headers a file has used.
    target_compile_options(${owner} PRIVATE -fpch-preprocess)
    target_precompile_headers(${owner} PRIVATE
      <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <numeric>
      <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
      <steptp/base/result.h> <steptp/ir/program.h> <steptp/ir/site.h> ${ARGN})
  endif()
endfunction()
function(steptp_share_headers target owner)
  if(STEPTP_SHARED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
# For what only puts things together, and for programs that tests drive: optimised less, it compiles in three fifths of
# the time.
function(steptp_compile_lightly target)
  if(NOT TARGET steptp_light_headers)
    add_library(steptp_light_headers STATIC ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    target_compile_options(steptp_light_headers PRIVATE $<$<CONFIG:Release>:-O1>)
    steptp_own_headers(steptp_light_headers <steptp/base/json.h> <steptp/base/text.h>)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # The code of executables would be placed in another way (-fPIE), for which the headers are not compiled.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  steptp_share_headers(${target} steptp_light_headers)
endfunction()

if(STEPTP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "STEPTP_FUZZ needs clang: cmake --preset fuzz")
  endif()
  target_compile_options(steptp_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
