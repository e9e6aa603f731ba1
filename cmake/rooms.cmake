# tandem_room(NAME SOURCES ... DEPENDS ...): one folder of src/ is one static library.
# Sources are listed by name, so that a forgotten file is seen in review.
function(tandem_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_library(tandem_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(tandem_${name} PUBLIC tandem_options)
  foreach(room IN LISTS ROOM_DEPENDS)
    target_link_libraries(tandem_${name} PUBLIC tandem_${room})
  endforeach()
  target_link_libraries(tandem_${name} PUBLIC ${ROOM_LIBRARIES})
endfunction()

# tandem_unit_test(NAME SOURCES ... DEPENDS ... LABELS ...): an executable NAME_test and the test
# NAME, with the label unit. Those with the label forced-kernels also run with TANDEM_TEST_KERNELS
# set to each kernel set in turn.
function(tandem_unit_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${TEST_DEPENDS} tandem_test_support)
  add_dependencies(unit_tests ${name}_test)
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "unit;${TEST_LABELS}")
endfunction()

# tandem_test(ROOM SOURCES ... LABELS ...): the unit tests of one room, one executable.
function(tandem_test room)
  tandem_unit_test(${room} ${ARGN} DEPENDS tandem_${room})
endfunction()
