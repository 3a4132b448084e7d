/// The configuration of a server: its address, threads, limits and TLS.
public struct ServerConfiguration: Hashable, Sendable {
  /// The address or host name to listen on. `0.0.0.0` and `::` mean all addresses.
  public let address: String
  /// The port; 0 lets the system choose one.
  public let port: UInt16
  /// A listening socket to serve instead of the address and the port. The server takes it over.
  public let descriptor: Int32?
  /// The number of threads that serve connections.
  public let threads: Int
  /// The limits on clients.
  public let limits: ServerLimits
  /// The certificate and key for TLS; `nil` to serve without TLS.
  public let security: ServerSecurity?
  /// The lowercase host names that requests may be for; `nil` for any. Other requests are answered with 421.
  public let hosts: Set<String>?

  /// Creates a configuration.
  ///
  /// - Throws: ``ServerError`` if a value is out of range.
  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, descriptor: Int32? = nil, threads: Int = 2,
    limits: ServerLimits = ServerLimits(),
    security: ServerSecurity? = nil, hosts: Set<String>? = nil
  ) throws(ServerError) {
    guard (1...256).contains(threads) else {
      throw ServerError(.invalidConfiguration, "threads must be 1 to 256, not \(threads)")
    }
    guard limits.connections >= threads, limits.connectionsPerClient ?? 1 >= 1 else {
      throw ServerError(
        .invalidConfiguration,
        "connections must be at least \(threads), one for each thread, and at least 1 per client")
    }
    guard limits.idleTimeout >= .seconds(1), limits.headTimeout >= .seconds(1),
      limits.bodyTimeout >= .seconds(1)
    else { throw ServerError(.invalidConfiguration, "timeouts must be at least one second") }
    guard limits.headerBytes >= 4096, limits.targetBytes >= 1,
      limits.targetBytes < limits.headerBytes
    else {
      throw ServerError(
        .invalidConfiguration, "headerBytes must be at least 4096 and greater than targetBytes")
    }
    guard limits.bufferedBodyBytes >= 1 else {
      throw ServerError(.invalidConfiguration, "bufferedBodyBytes must be at least 1")
    }
    self.address = address
    self.port = port
    self.descriptor = descriptor
    self.threads = threads
    self.limits = limits
    self.security = security
    self.hosts = hosts
  }
}

/// The reason why a server cannot start.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A kind of failure.
  public struct Code: Hashable, Sendable {
    private enum Kind { case invalidConfiguration, cannotListen, cannotStart }
    private let kind: Kind

    /// The configuration is invalid.
    public static let invalidConfiguration = Code(kind: .invalidConfiguration)
    /// The server cannot listen on the address.
    public static let cannotListen = Code(kind: .cannotListen)
    /// The system has no threads or memory left, or the certificate and key are invalid.
    public static let cannotStart = Code(kind: .cannotStart)
  }

  /// The kind of failure.
  public let code: Code
  /// The problem, its subject, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
