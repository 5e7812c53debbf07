# aesgate_oracle_cryptopp: the Crypto++ oracle in a shared object that holds a copy of Crypto++ of its own and exports one
# function (oracle_cryptopp.h says why). That takes the static library, and one compiled with -fPIC, as Debian's is.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_search_module(pkgconfig_cryptopp QUIET libcrypto++ libcryptopp cryptopp)
endif()
find_path(AESGATE_CRYPTOPP_INCLUDE cryptopp/modes.h HINTS ${pkgconfig_cryptopp_INCLUDE_DIRS}
          DOC "The folder that has cryptopp/modes.h")
find_library(AESGATE_CRYPTOPP_ARCHIVE NAMES libcryptopp.a libcrypto++.a HINTS ${pkgconfig_cryptopp_LIBRARY_DIRS}
             DOC "Crypto++'s static library, compiled with -fPIC")
if(NOT AESGATE_CRYPTOPP_INCLUDE OR NOT AESGATE_CRYPTOPP_ARCHIVE)
  message(FATAL_ERROR "aesgate needs Crypto++'s headers (found: ${AESGATE_CRYPTOPP_INCLUDE}) and its static library "
                      "libcryptopp.a (found: ${AESGATE_CRYPTOPP_ARCHIVE}): install libcrypto++-dev, or set "
                      "AESGATE_CRYPTOPP_INCLUDE and AESGATE_CRYPTOPP_ARCHIVE")
endif()

add_library(aesgate_oracle_cryptopp SHARED oracle/oracle_cryptopp.cpp)
target_include_directories(aesgate_oracle_cryptopp PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(aesgate_oracle_cryptopp SYSTEM PRIVATE ${AESGATE_CRYPTOPP_INCLUDE})
set(oracle_exports ${CMAKE_CURRENT_SOURCE_DIR}/oracle/oracle_cryptopp.map)
target_link_libraries(aesgate_oracle_cryptopp PRIVATE ${AESGATE_CRYPTOPP_ARCHIVE})
target_link_options(aesgate_oracle_cryptopp PRIVATE LINKER:--exclude-libs,ALL LINKER:--version-script=${oracle_exports})
set_target_properties(aesgate_oracle_cryptopp PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                                         LINK_DEPENDS ${oracle_exports})
target_link_libraries(aesgate_core PRIVATE aesgate_oracle_cryptopp)
install(TARGETS aesgate_oracle_cryptopp LIBRARY)
