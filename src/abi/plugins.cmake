# Shared objects that are loaded with --plugin.

# The built-in backends as one plugin, so that two builds of them can be loaded side by side. It exports the one symbol
# that a plugin must, so that nothing else in it is mistaken for the program's.
add_library(aesgate_backends_plugin MODULE backends/plugin.cpp)
target_link_libraries(aesgate_backends_plugin PRIVATE aesgate_backends)
target_link_options(aesgate_backends_plugin PRIVATE
                    LINKER:--as-needed "LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/backends/plugin.map")
set_target_properties(aesgate_backends_plugin PROPERTIES OUTPUT_NAME aesgate_backends
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                      LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/backends/plugin.map)
install(TARGETS aesgate_backends_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/aesgate)

# A third party's backend, as one would write it: the one header, C99 to the letter, and no warning.
add_library(example_plugin MODULE abi/example_plugin.c)
set_target_properties(example_plugin PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
install(FILES abi/example_plugin.c DESTINATION ${CMAKE_INSTALL_DOCDIR})
target_compile_options(example_plugin PRIVATE -pedantic -Wstrict-prototypes -Wmissing-prototypes -Werror)

# Copies of it with a fault each (faulty_plugin.c), for the tests.
set(faults
    wrong_last_round wrong_tail iv_out partial_carry in_place accepts_any_length ignores_direction keeps_input stale_key
    over_read over_write input_write context_write heap_write null_read endless_recursion huge_context
    hang endless_loop exit_in_start exit_in_update silent_exit_in_update quick_exit_in_update kill_in_update
    crash_in_update_for crash_in_context_size fpe_in_start bus_in_start abort_in_finish
    trap_in_chaining_value throw_in_update
    close_descriptors write_to_descriptors prints child_left_behind child_that_returns
    crash_in_constructor exit_in_constructor hang_in_constructor crash_in_backends throw_in_backends crash_in_probe
    exit_in_probe hang_in_probe crash_in_configure
    wrong_abi tiny_struct short_struct null_array empty_array null_name bad_name null_kind bad_kind null_unit bad_unit
    null_description null_probe null_update_for null_context_size null_start null_finish zero_align odd_align
    same_name_twice)

add_custom_target(aesgate_plugins DEPENDS example_plugin aesgate_backends_plugin)
if(BUILD_TESTING)
  add_library(faulty_plugin_throw OBJECT abi/faulty_plugin_throw.cpp)
  foreach(fault IN LISTS faults)
    add_library(faulty_${fault} MODULE abi/faulty_plugin.c)
    target_link_libraries(faulty_${fault} PRIVATE faulty_plugin_throw)
    set_target_properties(faulty_${fault} PROPERTIES OUTPUT_NAME ${fault})
    target_compile_definitions(faulty_${fault} PRIVATE FAULT=${fault})
    # An exception passes the C code on its way out; and what is wrong here is so on purpose.
    target_compile_options(faulty_${fault} PRIVATE -fexceptions -w -fno-sanitize=all)
    list(APPEND faulty_targets faulty_${fault})
  endforeach()
  # Backends with a leak of the key each, for verify --constant-time. At -O1 a branch stays one. By its line, of
  # which valgrind 3.19 reads no DWARF 5 as clang writes it.
  add_library(leaky_plugin MODULE abi/leaky_plugin.c)
  target_compile_options(leaky_plugin PRIVATE -gdwarf-4 -O1)
  list(APPEND faulty_targets leaky_plugin)
  # A shared object that is no plugin.
  add_library(no_plugin MODULE abi/faulty_plugin_throw.cpp)
  list(APPEND faulty_targets no_plugin)
  set_target_properties(${faulty_targets} PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)
  add_dependencies(aesgate_plugins ${faulty_targets})
endif()
set_target_properties(example_plugin ${faulty_targets} PROPERTIES
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
