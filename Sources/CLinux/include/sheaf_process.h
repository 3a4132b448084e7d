#pragma once

#include <stddef.h>
#include <stdint.h>

/* Settings of processes. Those that can fail return 0, or -1 with errno. */

/* Copies the calling process (fork), which Swift forbids to call. Only a process with a single thread may call this.
   Returns the copy's id, 0 in the copy, or -1 with errno. */
int sheaf_fork(void);

/* Copies the calling process as another child of its parent (clone with CLONE_PARENT). Only a process with a single
   thread may call this. Handlers of pthread_atfork do not run. Returns the copy's id, 0 in the copy, or -1 with
   errno. */
int sheaf_fork_sibling(void);

/* Keeps only environment variables whose names `is_kept` accepts, and overwrites the bytes of the others, which the
   kernel shows in /proc. */
void sheaf_keep_environment(int (*is_kept)(const char *name));

/* Overwrites the arguments that /proc shows, which start at `arguments[0]`, by `count` bytes of other arguments, each with
   a zero at the end. They are cut off where the old ones end. */
void sheaf_show_arguments(char **arguments, const char *shown, size_t count);

/* Sets the name of the calling thread, of at most 15 bytes (PR_SET_NAME). Lists of processes show the first thread's
   name. */
int sheaf_set_name(const char *name);

/* Closes all descriptors from a number on (close_range). Returns 0, or -1 with errno. */
int sheaf_close_from(int from);

/* The kernel kills the calling process when the thread that started it ends (PR_SET_PDEATHSIG, SIGKILL). */
int sheaf_die_with_parent(void);

/* Prevents core dumps of the calling process, and reads of its memory by its user's other processes
   (PR_SET_DUMPABLE). */
int sheaf_leave_no_dump(void);

/* Returns 1 if the calling process may leave a core dump, otherwise 0 (PR_GET_DUMPABLE). */
int sheaf_leaves_dump(void);

/* Permanently prevents programs that the calling process runs from gaining privileges (PR_SET_NO_NEW_PRIVS). */
int sheaf_gain_no_privileges(void);

/* Lets the calling process learn how its children end. Programs inherit an ignored SIGCHLD, and the kernel then discards
   how children end. */
void sheaf_learn_endings(void);

/* The hard limit on a process's processor time (RLIMIT_CPU) in seconds, if its soft limit has reached it; otherwise
   UINT64_MAX. With each SIGXCPU, the kernel raises the soft limit by a second, so limits that were a second apart are then
   equal. Available until the process is waited for. */
uint64_t sheaf_reached_processor_limit(int process);
