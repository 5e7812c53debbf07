// An ISA file as it must not be, for the test of isa_symbols.cmake: it takes an inline function from a shared header
// that is emitted here, and the linker might keep this copy for everybody.

#include <string>

__attribute__((used)) static std::string leak(const char* text) { return std::string(text) + text; }
