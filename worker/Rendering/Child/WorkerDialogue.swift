import Crypto
import FarmAPI
import Foundation
import Media
import Processes
import Synchronization

/// A render process's side of the dialogue with its worker.
final class WorkerDialogue: Sendable {
  /// A request from the worker.
  struct Order {
    var lease: Lease
    /// The descriptor of the chunk's file.
    var file: Int32
  }

  /// Locked from a request to its answer.
  private let channel: Mutex<MessageChannel>
  /// When the number of rendered frames was last reported.
  private let reported = Mutex<SuspendingClock.Instant?>(nil)
  /// The minimum time between two reports. Copying takes far less time for a frame.
  private static let reportInterval = Duration.milliseconds(20)

  init(_ channel: MessageChannel) { self.channel = Mutex(channel) }

  /// Waits for the next segment; `nil` if there is none.
  func nextOrder() -> Order? {
    guard let message = channel.withLock({ $0.receiveRenderMessage() }), message.kind == .render,
      message.descriptor >= 0,
      let order = try? FarmCoding.decode(RenderOrder.self, from: Data(message.bytes))
    else { return nil }
    return Order(lease: order.lease, file: message.descriptor)
  }

  /// Opens an asset, which messages call `name`. Its bytes are checked here if they are in a file, and otherwise by the
  /// worker. If the file differs from the asset, the asset is read from the worker.
  func open(_ asset: Digest, named name: String) throws -> any ByteSource {
    let answer = try ask(RenderMessage(kind: .open, bytes: Array(asset.description.utf8)))
    switch answer.kind {
    case .file where answer.descriptor >= 0:
      defer { close(answer.descriptor) }
      guard let blocks = BlockDigests(encoded: answer.bytes), blocks.content == asset else {
        throw WorkerSilence()
      }
      let file = try FileByteSource(path: "/proc/self/fd/\(answer.descriptor)")
      guard file.size == blocks.byteCount else { return try replaceFile(of: asset) }
      return LocalAsset(
        try BlockByteSource(verifying: file, by: blocks, named: name), of: asset, worker: self)
    default: return try handed(answer)
    }
  }

  /// Opens an asset whose file differs from it, so that it is read from the worker.
  fileprivate func replaceFile(of asset: Digest) throws -> HandedAsset {
    try handed(ask(RenderMessage(kind: .differs, bytes: Array(asset.description.utf8))))
  }

  private func handed(_ answer: RenderMessage) throws -> HandedAsset {
    guard answer.kind == .served, let numbers = Message.numbers(2, in: answer.bytes) else {
      throw Self.failure(answer)
    }
    return HandedAsset(number: Int(numbers[0]), size: numbers[1], worker: self)
  }

  /// Reads bytes of an asset that has a number.
  fileprivate func read(_ request: ByteRequest, into buffer: UnsafeMutableRawBufferPointer) throws
    -> Int
  {
    let answer = try ask(RenderMessage(kind: .read, bytes: request.bytes))
    guard answer.kind == .bytes, answer.bytes.count <= request.count else {
      throw Self.failure(answer)
    }
    buffer.copyBytes(from: answer.bytes)
    return answer.bytes.count
  }

  /// Reports the number of rendered frames, unless it was reported just before and is not the last one.
  func report(frames: Int, of total: Int) {
    let now = SuspendingClock.now
    let isDue = reported.withLock { last in
      if frames < total, let last, now < last + Self.reportInterval { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let bytes = Message.bytes(of: [Int64(frames)])
    channel.withLock { $0.send(RenderMessage(kind: .progress, bytes: bytes)) }
  }

  /// Reports that the chunk is written.
  func finish(_ render: FinishedRender) { send(.finished, render) }

  /// Reports why there is no chunk.
  func fail(_ report: FailureReport) { send(.failed, report) }

  private func send(_ kind: RenderMessage.Kind, _ value: some Encodable) {
    // If a message cannot be sent, the worker notices that the process ends.
    guard let data = try? FarmCoding.encode(value) else { return }
    channel.withLock { $0.send(RenderMessage(kind: kind, bytes: [UInt8](data))) }
  }

  private func ask(_ question: RenderMessage) throws -> RenderMessage {
    let answer = channel.withLock { channel in
      channel.send(question)
      return channel.receiveRenderMessage()
    }
    guard let answer else { throw WorkerSilence() }
    return answer
  }

  private static func failure(_ answer: RenderMessage) -> any Error {
    answer.kind == .refused
      ? RefusedBytes(description: String(decoding: answer.bytes, as: UTF8.self)) : WorkerSilence()
  }

  /// The worker cannot serve the request. It knows the reason and reports it itself.
  private struct RefusedBytes: Error, CustomStringConvertible {
    let description: String
  }

  /// The worker is gone, so this process will end soon.
  private struct WorkerSilence: Error, CustomStringConvertible {
    let description = "the worker does not respond"
  }
}

/// An asset whose bytes the worker sends.
private final class HandedAsset: ByteSource {
  let size: Int64
  private let number: Int
  private let worker: WorkerDialogue

  init(number: Int, size: Int64, worker: WorkerDialogue) {
    self.number = number
    self.size = size
    self.worker = worker
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset < size, !buffer.isEmpty else { return 0 }
    return try worker.read(
      ByteRequest(asset: number, offset: offset, count: buffer.count), into: buffer)
  }
}

/// An asset in a file of this host. Once the file turns out to differ from the asset, or cannot be read, the asset is
/// read from the worker.
private final class LocalAsset: ByteSource {
  let size: Int64
  private let file: BlockByteSource
  private let digest: Digest
  private let worker: WorkerDialogue
  private let replacement = Mutex<HandedAsset?>(nil)

  init(_ file: BlockByteSource, of digest: Digest, worker: WorkerDialogue) {
    size = file.size
    self.file = file
    self.digest = digest
    self.worker = worker
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let source = replacement.withLock({ $0 }) {
      return try source.read(at: offset, into: buffer)
    }
    do {
      return try file.read(at: offset, into: buffer)
    } catch is MediaError {
      return try replace().read(at: offset, into: buffer)
    }
  }

  private func replace() throws -> HandedAsset {
    try replacement.withLock { replacement in
      if let source = replacement { return source }
      let source = try worker.replaceFile(of: digest)
      replacement = source
      return source
    }
  }
}
