import Foundation

/// Receives a response as it arrives.
protocol ResponseReceiver: AnyObject {
  /// Receives the head, without a body. Called once, before the content.
  func begin(_ head: ClientResponse) throws
  /// Receives the next piece of the content, which is valid only during the call.
  func receive(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the content, and returns the part that belongs in the response.
  func finish() throws -> Data
}

/// Keeps the content in memory.
final class MemoryReceiver: ResponseReceiver {
  private let url: String
  private let limit: Int
  private let dropsExcess: Bool
  private var status: Status?
  private var content = Data()

  init(url: String, limit: Int, dropsExcess: Bool = false) {
    self.url = url
    self.limit = limit
    self.dropsExcess = dropsExcess
  }

  convenience init(_ request: ClientRequest) {
    self.init(
      url: request.url, limit: request.responseLimit, dropsExcess: request.dropsExcess)
  }

  func begin(_ head: ClientResponse) {
    status = head.status
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard content.count + bytes.count <= limit else {
      if dropsExcess { return content.append(contentsOf: bytes.prefix(limit - content.count)) }
      throw ClientError(
        .responseTooLarge, "the response is larger than \(limit) bytes", at: url, status: status)
    }
    content.append(contentsOf: bytes)
  }

  func finish() -> Data { content }
}

/// Writes the content of a 200 or a matching 206 to a file, and keeps the content of any other response in memory.
final class FileReceiver: ResponseReceiver {
  private let path: String
  private let offset: Int64
  private let url: String
  private let progress: (@Sendable (Int64) -> Void)?
  private let refusal: MemoryReceiver
  private var descriptor: Int32?
  private var position: Int64 = 0

  init(path: String, offset: Int64, url: String, progress: (@Sendable (Int64) -> Void)?) {
    self.path = path
    self.offset = offset
    self.url = url
    self.progress = progress
    refusal = MemoryReceiver(url: url, limit: ClientError.refusalLimit)
  }

  deinit {
    if let descriptor { close(descriptor) }
  }

  func begin(_ head: ClientResponse) throws {
    refusal.begin(head)
    switch head.status {
    case .ok:
      try open(at: 0)
    case .partialContent:
      let range = head.headers["Content-Range"].flatMap { RangeHeader.parseContentRange($0) }
      guard range?.first == offset else {
        throw ClientError(
          .invalidResponse, "the server sent a different range than requested", at: url,
          status: head.status)
      }
      try open(at: offset)
    default:
      break
    }
  }

  private func open(at offset: Int64) throws {
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw ClientError.localFile("write", path, url: url) }
    self.descriptor = descriptor
    guard ftruncate(descriptor, off_t(offset)) == 0 else {
      throw ClientError.localFile("write", path, url: url)
    }
    position = offset
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard let descriptor else { return try refusal.receive(bytes) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = pwrite(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
        off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ClientError.localFile("write", path, url: url) }
      position += Int64(count)
      rest = rest.dropFirst(count)
    }
    progress?(position)
  }

  func finish() throws -> Data {
    guard let descriptor else { return refusal.finish() }
    self.descriptor = nil
    guard close(descriptor) == 0 else { throw ClientError.localFile("write", path, url: url) }
    return Data()
  }
}

/// Passes the content to a sink that is chosen from the head.
final class SinkReceiver: ResponseReceiver {
  private let choose: (ClientResponse) throws -> any BodySink
  private var sink: (any BodySink)?

  init(_ choose: @escaping (ClientResponse) throws -> any BodySink) {
    self.choose = choose
  }

  deinit { sink?.abandon() }

  func begin(_ head: ClientResponse) throws { sink = try choose(head) }

  func receive(_ bytes: UnsafeRawBufferPointer) throws { try sink?.write(bytes) }

  func finish() -> Data {
    sink = nil
    return Data()
  }
}

/// Writes the content of a range into memory that the caller provides. Some object stores answer a request for a range
/// with the status 200 and a correct `Content-Range`.
final class RangeReceiver: ResponseReceiver {
  private let buffer: UnsafeMutableRawBufferPointer
  private let offset: Int64
  private let url: String
  private let arrived: (Int) -> Void
  private let refusal: MemoryReceiver
  private var isRange = false
  /// The number of received bytes.
  private(set) var count = 0

  init(
    buffer: UnsafeMutableRawBufferPointer, offset: Int64, url: String,
    arrived: @escaping (Int) -> Void = { _ in }
  ) {
    self.buffer = buffer
    self.arrived = arrived
    self.offset = offset
    self.url = url
    refusal = MemoryReceiver(url: url, limit: ClientError.refusalLimit)
  }

  func begin(_ head: ClientResponse) throws {
    refusal.begin(head)
    let range = head.headers["Content-Range"].flatMap { RangeHeader.parseContentRange($0) }
    isRange = head.status.isSuccess && range?.first == offset
    if !isRange, head.status.isSuccess {
      throw ClientError(
        .invalidResponse, "the server did not send the requested range", at: url,
        status: head.status)
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard isRange else { return try refusal.receive(bytes) }
    guard bytes.count <= buffer.count - count else {
      throw ClientError(
        .invalidResponse, "the server sent more than the requested range", at: url)
    }
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
    arrived(bytes.count)
  }

  func finish() -> Data { refusal.finish() }
}

/// Delivers the events of an event stream. Any other response is an error.
final class EventReceiver: ResponseReceiver {
  private let url: String
  private let deliver: (ServerSentEvent) -> Void
  private var parser = EventStreamParser()
  private let refusal: MemoryReceiver
  private var refused: ClientResponse?

  init(url: String, deliver: @escaping (ServerSentEvent) -> Void) {
    self.url = url
    self.deliver = deliver
    refusal = MemoryReceiver(url: url, limit: ClientError.refusalLimit)
  }

  func begin(_ head: ClientResponse) {
    refusal.begin(head)
    let isStream = head.headers["Content-Type"]?.hasPrefix("text/event-stream") ?? false
    if head.status != .ok || !isStream { refused = head }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard refused == nil else { return try refusal.receive(bytes) }
    do {
      for event in try parser.append(bytes) { deliver(event) }
    } catch {
      throw ClientError(
        .invalidResponse, "an event's line is longer than \(error.limit) bytes", at: url)
    }
  }

  func finish() throws -> Data {
    guard let refused else { return Data() }
    throw ClientError(
      refusal: ClientResponse(
        url: url, status: refused.status, headers: refused.headers, body: refusal.finish()))
  }
}

extension ClientError {
  /// The size limit in bytes for the body of an error response, which is kept for its message.
  static let refusalLimit = 1 << 20
}
