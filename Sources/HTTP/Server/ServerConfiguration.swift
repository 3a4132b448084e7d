/// How a server listens, and what it puts up with.
public struct ServerConfiguration: Hashable, Sendable {
  /// The address or host name to listen on; `0.0.0.0` and `::` are all of them.
  public let address: String
  /// The port; 0 lets the system choose one.
  public let port: UInt16
  /// The number of threads that serve connections.
  public let threads: Int
  /// The limits on clients.
  public let limits: ServerLimits
  /// The certificate to speak TLS with; `nil` for none.
  public let security: ServerSecurity?
  /// The lowercase host names that requests may be for; `nil` for any. Other requests are answered with 421.
  public let hosts: Set<String>?

  /// A configuration.
  ///
  /// - Throws: ``ServerError`` if a number makes no sense.
  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 2,
    limits: ServerLimits = ServerLimits(),
    security: ServerSecurity? = nil, hosts: Set<String>? = nil
  ) throws(ServerError) {
    guard (1...256).contains(threads) else {
      throw ServerError(.invalidConfiguration, "threads: 1 to 256, not \(threads)")
    }
    guard limits.connections >= threads, limits.connectionsPerClient ?? 1 >= 1 else {
      throw ServerError(
        .invalidConfiguration, "connections: at least one for each of \(threads) threads")
    }
    guard limits.idleTimeout >= .seconds(1), limits.headTimeout >= .seconds(1),
      limits.bodyTimeout >= .seconds(1)
    else { throw ServerError(.invalidConfiguration, "time-outs: at least one second") }
    guard limits.headerBytes >= 4096, limits.targetBytes >= 1,
      limits.targetBytes < limits.headerBytes
    else {
      throw ServerError(
        .invalidConfiguration, "headerBytes: at least 4096, and more than targetBytes")
    }
    guard limits.bufferedBodyBytes >= 1 else {
      throw ServerError(.invalidConfiguration, "bufferedBodyBytes: at least 1")
    }
    self.address = address
    self.port = port
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

    /// The configuration makes no sense.
    public static let invalidConfiguration = Code(kind: .invalidConfiguration)
    /// The address cannot be listened on.
    public static let cannotListen = Code(kind: .cannotListen)
    /// The system has no threads or memory left.
    public static let cannotStart = Code(kind: .cannotStart)
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, on which subject, and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
