#include "sheaf_process.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int sheaf_fork(void) { return fork(); }

int sheaf_fork_sibling(void) {
  /* glibc stores the id of each thread, and only its own fork() updates it. */
  int *id = NULL;
  if (prctl(PR_GET_TID_ADDRESS, &id, 0UL, 0UL, 0UL) < 0) return -1;
  unsigned long flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  /* Not clone3, which container runtimes forbid. Processors differ in which of the last two arguments is the id's
     address; the other one, thread-local storage, is ignored. */
  return (int)syscall(SYS_clone, flags, 0UL, 0UL, id, id);
}

void sheaf_keep_environment(int (*is_kept)(const char *name)) {
  if (environ == NULL) return;
  char **end = environ;
  for (char **entry = environ; *entry != NULL; entry++) {
    char *name = *entry, *sign = strchr(name, '=');
    int keeps = 0;
    if (sign != NULL) {
      *sign = 0;
      keeps = is_kept(name);
      *sign = '=';
    }
    if (keeps)
      *end++ = name;
    else
      explicit_bzero(name, strlen(name));
  }
  *end = NULL;
}

void sheaf_show_arguments(char **arguments, const char *shown, size_t count) {
  /* The kernel puts them next to each other. Their place is found once, because the first call overwrites them. */
  static char *start, *end;
  if (start == NULL) {
    start = end = arguments[0];
    for (char **argument = arguments; *argument != NULL && *argument == end; argument++) end += strlen(end) + 1;
  }
  size_t room = (size_t)(end - start);
  if (room == 0) return;
  if (count > room - 1) count = room - 1;
  memcpy(start, shown, count);
  memset(start + count, 0, room - count);
}

int sheaf_set_name(const char *name) { return prctl(PR_SET_NAME, name); }

int sheaf_close_from(int from) { return (int)syscall(SYS_close_range, (unsigned)from, ~0U, 0U); }

int sheaf_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL); }

int sheaf_leave_no_dump(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

int sheaf_leaves_dump(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

int sheaf_gain_no_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL); }

void sheaf_learn_endings(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

uint64_t sheaf_reached_processor_limit(int process) {
  struct rlimit limit;
  if (prlimit(process, RLIMIT_CPU, NULL, &limit) < 0 || limit.rlim_cur < limit.rlim_max) return UINT64_MAX;
  return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
}
