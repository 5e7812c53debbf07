#pragma once

#include "abi/aesgate_backend.h"

/// The one symbol of libaesgate_oracle_cryptopp.so: the Crypto++ oracle, valid until the process ends. The shared
/// object holds a copy of Crypto++ of its own, whose symbols nothing else sees: the CPU flags of Crypto++ are global,
/// and this copy is switched to portable code before its first key, which the copy of a backend under test must not be.
///
/// `data` is the name that Crypto++'s AlgorithmProvider() must give for AES, "C++" on the portable path; probe() fails
/// in words when it gives another.
extern "C" __attribute__((visibility("default"))) const aesgate_backend* aesgate_oracle_cryptopp(void);
