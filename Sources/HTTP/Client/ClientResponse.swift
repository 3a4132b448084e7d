import Foundation

/// The response to a ``ClientRequest``.
public struct ClientResponse: Hashable, Sendable {
  /// The URL that was asked.
  public let url: String
  /// The status.
  public let status: Status
  /// The header fields.
  public let headers: Headers
  /// The content; empty if it went into a file.
  public let body: Data

  /// The problem document, where the body is one.
  public var problem: ProblemDocument? {
    guard headers["Content-Type"]?.hasPrefix(ProblemDocument.mediaType) == true else { return nil }
    return try? JSONDecoder().decode(ProblemDocument.self, from: body)
  }

  /// The body, read as JSON.
  ///
  /// - Throws: ``ClientError/Code/invalidResponse`` that says where the body is not what was expected.
  public func json<T: Decodable>(
    _ type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()
  ) throws(ClientError) -> T {
    do {
      return try decoder.decode(type, from: body)
    } catch {
      let reason = (error as? DecodingError)?.placeAndReason ?? "it is no JSON"
      throw ClientError(
        .invalidResponse, "cannot read the response: \(url): \(reason)", url: url, status: status)
    }
  }

  /// This response, where its status says success.
  ///
  /// - Throws: ``ClientError/Code/unexpectedStatus`` with the server's own words for any other status.
  public func successful() throws(ClientError) -> ClientResponse {
    guard status.isSuccess else { throw ClientError(refusal: self) }
    return self
  }
}
