# layers.txt is the single description of the layers: this file turns each line into a library,
# and tools/check_layers.py checks every #include against it.
#
#   layer <- layers it may include | system libraries it links
#
# Sources are steptp/<layer>/*.cpp. steptp/<layer>/*_test.cpp stand beside what they test; they may see every layer and
# what testing/ has, so testing/CMakeLists.txt builds them, in programs of several layers.

# Where the sources are, for the few tests that read files: a header, because a definition for all of them would make
# the objects of every clone different ones to the compiler cache.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/source_dir.h
     CONTENT "#pragma once\n#define STEPTP_SOURCE_DIR \"@PROJECT_SOURCE_DIR@\"\n" @ONLY)
# Likewise what was built: the binary, and programs and libraries that misbehave on request.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/built_files.h
     CONTENT "#pragma once
#define STEPTP_BINARY \"@PROJECT_BINARY_DIR@/steptp\"
#define STEPTP_FAULTY_WORKER \"@PROJECT_BINARY_DIR@/testing/faulty_worker\"
#define STEPTP_FAULTY_JUDGE \"@PROJECT_BINARY_DIR@/testing/faulty_judge\"
#define STEPTP_CACHE_WRITER \"@PROJECT_BINARY_DIR@/testing/cache_writer\"
#define FAKE_CUDA_DRIVER \"@PROJECT_BINARY_DIR@/testing/libfake_cuda_driver.so\"
#define FAKE_CUDA_NVRTC \"@PROJECT_BINARY_DIR@/testing/libfake_cuda_nvrtc.so\"
" @ONLY)

# Several files of a target are compiled as one, which takes half the time (docs/decisions/0048-half-the-build.md):
# tools/make_batches.py puts them together. Not for clang-tidy, which wants each by itself. Whoever looks for a mistake
# in a file and wants it alone configures with -DSTEPTP_BATCHES=OFF.
option(STEPTP_BATCHES "compile several files of a target as one" ON)
set(STEPTP_BATCH_FILES 10)
set(STEPTP_BATCH_LINES 2500)

