#include "sheaf_landlock.h"

#include <linux/landlock.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int sheaf_landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0UL, (unsigned long)LANDLOCK_CREATE_RULESET_VERSION);
}

int sheaf_landlock_create(const struct sheaf_landlock_scope *scope, int version) {
  /* A kernel rejects an attribute that it does not know. */
  size_t size = version < 4   ? offsetof(struct sheaf_landlock_scope, network)
                : version < 6 ? offsetof(struct sheaf_landlock_scope, processes)
                              : sizeof *scope;
  return (int)syscall(SYS_landlock_create_ruleset, scope, size, 0UL);
}

int sheaf_landlock_allow(int rules, uint64_t access, int place) {
  struct landlock_path_beneath_attr beneath = {.allowed_access = access, .parent_fd = place};
  return (int)syscall(SYS_landlock_add_rule, (long)rules, (long)LANDLOCK_RULE_PATH_BENEATH, &beneath, 0UL);
}

int sheaf_landlock_enter(int rules) { return (int)syscall(SYS_landlock_restrict_self, (long)rules, 0UL); }
