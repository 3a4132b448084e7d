import Foundation

/// The response to a ``ClientRequest``.
public struct ClientResponse: Hashable, Sendable {
  /// The absolute URL of the request.
  public let url: String
  /// The status of the final response, whether or not it indicates success.
  public let status: Status
  /// The header fields of the final response, in the order in which they arrived.
  public let headers: Headers
  /// The content; empty if it was written to a file or passed to a sink.
  public let body: Data
  /// The server's certificate, if the request asked for it and the connection uses TLS.
  public internal(set) var certificate: ServerCertificate?

  /// The problem document, if the body is one.
  public var problem: ProblemDocument? {
    guard headers["Content-Type"]?.hasPrefix(ProblemDocument.mediaType) == true else { return nil }
    return try? JSONDecoder().decode(ProblemDocument.self, from: body)
  }

  /// Decodes the body as JSON.
  ///
  /// - Throws: ``ClientError/Code/invalidResponse`` that names the first invalid place in the body.
  public func json<T: Decodable>(
    _ type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()
  ) throws(ClientError) -> T {
    do {
      return try decoder.decode(type, from: body)
    } catch {
      let reason = (error as? DecodingError)?.placeAndReason ?? "it is not JSON"
      throw ClientError(
        .invalidResponse, "cannot read the response: \(url): \(reason)",
        reason: "cannot read the response: \(reason)", url: url, status: status)
    }
  }

  /// Returns this response if its status indicates success.
  ///
  /// - Throws: ``ClientError/Code/unexpectedStatus`` with the server's explanation for any other status.
  public func successful() throws(ClientError) -> ClientResponse {
    guard status.isSuccess else { throw ClientError(refusal: self) }
    return self
  }
}
