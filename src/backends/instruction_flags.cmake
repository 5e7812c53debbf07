# The instruction sets that each ISA file is compiled for. Flags belong to the one file: see backends/register.h.
#
# No exceptions: a file that cannot throw has no weak symbol for them. No vectoriser: the intrinsics say what is a
# vector, and what else the file holds should not become one.
#
# At -O2 both compilers come within 1.02 of the floor in ECB, CBC and CFB128: loops are unrolled by templates (each() in
# modes/engine.h). So these files get the optimisation level of the build.
#
# No -fsanitize=function (clang, in the builds with sanitizers): it emits weak type information for every function type.
set(AESGATE_ISA_FILES)
set(AESGATE_ISA_OPTIONS -fno-exceptions -fno-tree-vectorize -fno-tree-slp-vectorize
                        $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
function(aesgate_isa_file file)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN};${AESGATE_ISA_OPTIONS}")
  list(APPEND AESGATE_ISA_FILES ${file})
  set(AESGATE_ISA_FILES ${AESGATE_ISA_FILES} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i[3-6]86)$")
  aesgate_isa_file(backends/instruction/aesni.cpp -maes -mssse3 -msse4.1)
endif()
