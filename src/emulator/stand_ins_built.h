#pragma once

/// AESGATE_STAND_INS: can stand_in.h's be built here? They need Linux with the headers of 5.14 or later, for the way in
/// which a supervisor gives a descriptor as the result of a call.
#if defined(__linux__) && __has_include(<linux/seccomp.h>) && __has_include(<linux/if_alg.h>)
#include <linux/seccomp.h>
#ifdef SECCOMP_ADDFD_FLAG_SEND
#define AESGATE_STAND_INS 1
#endif
#endif
#ifndef AESGATE_STAND_INS
#define AESGATE_STAND_INS 0
#endif
