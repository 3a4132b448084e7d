#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that programs do not inherit, from the moment in which they exist: a child that another thread starts at
   the same time would otherwise hold them open. */

/* Opens a file without access to its bytes, so that a program needs to be executable only (O_PATH). Returns its descriptor,
   which programs do not inherit, or -1 with errno. */
int sheaf_open_path(const char *path);

/* Creates a pipe, whose reading end comes first (pipe2 with O_CLOEXEC). Returns 0, or -1 with errno. */
int sheaf_pipe(int ends[2]);

/* Creates two connected stream sockets (socketpair with SOCK_CLOEXEC). Returns 0, or -1 with errno. */
int sheaf_socket_pair(int ends[2]);

/* Accepts a connection of a listening socket (accept4 with SOCK_CLOEXEC). Returns its descriptor, or -1 with errno. */
int sheaf_accept(int listener);

/* Creates a file without a name on the file system of a folder (O_TMPFILE). Returns its descriptor, or -1 with errno. */
int sheaf_open_unnamed(const char *folder);

/* Gives a file that has no name a name (linkat). Returns 0, or -1 with errno. */
int sheaf_name_file(int file, const char *path);

/* Sends bytes over a UNIX socket without waiting, and passes a descriptor with the first of them unless it is negative
   (SCM_RIGHTS). Returns the number of bytes that were sent, or -1 with errno. */
long sheaf_send_passing(int socket, const void *bytes, size_t count, int descriptor);

/* Receives bytes from a UNIX socket without waiting. Sets `descriptor` to the one that came with them, which programs do
   not inherit, or to -1. If several came, the kernel closes all but the first. Returns the number of bytes, 0 at the end
   of the stream, or -1 with errno. */
long sheaf_receive_passed(int socket, void *bytes, size_t count, int *descriptor);

/* Creates a socket that listens on an abstract name (unix(7)), or one that is connected to the socket that does. Returns
   its descriptor, or -1 with errno. Neither call blocks. */
int sheaf_abstract_socket(const char *name, bool listens);

/* The user of the process at the other end of a UNIX socket (SO_PEERCRED), or -1 with errno. */
int64_t sheaf_peer_user(int socket);

/* Copies up to `count` bytes between the positions of two files. They share the bytes if the file system can
   (copy_file_range). Returns the number of bytes, 0 at the end of the file, or -1 with errno. */
long sheaf_copy_range(int from, int to, size_t count);
