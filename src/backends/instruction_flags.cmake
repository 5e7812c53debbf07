# The instruction sets that each ISA file is compiled for. Flags belong to the one file: see backends/register.h.
#
# No exceptions: a file that cannot throw has no weak symbol for them. No vectoriser: the intrinsics say what is a
# vector, and what else the file holds should not become one.
#
# The update functions are as fast at -O2 as at -O3, with both compilers: their loops are unrolled by templates
# (each() in modes/engine.h). So they get the optimisation level of the build.
set(AESGATE_ISA_FILES)
function(aesgate_isa_file file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
                              "${ARGN};-fno-exceptions;-fno-tree-vectorize;-fno-tree-slp-vectorize")
  list(APPEND AESGATE_ISA_FILES ${file})
  set(AESGATE_ISA_FILES ${AESGATE_ISA_FILES} PARENT_SCOPE)
endfunction()

# Feature::avx512. gcc 12's own header initialises a variable with itself (GCC bug 105593).
set(AESGATE_AVX512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vbmi -Wno-uninitialized)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i[3-6]86)$")
  aesgate_isa_file(backends/instruction/aesni.cpp -maes -mssse3 -msse4.1)
  aesgate_isa_file(backends/software/bitslice/avx2.cpp -mavx2)
  aesgate_isa_file(backends/software/bitslice/avx512.cpp ${AESGATE_AVX512})
  aesgate_isa_file(backends/software/vperm/ssse3.cpp -mssse3)
  aesgate_isa_file(backends/software/vperm/avx512.cpp ${AESGATE_AVX512})
endif()
