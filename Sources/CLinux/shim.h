#pragma once

/* What glibc offers and Swift's Glibc module leaves out, under names of our own: the headers themselves would have
   to be read with _GNU_SOURCE, and then define types that other modules have otherwise. */
extern int sheaf_spawn_close_from(void *file_actions, int from)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
extern int sheaf_memfd_create(const char *name, unsigned int flags) __asm__("memfd_create");
extern int sheaf_prctl(int option, ...) __asm__("prctl");

/* The kernel kills the calling process when the thread that started it ends (PR_SET_PDEATHSIG, SIGKILL). */
static inline int sheaf_die_with_parent(void) { return sheaf_prctl(1, 9UL); }

/* Nothing that the calling process runs can gain privileges, for good (PR_SET_NO_NEW_PRIVS). */
static inline int sheaf_gain_no_privileges(void) { return sheaf_prctl(38, 1UL, 0UL, 0UL, 0UL); }

/* A file in memory that no child inherits (MFD_CLOEXEC). */
static inline int sheaf_memory_file(const char *name) { return sheaf_memfd_create(name, 1U); }

extern int sheaf_mallopt(int parameter, int value) __asm__("mallopt");

/* All threads allocate from one heap (M_ARENA_MAX), whose free end beyond 1 MiB goes back to the system
   (M_TRIM_THRESHOLD). */
static inline void sheaf_use_one_heap(void) {
  sheaf_mallopt(-8, 1);
  sheaf_mallopt(-1, 1 << 20);
}
