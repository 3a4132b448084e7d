#pragma once

#include <seccomp.h>

// Macros that Swift cannot import.
static const uint32_t sheaf_seccomp_allow = SCMP_ACT_ALLOW;
static const uint32_t sheaf_seccomp_kill = SCMP_ACT_KILL_PROCESS;

static inline uint32_t sheaf_seccomp_refuse(uint16_t number) { return SCMP_ACT_ERRNO(number); }
