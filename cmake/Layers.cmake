# layers.txt is the single description of the layers: this file turns each line into a library and a test program,
# and tools/check_layers.py checks every #include against it.
#
#   layer <- layers it may include | system libraries it links
#
# Sources are steptp/<layer>/*.cpp; steptp/<layer>/*_test.cpp go into test_<layer>.

function(steptp_add_test target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE STEPTP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What is tested is optimised; the tests themselves need not be, and compile a quarter faster.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

function(steptp_add_layers file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines)
  set(all "")
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
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    if(NOT sources)
      message(FATAL_ERROR "layers.txt names '${layer}', but steptp/${layer} holds no source")
    endif()
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC steptp_options ${system})
    target_compile_definitions(${target} PRIVATE STEPTP_DATA_DIR="${PROJECT_SOURCE_DIR}/data")
    foreach(name IN LISTS below)
      string(REPLACE "/" "_" name ${name})
      target_link_libraries(${target} PUBLIC steptp_${name})
    endforeach()
    list(APPEND all ${target})
    if(STEPTP_TESTS AND tests)
      string(REPLACE "/" "_" test test_${layer})
      steptp_add_test(${test} SOURCES ${tests} LIBRARIES ${target})
    endif()
  endforeach()
  add_library(steptp_all INTERFACE)
  target_link_libraries(steptp_all INTERFACE ${all})
endfunction()

# Tests of the house itself: the layers, and the script that checks them.
function(steptp_add_house_tests)
  find_program(STEPTP_PYTHON3 NAMES python3 REQUIRED)
  add_test(NAME layers COMMAND ${STEPTP_PYTHON3} tools/check_layers.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME layers_must_fail COMMAND ${STEPTP_PYTHON3} tools/test_check_layers.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
