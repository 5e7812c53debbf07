# The instruction sets that each ISA file is compiled for. Flags belong to the one file: see backends/register.h.
#
# No exceptions: a file that cannot throw has no weak symbol for them. No vectoriser: the intrinsics say what is a
# vector, and what else the file holds should not become one.
#
# At -O2 both compilers come within 1.02 of the floor in ECB, CBC and CFB128: loops are unrolled by templates (each() in
# modes/engine.h). So these files get the optimisation level of the build.
#
# In the builds with sanitizers (clang): no -fsanitize=function, which emits weak type information for every function
# type; and none of UBSan's checks of each pointer before it is used, four fifths of the time that these files took to
# compile (aesni.cpp 44 s of CPU time, 10.5 s without, 6.4 s without any sanitizer), since vectors are in memory in every
# line. AddressSanitizer stays, as do the other checks and libFuzzer's coverage. What is not seen so is misalignment,
# which the intrinsics for aligned access fault on, and a pointer past an end that is never used.
set(AESGATE_ISA_FILES)
set(AESGATE_ISA_OPTIONS -fno-exceptions -fno-tree-vectorize -fno-tree-slp-vectorize
                        $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function,alignment,null,object-size,pointer-overflow,vptr>)
function(aesgate_isa_file file)
  if("-mavx512f" IN_LIST ARGN AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # gcc 12's own AVX-512 intrinsics set a vector that they want undefined to itself, and it warns of that (PR 105593).
    list(APPEND ARGN -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN};${AESGATE_ISA_OPTIONS}")
  list(APPEND AESGATE_ISA_FILES ${file})
  set(AESGATE_ISA_FILES ${AESGATE_ISA_FILES} PARENT_SCOPE)
endfunction()

set(AESGATE_AVX512 -mavx2 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vbmi)  # Feature::avx512

# A Boolean circuit has more live values than there are registers, and gcc keeps the order of the source unless told to
# look at the pressure on them: bitslice over AVX-512, ECB of 16 KiB, 1.15 cycles/byte without these and 1.05 with them,
# decryption 1.73 and 1.22 (gcc 12 on Zen 5; clang 14, which does so by itself: 0.96 and 1.12).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(AESGATE_CIRCUIT -fschedule-insns -fsched-pressure)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i[3-6]86)$")
  aesgate_isa_file(backends/instruction/aesni.cpp -maes -mssse3 -msse4.1)
  aesgate_isa_file(backends/instruction/gfni/avx2.cpp -mgfni -mavx2)
  aesgate_isa_file(backends/instruction/gfni/avx512.cpp -mgfni ${AESGATE_AVX512})
  aesgate_isa_file(backends/instruction/vaes256.cpp -mvaes -maes -mavx2)
  # Without the option gcc 12 goes through the texts with a pointer for each: CFB128 decryption is then at 1.03 to 1.05 of
  # the floor on Zen 5, and with it at 1.00 to 1.02.
  aesgate_isa_file(backends/instruction/vaes512.cpp -mvaes -maes ${AESGATE_AVX512}
                   $<$<CXX_COMPILER_ID:GNU>:-fno-ivopts>)
  aesgate_isa_file(backends/software/bitslice/avx2.cpp -mavx2 ${AESGATE_CIRCUIT})
  aesgate_isa_file(backends/software/bitslice/avx512.cpp ${AESGATE_AVX512} ${AESGATE_CIRCUIT})
  aesgate_isa_file(backends/software/vperm/ssse3.cpp -mssse3)
  aesgate_isa_file(backends/software/vperm/avx512.cpp ${AESGATE_AVX512})
endif()
