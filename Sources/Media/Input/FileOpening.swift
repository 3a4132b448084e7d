import Glibc

/// Opens a file and returns its descriptor, or a negative number if that fails; `errno` then holds the reason.
///
/// A path `/proc/self/fd/N` names a descriptor of this process. It is duplicated, as `/dev/fd/N` is on other Unixes,
/// because a sandbox may keep the process from opening the file again.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
  let own = "/proc/self/fd/"
  guard path.hasPrefix(own), let number = Int32(path.dropFirst(own.count)) else {
    return open(path, flags | O_CLOEXEC, mode)
  }
  let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
  if descriptor >= 0, flags & O_TRUNC != 0, ftruncate(descriptor, 0) != 0 {
    let number = errno
    close(descriptor)
    errno = number
    return -1
  }
  return descriptor
}
