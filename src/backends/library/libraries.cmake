# The library backends: each is built where its library is found, and stands in the list as "not built: …" where not.
find_package(PkgConfig QUIET)

# aesgate_library_backend(NAME PRODUCT [PKG MODULES...] [HEADER header LIBRARY names...])
# backends/library/NAME*.cpp need PRODUCT: the first of the pkg-config MODULES that is there, or else the header and
# the library by themselves.
function(aesgate_library_backend name product)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "HEADER" "PKG;LIBRARY")
  set(includes "")
  set(libraries "")
  if(PKG_CONFIG_FOUND)
    pkg_search_module(pkgconfig_${name} QUIET ${arg_PKG})
    set(includes ${pkgconfig_${name}_INCLUDE_DIRS})
    set(libraries ${pkgconfig_${name}_LINK_LIBRARIES})
  endif()
  if(NOT libraries AND arg_HEADER)
    find_path(AESGATE_${name}_INCLUDE ${arg_HEADER} DOC "The folder that has ${product}'s ${arg_HEADER}")
    find_library(AESGATE_${name}_LIBRARY NAMES ${arg_LIBRARY} DOC "${product}'s library")
    mark_as_advanced(AESGATE_${name}_INCLUDE AESGATE_${name}_LIBRARY)
    if(AESGATE_${name}_INCLUDE AND AESGATE_${name}_LIBRARY)
      set(includes ${AESGATE_${name}_INCLUDE})
      set(libraries ${AESGATE_${name}_LIBRARY})
    endif()
  endif()

  file(GLOB sources CONFIGURE_DEPENDS backends/library/${name}.cpp backends/library/${name}_*.cpp)
  if(libraries)
    target_include_directories(aesgate_backend_objects SYSTEM PRIVATE ${includes})
    target_include_directories(aesgate_backends SYSTEM INTERFACE ${includes})  # for the tests beside
    target_link_libraries(aesgate_backends INTERFACE ${libraries})
  else()
    message(STATUS "${product} was not found: backend ${name} will not be built")
    set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)  # in the list, not compiled
    configure_file(backends/library/not_built.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/not_built_${name}.cpp @ONLY)
    target_sources(aesgate_backend_objects PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/not_built_${name}.cpp)
  endif()
endfunction()

target_link_libraries(aesgate_backend_objects PRIVATE fmt::fmt tl::expected)

aesgate_library_backend(openssl "OpenSSL 3.0" PKG libcrypto>=3.0)
aesgate_library_backend(libgcrypt "libgcrypt 1.8" PKG libgcrypt>=1.8)
aesgate_library_backend(nettle "Nettle 3.8" PKG nettle>=3.8)
aesgate_library_backend(mbedtls "Mbed TLS" PKG mbedcrypto HEADER mbedtls/aes.h LIBRARY mbedcrypto)
aesgate_library_backend(botan Botan PKG botan-3 botan-2)
aesgate_library_backend(cryptopp Crypto++ PKG libcrypto++ libcryptopp cryptopp)