# What to compile for these sources of a target: batches of at most `most` files and `lines` lines, and files that stay
# alone. Which files go together depends on the names in them, so ninja makes the plan again when one of them has changed,
# and runs CMake again only when the plan is another one.
function(steptp_batch target sources most lines out)
  if(NOT STEPTP_BATCHES)
    set(${out} ${sources} PARENT_SCOPE)
    return()
  endif()
  find_program(STEPTP_PYTHON3 NAMES python3 REQUIRED)
  set(folder ${PROJECT_BINARY_DIR}/batches/${target})
  set(tool ${PROJECT_SOURCE_DIR}/tools/make_batches.py)
  set(command ${STEPTP_PYTHON3} -I -S ${tool} ${PROJECT_SOURCE_DIR} ${folder} ${most} ${lines} ${sources})
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_command(OUTPUT ${folder}/plan.txt COMMAND ${command} DEPFILE ${folder}/plan.d
                     COMMENT "Files of ${target} that are compiled as one" VERBATIM)
  # A target of its own, which waits for no library: ninja makes the plans before all else.
  add_custom_target(${target}_plan DEPENDS ${folder}/plan.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/plan.txt)
  file(STRINGS ${folder}/plan.txt plan)
  set(compiled "")
  foreach(line IN LISTS plan)
    if(line MATCHES "^- (.*)$")
      list(APPEND compiled ${CMAKE_MATCH_1})
    elseif(line MATCHES "^([0-9]+) ")
      set(batch ${folder}/batch_${CMAKE_MATCH_1}.cpp)
      list(APPEND compiled ${batch})
      # What one file hides from the others of its batch, and types of one file in those of another, are no mistakes.
      set_source_files_properties(${batch} PROPERTIES
        COMPILE_OPTIONS "-Wno-shadow;$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES compiled)
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()

function(steptp_whole_paths out)
  set(paths "")
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    list(APPEND paths ${path})
  endforeach()
  set(${out} ${paths} PARENT_SCOPE)
endfunction()

# A static library of these sources, in batches.
function(steptp_add_batched_library target)
  steptp_whole_paths(sources ${ARGN})
  steptp_batch(${target} "${sources}" ${STEPTP_BATCH_FILES} ${STEPTP_BATCH_LINES} compiled)
  add_library(${target} STATIC ${compiled})
endfunction()

function(steptp_add_test target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  steptp_whole_paths(ARG_SOURCES ${ARG_SOURCES})
  # What the build has written is not there yet.
  set(written ${ARG_SOURCES})
  list(FILTER written INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(steptp|testing)/")
  list(REMOVE_ITEM ARG_SOURCES ${written})
  steptp_batch(${target} "${written}" ${STEPTP_BATCH_FILES} ${STEPTP_BATCH_LINES} compiled)
  add_executable(${target} ${compiled} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/include)
  # What is tested is optimised; the tests themselves need not be, and compile a quarter faster.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT TARGET steptp_test_headers)
    add_executable(steptp_test_headers ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    target_compile_options(steptp_test_headers PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(steptp_test_headers PRIVATE GTest::gtest)
    steptp_own_headers(steptp_test_headers <gtest/gtest.h> <steptp/base/json.h> <steptp/text/document.h>)
  endif()
  steptp_share_headers(${target} steptp_test_headers)
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# A program with the tests beside the code of some layers (LAYERS, and of all folders below them).
function(steptp_add_layer_tests target)
  cmake_parse_arguments(ARG "" "" "LAYERS;SOURCES;LIBRARIES" ${ARGN})
  get_property(all GLOBAL PROPERTY STEPTP_LAYERS)
  set(sources "")
  foreach(layer IN LISTS all)
    string(REGEX REPLACE "/.*" "" top ${layer})
    if(top IN_LIST ARG_LAYERS)
      file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/steptp/${layer}/*_test.cpp)
      list(APPEND sources ${tests})
      set_property(GLOBAL APPEND PROPERTY STEPTP_TESTED_LAYERS ${layer})
    endif()
  endforeach()
  steptp_add_test(${target} SOURCES ${sources} ${ARG_SOURCES} LIBRARIES ${ARG_LIBRARIES})
endfunction()

# Every layer's tests are in some program.
function(steptp_expect_all_layers_tested)
  get_property(all GLOBAL PROPERTY STEPTP_LAYERS)
  get_property(tested GLOBAL PROPERTY STEPTP_TESTED_LAYERS)
  list(REMOVE_ITEM all ${tested})
  if(all)
    message(FATAL_ERROR "testing/CMakeLists.txt: no program has the tests of ${all}")
  endif()
endfunction()

# Layers whose loops take the time of a user are optimised in full. The others only put things together: optimised less
# they compile in three fifths of the time, which is minutes of a build, and are as fast in use (bench/RESULTS.md).
set(STEPTP_HOT_LAYERS base ir columns text analysis oracle safety prove arithmetic machine certify verify algebra tokens tlm)

# The linker takes the first copy that it meets of each function of a template, and all others call it. A program whose
# own objects are not optimised would give its copies of std::string to the whole product, so the layers that are
# optimised in full come before them: a dataset is validated in a third of the time.
function(steptp_link_hot_layers_first target)
  set(archives "")
  foreach(layer IN LISTS STEPTP_HOT_LAYERS)
    list(APPEND archives $<TARGET_FILE:steptp_${layer}>)
  endforeach()
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
endfunction()

function(steptp_add_layer target layer sources)
  steptp_add_batched_library(${target} ${sources})
  if(layer IN_LIST STEPTP_HOT_LAYERS)
    steptp_share_headers(${target} steptp_headers)
  elseif(layer MATCHES "^strategies")
    # The files of strategies stay single, and all take in the same.
    if(NOT TARGET steptp_strategy_headers)
      add_library(steptp_strategy_headers STATIC ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
      target_compile_options(steptp_strategy_headers PRIVATE $<$<CONFIG:Release>:-O1>)
      steptp_own_headers(steptp_strategy_headers <steptp/strategies/rewrite.h> <steptp/strategies/strategy.h>)
    endif()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    steptp_share_headers(${target} steptp_strategy_headers)
  else()
    steptp_compile_lightly(${target})
  endif()
endfunction()

function(steptp_add_layers file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  # Comments stay out: brackets in them would not survive a list.
  file(STRINGS ${file} lines REGEX "^[^#]")
  set(all "")
  if(NOT STEPTP_LIBRARIES_FROM)
    add_library(steptp_headers STATIC ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    steptp_own_headers(steptp_headers)
  endif()
  foreach(line IN LISTS lines)
    if(line MATCHES "^#" OR line STREQUAL "")
      continue()
    endif()
    if(NOT line MATCHES "^([a-z_/]+) *<- *([^|]*)(\\|(.*))?$")
      message(FATAL_ERROR "layers.txt: cannot read the line: ${line}")
    endif()
    set(layer ${CMAKE_MATCH_1})
    string(STRIP "${CMAKE_MATCH_2}" below)
    string(STRIP "${CMAKE_MATCH_4}" system)
    separate_arguments(below)
    separate_arguments(system)
    string(REPLACE "/" "_" target steptp_${layer})

    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/steptp/${layer}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    if(NOT sources)
      message(FATAL_ERROR "layers.txt names '${layer}', but steptp/${layer} holds no source")
    endif()
    set(linked steptp_options ${system})
    foreach(name IN LISTS below)
      string(REPLACE "/" "_" name ${name})
      list(APPEND linked steptp_${name})
    endforeach()
    if(STEPTP_LIBRARIES_FROM)
      add_library(${target} STATIC IMPORTED GLOBAL)
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${STEPTP_LIBRARIES_FROM}/lib${target}.a)
      target_link_libraries(${target} INTERFACE ${linked})
    else()
      steptp_add_layer(${target} ${layer} "${sources}")
      target_link_libraries(${target} PUBLIC ${linked})
    endif()
    list(APPEND all ${target})
    set_property(GLOBAL APPEND PROPERTY STEPTP_LAYERS ${layer})
  endforeach()
  add_library(steptp_all INTERFACE)
  target_link_libraries(steptp_all INTERFACE ${all})
endfunction()

# The sorted names of the strategies under a root, from the files in steptp/strategies/*/. A strategy is one file NAME.cpp
# that defines `const Strategy& NAME_strategy()`, and one NAME_test.cpp: without it the configure step stops.
function(steptp_strategy_names root out)
  file(GLOB files CONFIGURE_DEPENDS ${root}/steptp/strategies/*/*.cpp)
  set(names "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    if(NOT name MATCHES "_test$")
      list(APPEND names ${name})
      string(REPLACE ".cpp" "_test.cpp" test ${file})
      if(NOT EXISTS ${test})
        message(FATAL_ERROR "the strategy ${name} has no test: ${test} is missing")
      endif()
    endif()
  endforeach()
  list(SORT names)
  list(REMOVE_DUPLICATES names)
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# Writes the registry of these strategies.
function(steptp_write_registry output)
  set(declarations "")
  set(entries "")
  foreach(name IN LISTS ARGN)
    string(APPEND declarations "const Strategy& ${name}_strategy();\n")
    string(APPEND entries "      &${name}_strategy(),\n")
  endforeach()
  set(text "// Generated by cmake/Layers.cmake from the files in steptp/strategies/.\n")
  string(APPEND text "#include \"steptp/recipe/registry.h\"\n\nnamespace steptp {\n\n${declarations}\n")
  string(APPEND text "std::vector<const Strategy*> registered_strategies() {\n  return {\n${entries}  };\n}\n\n}  // namespace steptp\n")
  file(GENERATE OUTPUT ${output} CONTENT "${text}")
endfunction()

function(steptp_add_registry target)
  steptp_strategy_names(${PROJECT_SOURCE_DIR} names)
  steptp_write_registry(${PROJECT_BINARY_DIR}/registry.cpp ${names})
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/registry.cpp)
endfunction()

# Writes the registry of these moves.
function(steptp_write_moves output)
  set(declarations "")
  set(entries "")
  foreach(name IN LISTS ARGN)
    string(APPEND declarations "const Move& ${name}_move();\n")
    string(APPEND entries "      &${name}_move(),\n")
  endforeach()
  set(text "// Generated by cmake/Layers.cmake from the files in steptp/moves/catalogue/.\n")
  string(APPEND text "#include \"steptp/plans/registry.h\"\n\nnamespace steptp {\n\n${declarations}\n")
  string(APPEND text "std::vector<const Move*> registered_moves() {\n  return {\n${entries}  };\n}\n\n}  // namespace steptp\n")
  file(GENERATE OUTPUT ${output} CONTENT "${text}")
endfunction()

# All moves, from the files in steptp/moves/catalogue/: NAME.cpp defines `const Move& NAME_move()` and has its
# NAME_test.cpp beside it, or the configure step stops.
function(steptp_add_moves target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/steptp/moves/catalogue/*.cpp)
  set(names "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    if(NOT name MATCHES "_test$")
      list(APPEND names ${name})
      string(REPLACE ".cpp" "_test.cpp" test ${file})
      if(NOT EXISTS ${test})
        message(FATAL_ERROR "the move ${name} has no test: ${test} is missing")
      endif()
    endif()
  endforeach()
  list(SORT names)
  steptp_write_moves(${PROJECT_BINARY_DIR}/moves.cpp ${names})
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/moves.cpp)
endfunction()

# The words of strategies (steptp/strategies/*/NAME.words, and those that all share), taken in whole.
function(steptp_add_words target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/steptp/strategies/*/*.words)
  set(texts "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS files ITEMS ${PROJECT_SOURCE_DIR}/steptp/reasoning/shared.words)
    get_filename_component(name ${file} NAME_WE)
    if(file MATCHES "/reasoning/shared\\.words$")
      set(name "")
    endif()
    string(APPEND texts "TAKE_IN(${number}, \"${file}\")\n")
    string(APPEND entries "      {\"${name}\", text_between(words_${number}_begin, words_${number}_end)},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  list(APPEND files ${PROJECT_SOURCE_DIR}/steptp/reasoning/shared.words)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/words_files.cpp @ONLY
       CONTENT "// Generated by cmake/Layers.cmake from the files *.words in steptp/strategies/.
#include <array>

#include \"steptp/reasoning/words.h\"

#define TAKE_IN(number, path) \\
  __asm__(\".section .rodata\\nwords_\" #number \"_begin:\\n.incbin \\\"\" path \"\\\"\\nwords_\" #number \"_end:\\n.byte 0\\n.previous\\n\"); \\
  extern \"C\" { \\
  extern const char words_##number##_begin[] __attribute__((visibility(\"hidden\"))); \\
  extern const char words_##number##_end[] __attribute__((visibility(\"hidden\"))); \\
  }
@texts@
namespace steptp {

static std::string_view text_between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::span<const WordsFile> words_files() {
  static const std::array<WordsFile, @number@> files = {{
@entries@  }};
  return files;
}

}  // namespace steptp
")
  set_source_files_properties(${PROJECT_BINARY_DIR}/words_files.cpp PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/words_files.cpp)
endfunction()

# Tests of the house itself: layers, pages, functions that nobody uses and those that are too long, and the scripts that
# check them.
function(steptp_add_house_tests)
  find_program(STEPTP_PYTHON3 NAMES python3 REQUIRED)
  foreach(pair layers:check_layers.py layers_must_fail:test_check_layers.py registry_must_fail:test_registry.py
               unused:find_unused.py unused_must_fail:test_find_unused.py sizes:check_sizes.py sizes_must_fail:test_check_sizes.py
               guides:check_guides.py guides_must_fail:test_check_guides.py
               batches_must_fail:test_make_batches.py laws_must_fail:test_break_laws.py
               results:make_results.py results_must_fail:test_make_results.py)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 script)
    add_test(NAME ${name} COMMAND ${STEPTP_PYTHON3} tools/${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
  # Every law has a row and a way to break it; breaking them all is for `make soak`.
  add_test(NAME laws COMMAND ${STEPTP_PYTHON3} tools/break_laws --check WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
