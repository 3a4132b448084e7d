#include "sheaf_spawn.h"

#include <spawn.h>

int sheaf_spawn_close_from(void *file_actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(file_actions, from);
}

int sheaf_spawn_change_directory(void *file_actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(file_actions, path);
}
