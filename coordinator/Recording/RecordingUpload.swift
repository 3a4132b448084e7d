import FarmAPI
import Foundation
import Glibc
import Synchronization

/// A stream that the submitter of a recording uploads in pieces, and that the recorder reads from a socket.
///
/// `@unchecked` is sound because `turn` is locked while bytes are written, and the mutex protects the rest. The
/// descriptors are closed only in `deinit`.
package final class RecordingUpload: @unchecked Sendable {
  /// The end that the recorder reads.
  package let readingEnd: Int32
  private let writingEnd: Int32
  private let patience: Duration
  private let turn = NSLock()
  private let state = Mutex(State())

  private struct State {
    /// The number of bytes that were passed to the recorder.
    var received: Int64 = 0
    var isComplete = false
    var isClosed = false
    /// The number of slots that are taken.
    var requests = 0
    var lastRequest = ContinuousClock.now
  }

  /// How long a request waits for the recorder. After that, the client must send the rest of the piece again.
  private static let longestWait = Duration.seconds(10)
  /// How often a wait checks whether it should end, in milliseconds.
  private static let pause: Int32 = 100

  /// Creates an upload that has not begun.
  ///
  /// - Parameter patience: how long the upload may be without a request.
  package init(patience: Duration = StreamUpload.patience) throws(StorageError) {
    self.patience = patience
    var ends: [Int32] = [-1, -1]
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw StorageError(
        .unwritable, "cannot create a socket pair: \(String(cString: strerror(errno)))")
    }
    (readingEnd, writingEnd) = (ends[0], ends[1])
  }

  deinit {
    Glibc.close(readingEnd)
    Glibc.close(writingEnd)
  }

  /// Whether the end of the stream has arrived.
  package var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Whether no request has arrived for too long.
  package var isIdle: Bool {
    state.withLock { $0.requests == 0 && .now - $0.lastRequest > patience }
  }

  /// The right to add one piece. Slots limit how many requests can keep a piece in memory.
  package final class Slot: Sendable {
    package let upload: RecordingUpload
    /// Two, because a client may retry a request while its first attempt still waits.
    private static let most = 2

    /// Takes a slot; `nil` if none is free.
    package init?(in upload: RecordingUpload) {
      self.upload = upload
      let isFree = upload.state.withLock { state in
        state.requests += 1
        return state.requests <= Self.most
      }
      // `deinit` runs in this case, too, and gives the slot back.
      guard isFree else { return nil }
    }

    deinit {
      upload.state.withLock {
        $0.requests -= 1
        $0.lastRequest = .now
      }
    }
  }

  /// Ends the stream for the recorder. Further pieces are refused.
  package func close() {
    state.withLock { $0.isClosed = true }
    shutdown(writingEnd, Int32(SHUT_WR))
  }

  /// The outcome of adding a piece.
  package enum Outcome: Hashable {
    /// The stream continues at this offset.
    case goesOn(at: Int64)
    /// The piece begins after the offset at which the stream continues.
    case leavesGap(after: Int64)
    /// The recording has ended.
    case closed
  }

  /// Passes a piece to the recorder, without the bytes that the recorder already has, and waits until it takes them.
  /// Blocks.
  ///
  /// - Parameters:
  ///   - offset: the number of bytes of the stream before the piece.
  ///   - isLast: whether the stream ends with the piece.
  ///   - isWanted: called repeatedly while waiting; if it returns `false`, the wait ends.
  package func add(
    _ piece: Data, at offset: Int64, isLast: Bool, while isWanted: () -> Bool
  ) -> Outcome {
    turn.lock()
    defer { turn.unlock() }
    let (received, isClosed) = state.withLock { ($0.received, $0.isClosed) }
    let end = offset + Int64(piece.count)
    if isClosed { return isComplete && received == end ? .goesOn(at: received) : .closed }
    guard offset <= received else { return .leavesGap(after: received) }
    let rest = piece.dropFirst(Int(min(received - offset, Int64(piece.count))))
    guard write(rest, while: isWanted) else { return .closed }
    let now = state.withLock { $0.received }
    if isLast, now == end {
      state.withLock { $0.isComplete = true }
      close()
    }
    return .goesOn(at: now)
  }

  /// Writes bytes until the recorder has them or the wait ends. Returns whether the recorder still reads.
  private func write(_ bytes: Data, while isWanted: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + Self.longestWait
    return bytes.withUnsafeBytes { bytes in
      var position = 0
      while position < bytes.count {
        let count = send(
          writingEnd, bytes.baseAddress.map { $0 + position }, bytes.count - position,
          Int32(MSG_NOSIGNAL))
        if count > 0 {
          position += count
          state.withLock { $0.received += Int64(count) }
          continue
        }
        if errno == EINTR { continue }
        guard errno == EAGAIN else { return false }
        guard isWanted(), .now < deadline, !state.withLock({ $0.isClosed }) else { return true }
        var poller = pollfd(fd: writingEnd, events: Int16(POLLOUT), revents: 0)
        _ = poll(&poller, 1, Self.pause)
      }
      return true
    }
  }
}
