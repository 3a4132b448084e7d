import CMicroHTTPD
import Foundation

/// Converts a ``Response`` for libmicrohttpd and queues it.
struct ResponseWriter {
  let connection: OpaquePointer
  let suspensions: Suspensions
  let isSecure: Bool

  /// Tells browsers to use only TLS for a year (RFC 6797).
  private static let strictTransport = "max-age=31536000"
  /// The size in bytes of the blocks that libmicrohttpd reads from an event stream.
  private static let eventBlock = 16 << 10

  /// Queues `response`; `MHD_NO` closes the connection.
  ///
  /// - Returns: also a function that counts the bytes of the content.
  func queue(
    _ response: Response, method: Method
  ) -> (MHD_Result, count: @Sendable () -> Int64) {
    let nothing: (MHD_Result, count: @Sendable () -> Int64) = (.NO, { 0 })
    guard let (content, count) = content(of: response, method: method) else { return nothing }
    defer { MHD_destroy_response(content) }
    var headers = response.headers
    if isSecure { headers["Strict-Transport-Security"] = Self.strictTransport }
    for field in headers.fields {
      // A field that cannot be sent, such as a value with a line end, closes the connection. It is not silently
      // omitted.
      guard MHD_add_response_header(content, field.name, field.value) == .YES else {
        return nothing
      }
    }
    return (MHD_queue_response(connection, UInt32(response.status.rawValue), content), count)
  }

  private typealias Content = (OpaquePointer, count: @Sendable () -> Int64)

  private func content(of response: Response, method: Method) -> Content? {
    let isSent = method != .head
    let known: (OpaquePointer?, Int64) -> Content? = { content, length in
      content.map { ($0, { isSent ? length : 0 }) }
    }
    guard !response.status.forbidsBody else { return known(Self.empty, 0) }
    switch response.body {
    case .empty:
      return known(Self.empty, 0)
    case .bytes(let data):
      let content = data.withUnsafeBytes {
        MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
      return known(content, Int64(data.count))
    case .file(let file, let offset, let length):
      // libmicrohttpd closes the descriptor that it receives.
      let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { return nil }
      let content = MHD_create_response_from_fd_at_offset64(
        UInt64(length), descriptor, UInt64(offset))
      if content == nil { close(descriptor) }
      return known(content, length)
    case .events(let events, let heartbeat):
      guard isSent else { return known(Self.unending(nil), 0) }
      let pipe = EventPipe(suspensions: suspensions, connection: connection)
      guard let content = Self.unending(pipe) else { return nil }
      pipe.start(events, heartbeat: heartbeat)
      return (content, { pipe.byteCount })
    }
  }

  private static var empty: OpaquePointer? {
    MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
  }

  /// Creates a response of unknown length. It owns `pipe`, and ends it when libmicrohttpd has finished.
  private static func unending(_ pipe: EventPipe?) -> OpaquePointer? {
    let context = pipe.map { Unmanaged.passRetained($0).toOpaque() }
    return MHD_create_response_from_callback(
      .max, eventBlock,
      { context, _, buffer, count in
        guard let context, let buffer else { return EventPipe.endOfStream }
        return Unmanaged<EventPipe>.fromOpaque(context).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
      },
      context,
      { context in
        if let context { Unmanaged<EventPipe>.fromOpaque(context).takeRetainedValue().end() }
      })
  }
}
