/// A request that a server has finished with, for measurements and access logs.
public struct FinishedExchange: Sendable {
  /// The request. Its path and headers may contain secrets.
  public let head: RequestHead
  /// The pattern of the route, such as `/jobs/{id}`; `nil` if no route was found.
  public let template: String?
  /// The status of the response; `nil` if the client disconnected before there was one.
  public let status: Status?
  /// The length of the response's content in bytes; that of the part that was sent, if the total is unknown.
  public let byteCount: Int64
  /// The time from the request line to the response's status; `nil` if there was no response.
  public let latency: Duration?
  /// The time from the request line to the end of the exchange.
  public let duration: Duration

  /// Creates a record of an exchange.
  public init(
    head: RequestHead, template: String?, status: Status?, byteCount: Int64, latency: Duration?,
    duration: Duration
  ) {
    self.head = head
    self.template = template
    self.status = status
    self.byteCount = byteCount
    self.latency = latency
    self.duration = duration
  }
}
