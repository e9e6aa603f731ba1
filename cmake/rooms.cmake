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

# tandem_test(ROOM SOURCES ... LABELS ...): the unit tests of one room, one executable. Those with
# the label forced-kernels also run with TANDEM_TEST_KERNELS set to each kernel set in turn.
function(tandem_test room)
  cmake_parse_arguments(TEST "" "" "SOURCES;LABELS" ${ARGN})
  add_executable(${room}_test ${TEST_SOURCES})
  target_link_libraries(${room}_test PRIVATE tandem_${room} tandem_test_support)
  add_test(NAME ${room} COMMAND ${room}_test)
  set_tests_properties(${room} PROPERTIES LABELS "${TEST_LABELS}")
endfunction()
