import Foundation

/// The response to a request.
public struct Response: Sendable {
  /// The status that is sent before the headers; it cannot change once the body has begun.
  public var status: Status
  /// The header fields; the server adds `Content-Length`, `Date` and `Connection`.
  public var headers: Headers
  /// The content.
  public var body: Body

  /// The content of a response.
  public enum Body: Sendable {
    /// No content.
    case empty
    /// Bytes in memory.
    case bytes(Data)
    /// `length` bytes of a file from `offset`, sent by the kernel.
    case file(OpenFile, offset: Int64, length: Int64)
    /// Events, which are sent as they arrive. After `heartbeat` without an event, an empty comment is sent.
    case events(AsyncStream<ServerSentEvent>, heartbeat: Duration)

    /// The file that is sent, if it is one.
    public var file: OpenFile? {
      if case .file(let file, offset: _, length: _) = self { file } else { nil }
    }
  }

  /// Creates a response.
  public init(_ status: Status, headers: Headers = [:], body: Body = .empty) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response whose body is `value` as JSON.
  public static func json(
    _ value: some Encodable, status: Status = .ok, headers: Headers = [:],
    encoder: JSONEncoder? = nil
  ) throws -> Response {
    let encoder = encoder ?? .sorted
    return json(data: try encoder.encode(value), status: status, headers: headers)
  }

  /// Creates a response whose body is encoded JSON.
  public static func json(
    data: Data, status: Status = .ok, headers: Headers = [:]
  ) -> Response {
    var response = Response(status, headers: headers, body: .bytes(data))
    if response.headers["Content-Type"] == nil {
      response.headers["Content-Type"] = "application/json"
    }
    return response
  }

  /// Creates a response whose body is `text` in UTF-8.
  public static func text(
    _ text: String, contentType: String = "text/plain; charset=utf-8", status: Status = .ok
  ) -> Response {
    Response(status, headers: ["Content-Type": contentType], body: .bytes(Data(text.utf8)))
  }

  /// Creates a response whose body is an HTML page.
  public static func html(_ page: String, status: Status = .ok) -> Response {
    text(page, contentType: "text/html; charset=utf-8", status: status)
  }

  /// Creates a response whose body is a problem document.
  public static func problem(_ error: HTTPError) -> Response {
    let body = (try? JSONEncoder.sorted.encode(error.problem)) ?? Data()
    var headers: Headers = ["Content-Type": ProblemDocument.mediaType]
    headers.merge(error.headers)
    return Response(error.status, headers: headers, body: .bytes(body))
  }

  /// Creates a response that sends `events` as server-sent events until they end.
  ///
  /// When the client disconnects or the server shuts down, the stream's consumer is cancelled, so that its
  /// `onTermination` is called.
  ///
  /// - Parameter heartbeat: the time without events after which a comment is sent, which also detects clients that have
  ///   vanished.
  public static func events(
    _ events: AsyncStream<ServerSentEvent>, heartbeat: Duration = .seconds(15)
  ) -> Response {
    Response(
      .ok, headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
      body: .events(events, heartbeat: heartbeat))
  }

  /// Returns the content in memory, for tests. Reads the part of a file from disk, and waits for events until they end.
  public func content() async throws -> Data {
    switch body {
    case .empty: return Data()
    case .bytes(let data): return data
    case .file(let file, let offset, let length):
      return file.read(Int(length), at: offset)
    case .events(let events, _):
      var data = Data()
      for await event in events { data += event.encoded }
      return data
    }
  }
}

extension JSONEncoder {
  /// The encoder of responses and requests, which sorts keys and does not escape slashes.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
