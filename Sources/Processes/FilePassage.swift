import CLinux
import Foundation

/// A socket on which a process takes open files that other processes of its user on the same host pass to it.
///
/// It is an abstract UNIX socket with a random name. It leaves no file behind, and only processes in the same network
/// namespace reach it. All users can see its name, so both sides check the other's user. Another user may also be able to
/// make a process of this user pass some other file, so each file comes with a note that tells which one it is.
public final class FilePassage: Sendable {
  /// The name, to be told to the process that passes a file.
  public let name: String
  private let listener: Int32

  private static let prefix = "sheaf-"
  /// The maximum size of a note in bytes.
  private static let noteSize = 128
  /// The number of files that can wait to be taken.
  private static let backlog = 16

  /// Creates a socket.
  public init() throws(ProcessError) {
    name = String(UInt64.random(in: .min ... .max), radix: 16)
    listener = sheaf_abstract_socket(Self.prefix + name, true)
    guard listener >= 0 else { throw ProcessError("cannot create a socket", errno) }
  }

  deinit { close(listener) }

  /// The first file that was passed with a note, for the caller to close; `nil` if there is none. Files with other notes
  /// are closed. Does not wait.
  public func take(_ note: String) -> Int32? {
    for _ in 0..<Self.backlog {
      let connection = sheaf_accept(listener)
      guard connection >= 0 else { return nil }
      defer { close(connection) }
      guard Self.isOwn(connection) else { continue }
      var bytes = [UInt8](repeating: 0, count: Self.noteSize + 1)
      var passed: Int32 = -1
      let count = sheaf_receive_passed(connection, &bytes, bytes.count, &passed)
      if passed >= 0, bytes.prefix(max(0, count)).elementsEqual(note.utf8) { return passed }
      if passed >= 0 { close(passed) }
    }
    return nil
  }

  /// Passes an open file to the process that takes files under a name. Does not wait.
  ///
  /// - Parameter note: 1 to 128 bytes of UTF-8.
  /// - Returns: whether it was passed. If not, there is no such process of this user.
  public static func pass(_ descriptor: Int32, to name: String, note: String) -> Bool {
    let bytes = Array(note.utf8)
    guard name.utf8.count <= 64, (1...noteSize).contains(bytes.count) else { return false }
    let connection = sheaf_abstract_socket(prefix + name, false)
    guard connection >= 0 else { return false }
    defer { close(connection) }
    return isOwn(connection)
      && sheaf_send_passing(connection, bytes, bytes.count, descriptor) == bytes.count
  }

  /// Whether a connection's other end belongs to this process's user.
  private static func isOwn(_ connection: Int32) -> Bool {
    sheaf_peer_user(connection) == Int64(geteuid())
  }
}
