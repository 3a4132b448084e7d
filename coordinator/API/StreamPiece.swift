import FarmAPI
import Foundation
import HTTP
import Synchronization
import Threads

/// A piece of an uploaded stream. It is kept in memory until all of it has arrived.
final class StreamPiece: BodySink {
  /// The maximum offset of a piece, chosen so that its end does not overflow: 1 EiB.
  static let largestOffset = 1 << 60

  let recording: String
  let offset: Int64
  /// Whether the stream ends with it.
  let isLast: Bool
  fileprivate let slot: RecordingUpload.Slot
  private let received = Mutex(Data())

  /// Reads the head of a request.
  ///
  /// - Throws: `HTTPError`.
  init(_ head: RequestHead, of recording: String, to upload: RecordingUpload) throws {
    guard let offset = head.headers[StreamUpload.offsetHeader].flatMap({ Int($0) }),
      (0...Self.largestOffset).contains(offset)
    else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "\(StreamUpload.offsetHeader) must be the offset of the first byte in the stream")
    }
    guard head.contentLength ?? .max <= Int64(StreamUpload.largestPiece) else {
      throw HTTPError.bodyTooLarge("a piece of a stream", limit: StreamUpload.largestPiece)
    }
    guard let slot = RecordingUpload.Slot(in: upload) else {
      throw HTTPError(
        .conflict, type: ProblemType.uploadInProgress.rawValue,
        detail: "other requests are uploading the stream of recording '\(recording)': wait for "
          + "their responses")
    }
    self.recording = recording
    self.offset = Int64(offset)
    self.slot = slot
    isLast = head.headers[StreamUpload.completeHeader] == StreamUpload.complete
  }

  /// The bytes that have arrived.
  var bytes: Data { received.withLock { $0 } }

  func write(_ bytes: UnsafeRawBufferPointer) { received.withLock { $0.append(contentsOf: bytes) } }

  func abandon() {}
}

extension Services {
  /// Starts to receive a piece of a stream.
  func openPiece(_ head: RequestHead, for caller: Caller) async throws -> StreamPiece {
    let status = try await farm.recording(head.parameters["id"] ?? "", for: caller)
    guard let upload = await recorder.upload(to: status.id) else { throw Self.takesNone(status) }
    return try StreamPiece(head, of: status.id, to: upload)
  }

  private static func takesNone(_ status: RecordingStatus) -> FarmError {
    FarmError(
      .wrongState,
      "recording '\(status.id)' accepts no upload: its source is \(status.source), and its state is "
        + "\(status.state.rawValue): submit another recording with the source upload")
  }

  /// Passes a piece of a stream to its recorder.
  func take(_ piece: StreamPiece) async throws -> Response {
    let outcome = try await BlockingThread.run(named: "stream") { isCancelled in
      piece.slot.upload.add(piece.bytes, at: piece.offset, isLast: piece.isLast) { !isCancelled() }
    }
    switch outcome {
    case .goesOn(let next):
      return Response(.noContent, headers: [StreamUpload.offsetHeader: "\(next)"])
    case .leavesGap(let next):
      throw HTTPError(
        .conflict, type: ProblemType.uploadOffset.rawValue,
        detail: "the stream of recording '\(piece.recording)' continues at offset \(next), not at "
          + "\(piece.offset): send the bytes from there on",
        headers: [StreamUpload.offsetHeader: "\(next)"])
    case .closed: throw Self.takesNone(try await farm.recording(piece.recording))
    }
  }
}
