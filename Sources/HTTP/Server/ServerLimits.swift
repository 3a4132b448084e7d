/// The limits that a server sets for its clients.
public struct ServerLimits: Hashable, Sendable {
  /// The maximum number of open connections. A request on a further one is answered with 503.
  public var connections = 4096
  /// The number of connections that one address may have open; a request on a further one is answered with 429. `nil`
  /// for any number.
  public var connectionsPerClient: Int?
  /// The number of bytes that the request line and the headers may have; more are answered with 431.
  public var headerBytes = 16 << 10
  /// The maximum length of a request target, in bytes. A longer one is answered with 414.
  public var targetBytes = 8 << 10
  /// The number of bytes that the bodies of all requests may take together in memory. A request whose body exceeds what
  /// is left is answered with 503. Bodies that go into a ``BodySink`` do not count.
  public var bufferedBodyBytes = 64 << 20
  /// After how long without traffic a connection is closed.
  public var idleTimeout = Duration.seconds(60)
  /// The time limit for a whole head, even if it arrives slowly. After that, the answer is 408, and an idle connection
  /// is closed.
  public var headTimeout = Duration.seconds(30)
  /// The time limit for each ``minimumProgress`` of a body, sent or received. After that, the answer is 408.
  public var bodyTimeout = Duration.seconds(60)

  /// The number of bytes of a body that have to be transferred within ``bodyTimeout``: 16 KiB.
  public static let minimumProgress: UInt64 = 16 << 10

  /// The maximum number of bytes that one connection takes in memory for a head. This is twice as much as a head may have,
  /// so that one that is too large is read and refused with a problem document.
  public var connectionBytes: Int { 2 * headerBytes }

  /// The limits by default.
  public init() {}
}
