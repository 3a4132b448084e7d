import CLinux
import Glibc

/// Pairs of connected descriptors. A child inherits one only if it is given it (``Spawn/descriptors``).
///
/// They are closed on `exec` from the start. If they were marked afterwards, a child that another thread starts in
/// between would inherit them, and its copies would keep the other end from seeing the end of the stream.
public enum Descriptors {
  /// Creates a pipe.
  public static func pipe() throws(ProcessError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard sheaf_pipe(&ends) == 0 else { throw ProcessError("cannot create a pipe", errno) }
    return (ends[0], ends[1])
  }

  /// Creates two connected stream sockets.
  public static func socketPair() throws(ProcessError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard sheaf_socket_pair(&ends) == 0 else {
      throw ProcessError("cannot create a socket pair", errno)
    }
    return (ends[0], ends[1])
  }

  /// Copies up to `count` bytes from the position of one file to that of another. The kernel copies them, or lets the
  /// files share them if the file system can. Returns the number of bytes, 0 at the end of the file, or a negative number
  /// with `errno`.
  public static func copy(_ count: Int, from source: Int32, to target: Int32) -> Int {
    sheaf_copy_range(source, target, count)
  }

  /// Accepts a connection of a listening socket. Returns a negative number with `errno` if there is none.
  public static func accept(from listener: Int32) -> Int32 { sheaf_accept(listener) }
}
