# The instruction sets that each ISA file is compiled for. Flags belong to the one file: see backends/register.h.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i[3-6]86)$")
  set_source_files_properties(backends/instruction/aesni.cpp PROPERTIES COMPILE_OPTIONS "-maes;-mssse3;-msse4.1")
endif()
