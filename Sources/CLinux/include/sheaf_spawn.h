#pragma once

/* Parts of posix_spawn. `file_actions` is a posix_spawn_file_actions_t. Each returns 0 or an error number. */

/* Closes all descriptors from a number on in the child (posix_spawn_file_actions_addclosefrom_np). */
int sheaf_spawn_close_from(void *file_actions, int from);

/* Starts the child in a directory (posix_spawn_file_actions_addchdir_np). */
int sheaf_spawn_change_directory(void *file_actions, const char *path);
