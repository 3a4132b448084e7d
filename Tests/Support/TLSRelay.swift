/// haproxy between a client and a server on this host: it encrypts or decrypts a connection and passes on every byte.
///
/// With one on each side, a ``FaultyProxy`` reads the requests between a client and a server that both require TLS.
public final class TLSRelay: Sendable {
  /// The treatment of a connection.
  public enum Direction: Sendable {
    /// Receives TLS and forwards plain text. The file contains a certificate and its key.
    case decrypting(certificate: String)
    /// Receives plain text and forwards TLS.
    case encrypting
  }

  private let program: LoopbackProgram

  /// The port on which it listens.
  public var port: UInt16 { program.port }

  /// Starts a relay to a port of the loopback address.
  public init(_ direction: Direction, to server: UInt16) throws {
    let (bind, upstream) =
      switch direction {
      case .decrypting(let certificate): (" ssl crt \(certificate)", "")
      case .encrypting: ("", " ssl verify none")
      }
    program = try LoopbackProgram(haproxy: { address in
      """
      global
        maxconn 256
      defaults
        mode tcp
        timeout connect 5s
        timeout client 600s
        timeout server 600s
      listen relay
        bind \(address)\(bind)
        server upstream 127.0.0.1:\(server)\(upstream)

      """
    })
  }
}
