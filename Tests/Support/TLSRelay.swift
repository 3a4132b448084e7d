import Foundation

/// haproxy between a client and a server on this host: it encrypts or decrypts a connection and passes on every byte.
///
/// With one on each side, a ``FaultyProxy`` reads the requests between a client and a server that both require TLS.
public final class TLSRelay: Sendable {
  /// The treatment of a connection.
  public enum Direction: Sendable {
    /// TLS arrives and plain text goes on. The file has a certificate and its key.
    case decrypting(certificate: String)
    /// Plain text arrives and TLS goes on.
    case encrypting
  }

  /// The port on which it listens.
  public let port: UInt16
  private let process = Process()
  private let folder: TemporaryDirectory

  /// Starts a relay to a port of the loopback address.
  public init(_ direction: Direction, to server: UInt16) throws {
    folder = try TemporaryDirectory()
    // The program cannot choose a port and tell which.
    port = try SilentPort().number
    let (bind, upstream) =
      switch direction {
      case .decrypting(let certificate): (" ssl crt \(certificate)", "")
      case .encrypting: ("", " ssl verify none")
      }
    let configuration = folder.path("configuration")
    try Data(
      """
      global
        maxconn 256
      defaults
        mode tcp
        timeout connect 5s
        timeout client 600s
        timeout server 600s
      listen relay
        bind 127.0.0.1:\(port)\(bind)
        server upstream 127.0.0.1:\(server)\(upstream)

      """.utf8
    ).write(to: URL(filePath: configuration))
    process.executableURL = URL(filePath: "/usr/sbin/haproxy")
    process.arguments = ["-db", "-f", configuration]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    while process.isRunning, (try? RawConnection(port: port)) == nil { usleep(20_000) }
    guard process.isRunning else { throw Stopped() }
  }

  /// haproxy ended right after it was started.
  public struct Stopped: Error {}

  deinit {
    // A test's thread may have SIGTERM blocked, and so have the programs that it starts.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
