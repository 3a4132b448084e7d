#include "sheaf_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

int sheaf_open_path(const char *path) { return open(path, O_PATH | O_CLOEXEC); }

int sheaf_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int sheaf_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

int sheaf_open_unnamed(const char *folder) { return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

int sheaf_name_file(int file, const char *path) {
  char own[32];
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int sheaf_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

/* A control message with one descriptor. */
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

long sheaf_send_passing(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

long sheaf_receive_passed(int socket, void *bytes, size_t count, int *descriptor) {
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  union control control;
  /* Without the padding of CMSG_SPACE, into which the kernel would put a second descriptor. */
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = CMSG_LEN(sizeof(int))};
  *descriptor = -1;
  long received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (received >= 0 && message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
      control.header.cmsg_level == SOL_SOCKET && control.header.cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(&control.header), sizeof *descriptor);
  return received;
}

int sheaf_abstract_socket(const char *name, bool listens) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  /* An abstract name begins with a zero byte, and ends with the address. */
  memcpy(address.sun_path + 1, name, length);
  socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + length;
  int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (opened < 0) return -1;
  const struct sockaddr *place = (const struct sockaddr *)&address;
  bool works = listens ? bind(opened, place, size) == 0 && listen(opened, 16) == 0 : connect(opened, place, size) == 0;
  if (works) return opened;
  int number = errno;
  close(opened);
  errno = number;
  return -1;
}

int64_t sheaf_peer_user(int socket) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int64_t)peer.uid : -1;
}

long sheaf_copy_range(int from, int to, size_t count) {
  long copied = copy_file_range(from, NULL, to, NULL, count, 0);
  /* Some file systems do not support it, and many do not between file systems. */
  if (copied >= 0 || (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)) return copied;
  return sendfile(to, from, NULL, count);
}
