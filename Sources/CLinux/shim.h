#pragma once

#include <stddef.h>
#include <stdint.h>

/* Functions that glibc has and Swift's Glibc module lacks, under our own names. Their headers would need _GNU_SOURCE,
   and would then define types differently from other modules. */
extern int sheaf_spawn_close_from(void *file_actions, int from)
    __asm__("posix_spawn_file_actions_addclosefrom_np");
extern int sheaf_prctl(int option, ...) __asm__("prctl");

/* The kernel kills the calling process when the thread that started it ends (PR_SET_PDEATHSIG, SIGKILL). */
static inline int sheaf_die_with_parent(void) { return sheaf_prctl(1, 9UL); }

/* Prevents core dumps of the calling process, and reads of its memory by its user's other processes
   (PR_SET_DUMPABLE, 0). */
static inline int sheaf_leave_no_dump(void) { return sheaf_prctl(4, 0UL, 0UL, 0UL, 0UL); }

/* Whether the calling process may leave a core dump (PR_GET_DUMPABLE). */
static inline int sheaf_leaves_dump(void) { return sheaf_prctl(3, 0UL, 0UL, 0UL, 0UL); }

/* Permanently prevents programs that the calling process runs from gaining privileges (PR_SET_NO_NEW_PRIVS). */
static inline int sheaf_gain_no_privileges(void) { return sheaf_prctl(38, 1UL, 0UL, 0UL, 0UL); }

extern int sheaf_prlimit(int process, int resource, const void *new_limits, uint64_t *old_limits)
    __asm__("prlimit");

/* The seconds of processor time after which a process gets SIGXCPU (the soft RLIMIT_CPU); UINT64_MAX if there is no
   limit or no such process. Available until the process is waited for. */
static inline uint64_t sheaf_processor_limit(int process) {
  uint64_t limits[2] = {UINT64_MAX, UINT64_MAX};
  return sheaf_prlimit(process, 0, NULL, limits) == 0 ? limits[0] : UINT64_MAX;
}

extern void (*sheaf_signal(int number, void (*handler)(int)))(int) __asm__("signal");
extern int sheaf_fork(void) __asm__("fork");
extern int sheaf_raise(int number) __asm__("raise");
extern void sheaf_exit_now(int code) __asm__("_exit");
extern int *sheaf_error_number(void) __asm__("__errno_location");

/* The exit code of a process that crashes after it ran out of memory. errno stays ENOMEM until another call fails, so
   the crash may have another cause. */
enum { sheaf_code_without_memory = 77 };

static inline void sheaf_crash(int number) {
  if (*sheaf_error_number() == 12) sheaf_exit_now(sheaf_code_without_memory); /* ENOMEM */
  sheaf_signal(number, (void (*)(int))0);
  sheaf_raise(number);
}

/* Makes the calling process exit with that code if it crashes after it ran out of memory, which makes Swift, GLib and
   Rust crash. The signals are SIGILL, SIGTRAP, SIGABRT and SIGSEGV. */
static inline void sheaf_end_without_memory(void) {
  sheaf_signal(4, sheaf_crash);
  sheaf_signal(5, sheaf_crash);
  sheaf_signal(6, sheaf_crash);
  sheaf_signal(11, sheaf_crash);
}

extern int sheaf_mallopt(int parameter, int value) __asm__("mallopt");

/* Makes all threads allocate from one heap (M_ARENA_MAX). Free memory beyond 1 MiB at its end is returned to the system
   (M_TRIM_THRESHOLD). */
static inline void sheaf_use_one_heap(void) {
  sheaf_mallopt(-8, 1);
  sheaf_mallopt(-1, 1 << 20);
}

/* Makes threads allocate from two heaps. Blocks of at least 256 KiB are mapped, and returned to the system when they
   are freed (M_MMAP_THRESHOLD); by default, glibc raises that threshold after the first. */
static inline void sheaf_use_two_heaps(void) {
  sheaf_mallopt(-8, 2);
  sheaf_mallopt(-1, 1 << 20);
  sheaf_mallopt(-3, 256 << 10);
}

extern long sheaf_syscall(long number, ...) __asm__("syscall");

/* The scope of a set of Landlock rules (struct landlock_ruleset_attr): files since version 1, the network since
   version 4, other processes since version 6. */
struct sheaf_landlock_scope {
  uint64_t files;
  uint64_t network;
  uint64_t processes;
};

/* The kernel's version of Landlock; negative if the kernel does not have Landlock. */
static inline int sheaf_landlock_version(void) { return (int)sheaf_syscall(444L, (void *)0, 0UL, 1UL); }

/* Creates a set of rules, which allow nothing in their scope yet, and returns its descriptor. */
static inline int sheaf_landlock_create(const struct sheaf_landlock_scope *scope, int version) {
  size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
  return (int)sheaf_syscall(444L, scope, size, 0UL);
}

/* Allows access to the file or directory of a descriptor, and to everything in it. */
static inline int sheaf_landlock_allow(int rules, uint64_t access, int place) {
  struct __attribute__((packed)) {
    uint64_t access;
    int32_t place;
  } beneath = {access, place};
  return (int)sheaf_syscall(445L, (long)rules, 1L, &beneath, 0L);
}

/* Permanently applies the rules to the calling thread and the threads that it starts later. */
static inline int sheaf_landlock_enter(int rules) { return (int)sheaf_syscall(446L, (long)rules, 0L); }
