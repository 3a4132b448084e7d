/// The limits that a server sets for its clients.
public struct ServerLimits: Hashable, Sendable {
  /// How many connections may be open at once; a request on a further one is answered with 503.
  public var connections = 4096
  /// The number of connections that one address may have open; a request on a further one is answered with 429. `nil`
  /// for any number.
  public var connectionsPerClient: Int?
  /// The number of bytes that the request line and the headers may have; more are answered with 431.
  public var headerBytes = 64 << 10
  /// How many bytes a request target may have; more are answered with 414.
  public var targetBytes = 8 << 10
  /// After how long without traffic a connection is closed.
  public var idleTimeout = Duration.seconds(60)
  /// How long a client may take for a whole head, also one that trickles: 408. An idle connection is closed then.
  public var headTimeout = Duration.seconds(30)
  /// How long a client may take for each ``minimumProgress`` of a body, sent or received: 408.
  public var bodyTimeout = Duration.seconds(60)

  /// How many bytes of a body have to move in the time of ``bodyTimeout``: 16 KiB.
  public static let minimumProgress: UInt64 = 16 << 10

  /// The limits by default.
  public init() {}
}
