import FarmAPI
import Foundation
import HTTP
import Synchronization
import Threads

/// A log with one line about each request.
///
/// A line names the route by its template, such as `/api/v1/leases/{token}`, because paths and queries contain tokens. A
/// thread writes the lines. If its disk is too slow, lines are dropped and counted, and requests do not wait.
final class AccessLog: Sendable {
  private let format: Log.Format
  private let lines: AsyncStream<String>.Continuation
  private let dropped = Atomic(0)
  private let writing: Task<Void, Never>

  /// The number of lines that wait for the disk.
  private static let capacity = 10_000

  /// Creates a log.
  ///
  /// - Parameter path: the file to append to, or `-` for standard output.
  /// - Throws: ``StorageError`` if the file cannot be opened.
  init(_ path: String, as format: Log.Format) throws(StorageError) {
    self.format = format
    let (stream, lines) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(Self.capacity))
    self.lines = lines
    let file = path == "-" ? nil : try AppendedFile(path)
    writing = Task { await Writer(file).write(stream) }
  }

  /// Writes a line about a request.
  ///
  /// - Parameter caller: the caller; `nil` if the request has no valid token.
  func note(_ exchange: FinishedExchange, by caller: Caller?) {
    var fields: LogFields = [
      "method": exchange.head.method.rawValue, "route": exchange.template ?? "-",
      "status": exchange.status.map { "\($0.rawValue)" } ?? "-",
      "bytes": "\(exchange.byteCount)", "ms": Self.milliseconds(exchange.duration),
      "caller": caller?.name ?? "-",
      "role": caller.map { $0.isStranger ? "-" : $0.role.rawValue } ?? "-",
      "remote": exchange.head.peer,
    ]
    if let template = exchange.template {
      for (prefix, name) in [("/api/v1/jobs/{id}", "job"), ("/api/v1/workers/{id}", "worker-id")]
      where template.hasPrefix(prefix) {
        fields.add(name, try? exchange.head.parameter("id"))
      }
      if template.contains("{index}") {
        fields.add("segment", try? exchange.head.parameter("index"))
      }
    }
    let lost = dropped.exchange(0, ordering: .relaxed)
    if lost > 0 { fields.add("dropped", "\(lost)") }
    let record = LogRecord(time: Date(), level: "info", message: "request", fields: fields)
    if case .dropped = lines.yield(record.line(as: format) + "\n") {
      dropped.add(lost + 1, ordering: .relaxed)
    }
  }

  /// Writes the waiting lines, and ends.
  func close() async {
    lines.finish()
    await writing.value
  }

  private static func milliseconds(_ duration: Duration) -> String {
    "\((duration / .milliseconds(1) * 10).rounded() / 10)"
  }

  /// Writes lines on its own thread.
  private actor Writer {
    private let executor = ThreadExecutor(name: "access-log")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var file: AppendedFile?

    init(_ file: AppendedFile?) { self.file = file }

    func write(_ lines: AsyncStream<String>) async {
      for await line in lines {
        if file == nil { StandardStream.output.write(line) } else { file?.append(line) }
      }
    }
  }
}

/// A file to append lines to. It is opened again if another program has moved or removed it, as `logrotate` does.
private struct AppendedFile: Sendable {
  private let path: String
  private var descriptor: Int32
  private var inode: UInt64?
  private var checked = ContinuousClock.now

  init(_ path: String) throws(StorageError) {
    self.path = path
    descriptor = Self.open(path)
    guard descriptor >= 0 else { throw StorageError("cannot open the access log", path) }
    inode = FileIdentity(path)?.inode
  }

  mutating func append(_ line: String) {
    let now = ContinuousClock.now
    if now - checked > .seconds(1) {
      checked = now
      reopenIfMoved()
    }
    guard descriptor >= 0 else { return }
    var rest = ArraySlice(Array(line.utf8))
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private mutating func reopenIfMoved() {
    guard FileIdentity(path)?.inode != inode else { return }
    let fresh = Self.open(path)
    guard fresh >= 0 else { return }
    close(descriptor)
    descriptor = fresh
    inode = FileIdentity(path)?.inode
  }

  private static func open(_ path: String) -> Int32 {
    Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, PrivateFiles.fileMode)
  }
}
