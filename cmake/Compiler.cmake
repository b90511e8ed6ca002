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
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STEPTP_CCACHE})
endif()

add_library(steptp_options INTERFACE)
target_compile_options(steptp_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
# g++ 12 reports moved-from variants as uninitialized, which they are not; the sanitizers and clang-tidy look instead.
# Warnings are errors with g++, the compiler of record; clang builds the fuzz targets, and its -Wconversion means more.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(steptp_options INTERFACE -Werror -Wno-maybe-uninitialized -Wno-restrict)
else()
  target_compile_options(steptp_options INTERFACE -Wno-sign-conversion)
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
if(STEPTP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "STEPTP_FUZZ needs clang: cmake --preset fuzz")
  endif()
  target_compile_options(steptp_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
