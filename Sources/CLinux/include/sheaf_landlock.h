#pragma once

#include <stdint.h>

/* Landlock, for which glibc has no functions. Each call except the first returns a negative number with errno if it
   fails. */

/* The scope of a set of Landlock rules (struct landlock_ruleset_attr): files since version 1, the network since
   version 4, other processes since version 6. */
struct sheaf_landlock_scope {
  uint64_t files;
  uint64_t network;
  uint64_t processes;
};

/* The kernel's version of Landlock; negative if the kernel does not have Landlock. */
int sheaf_landlock_version(void);

/* Creates a set of rules, which allow nothing in their scope yet, and returns its descriptor. */
int sheaf_landlock_create(const struct sheaf_landlock_scope *scope, int version);

/* Allows access to the file or directory of a descriptor, and to everything in it. */
int sheaf_landlock_allow(int rules, uint64_t access, int place);

/* Permanently applies the rules to the calling thread and the threads that it starts later. */
int sheaf_landlock_enter(int rules);
