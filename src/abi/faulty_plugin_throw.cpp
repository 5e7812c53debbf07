// What C cannot do, for faulty_plugin.c.

#include <stdexcept>

extern "C" void throw_an_exception();

void throw_an_exception() { throw std::runtime_error("planted"); }
