# libaesgate_faults.so: backends that are wrong on purpose, for `aesgate faults`. A plugin, and never a part of aesgate.
file(GLOB fault_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(FILTER fault_sources EXCLUDE REGEX "_test\\.cpp$")
# The one backend that they are made of.
add_library(aesgate_faults MODULE ${fault_sources} ${PROJECT_SOURCE_DIR}/src/backends/software/ttable.cpp
                                  ${PROJECT_SOURCE_DIR}/src/backends/adapter.cpp)
target_include_directories(aesgate_faults PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(aesgate_faults PRIVATE aesgate_core)
# What is wrong here is so on purpose, and has to be seen by aesgate and not by a sanitizer. An exception passes
# functions of this library on its way out.
target_compile_options(aesgate_faults PRIVATE -fno-sanitize=all -fexceptions)
target_link_options(aesgate_faults PRIVATE LINKER:--as-needed
                    "LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/plugin.map")
set_target_properties(aesgate_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins
                                                LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/plugin.map)
install(TARGETS aesgate_faults LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/aesgate)
