import Foundation

/// A request to send.
public struct ClientRequest: Hashable, Sendable {
  /// The method; with `HEAD`, the response has no body.
  public var method: Method
  /// The absolute `http` or `https` URL; or what follows the address of the client's servers, beginning with a slash.
  public var url: String
  /// The header fields, in addition to those that the client adds: its token and its user agent.
  public var headers: Headers
  /// The body in memory; `nil` for none. Uploads of files pass a file instead.
  public var body: Data?
  /// The time limit for the whole exchange. `nil` means 30 seconds for ``Client/send(_:)``, and no limit for uploads,
  /// downloads and event streams as long as they make progress.
  public var timeout: Duration?
  /// The maximum size of a response in memory, in bytes.
  public var responseLimit: Int
  /// Whether the bytes of a response beyond ``responseLimit`` are read and dropped, instead of being an error.
  public var dropsExcess: Bool
  /// The URL's host with its addresses if the client may connect only to these.
  public var pin: PinnedHost?
  /// Whether the response states the server's certificate.
  public var wantsCertificate = false

  /// Creates a request.
  public init(
    _ method: Method = .get, _ url: String, headers: Headers = [:], body: Data? = nil,
    timeout: Duration? = nil, responseLimit: Int = 64 << 20, pin: PinnedHost? = nil,
    dropsExcess: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.responseLimit = responseLimit
    self.pin = pin
    self.dropsExcess = dropsExcess
  }

  /// Creates a request whose body is `value` as JSON.
  public static func json(
    _ method: Method, _ url: String, _ value: some Encodable, headers: Headers = [:],
    encoder: JSONEncoder? = nil
  ) throws -> ClientRequest {
    let encoder = encoder ?? .sorted
    return json(method, url, data: try encoder.encode(value), headers: headers)
  }

  /// Creates a request whose body is encoded JSON.
  public static func json(
    _ method: Method, _ url: String, data: Data, headers: Headers = [:]
  ) -> ClientRequest {
    var request = ClientRequest(method, url, headers: headers, body: data)
    request.headers["Content-Type"] = "application/json"
    return request
  }
}
