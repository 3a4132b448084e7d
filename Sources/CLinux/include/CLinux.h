#pragma once

/* What Linux and glibc have and Swift's Glibc module lacks. Each function is implemented with the system's own headers
   and _GNU_SOURCE; these headers need neither, so that they define no type differently from other modules. */

#include "sheaf_crash.h"
#include "sheaf_descriptors.h"
#include "sheaf_heap.h"
#include "sheaf_landlock.h"
#include "sheaf_process.h"
#include "sheaf_spawn.h"
