# cmake -DNM=… -DOBJECTS=… -P isa_symbols.cmake: fails if an object file of OBJECTS (a list) defines a symbol that is weak,
# unique or global. Where two files define such a symbol the linker keeps one, and from an ISA file that could be one
# with instructions that this CPU lacks (src/DESIGN.md).
set(bad "")
if(NOT OBJECTS)
  message(FATAL_ERROR "no object file to look at")
endif()
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -P -C ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR symbols STREQUAL "")
    message(FATAL_ERROR "${object}: ${NM} failed or found no symbol")
  endif()
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    # "NAME TYPE VALUE SIZE"; NAME has blanks when demangled. Upper case is global, w and v weak, u unique.
    if(symbol MATCHES "^(.*) ([A-TV-Zuvw]) [0-9a-f]+ *[0-9a-f]*$")
      string(APPEND bad "\n  ${object}: ${CMAKE_MATCH_1} (${CMAKE_MATCH_2})")
    endif()
  endforeach()
endforeach()
if(bad)
  message(FATAL_ERROR "An ISA file defines symbols that are not its own alone; give them internal linkage:${bad}")
endif()
