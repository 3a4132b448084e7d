import CLinux
import Foundation

/// A socket at which a process takes open files that other processes of its user on the same host pass to it.
///
/// It is an abstract UNIX socket with a random name. It leaves no file behind, and only processes in the same network
/// namespace reach it. Both sides check the other's user, because all users can see such names.
public final class FilePassage: Sendable {
  /// The name, to be told to the process that passes a file.
  public let name: String
  private let listener: Int32

  private static let prefix = "sheaf-"

  /// Creates a socket.
  public init() throws(ProcessError) {
    name = String(UInt64.random(in: .min ... .max), radix: 16)
    listener = sheaf_abstract_socket(Self.prefix + name, true)
    guard listener >= 0 else { throw ProcessError("cannot create a socket", errno) }
  }

  deinit { close(listener) }

  /// The first file that was passed, for the caller to close; `nil` if there is none. Does not wait.
  public func take() -> Int32? {
    while true {
      let connection = sheaf_accept(listener)
      guard connection >= 0 else { return nil }
      defer { close(connection) }
      var (byte, passed): (UInt8, Int32) = (0, -1)
      guard Self.isOwn(connection), sheaf_receive_passed(connection, &byte, 1, &passed) == 1,
        passed >= 0
      else { continue }
      return passed
    }
  }

  /// Passes an open file to the process that takes files under a name. Does not wait.
  ///
  /// - Returns: whether it was passed. If not, there is no such process of this user.
  public static func pass(_ descriptor: Int32, to name: String) -> Bool {
    guard name.utf8.count <= 64 else { return false }
    let connection = sheaf_abstract_socket(prefix + name, false)
    guard connection >= 0 else { return false }
    defer { close(connection) }
    var byte: UInt8 = 1
    return isOwn(connection) && sheaf_send_passing(connection, &byte, 1, descriptor) == 1
  }

  /// Whether a connection's other end belongs to this process's user.
  private static func isOwn(_ connection: Int32) -> Bool {
    sheaf_peer_user(connection) == Int64(geteuid())
  }
}
