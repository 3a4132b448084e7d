/// The limits that a server sets for its clients.
public struct ServerLimits: Hashable, Sendable {
  /// The maximum number of open connections. Requests on further connections are answered with 503.
  public var connections = 4096
  /// The maximum number of open connections from one address; `nil` for no limit. Requests on further connections are
  /// answered with 429.
  public var connectionsPerClient: Int?
  /// The maximum size in bytes of the request line and the headers. Larger heads are answered with 431.
  public var headerBytes = 16 << 10
  /// The maximum length of a request target, in bytes. A longer one is answered with 414.
  public var targetBytes = 8 << 10
  /// The maximum number of bytes in memory for the bodies of all requests together. A request whose body exceeds the
  /// rest is answered with 503. Bodies that are written to a ``BodySink`` do not count.
  public var bufferedBodyBytes = 64 << 20
  /// The time without traffic after which a connection is closed.
  public var idleTimeout = Duration.seconds(60)
  /// The time limit for a complete head, even if it arrives slowly. After that, the response is 408, and an idle
  /// connection is closed.
  public var headTimeout = Duration.seconds(30)
  /// The time limit for each ``minimumProgress`` of a body, sent or received. After that, the response is 408.
  public var bodyTimeout = Duration.seconds(60)

  /// The number of bytes of a body that have to be transferred within ``bodyTimeout``: 16 KiB.
  public static let minimumProgress: UInt64 = 16 << 10

  /// The maximum number of bytes that one connection uses in memory for a head. It is twice the limit of a head, so
  /// that heads that are too large can be read and rejected with a problem document.
  public var connectionBytes: Int { 2 * headerBytes }

  /// Creates the default limits.
  public init() {}
}
