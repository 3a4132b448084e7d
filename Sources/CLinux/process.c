#include "sheaf_process.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int sheaf_fork(void) { return fork(); }

int sheaf_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL); }

int sheaf_leave_no_dump(void) { return prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

int sheaf_leaves_dump(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

int sheaf_gain_no_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL); }

void sheaf_learn_endings(void) {
  struct sigaction action;
  if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) signal(SIGCHLD, SIG_DFL);
}

uint64_t sheaf_processor_limit(int process) {
  struct rlimit limit;
  return prlimit(process, RLIMIT_CPU, NULL, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}
