import FarmAPI
import Foundation
import Threads

/// The stream on standard input.
enum StandardInput {
  /// A piece of the stream.
  struct Piece: Hashable, Sendable {
    var bytes = Data()
    /// Whether the stream ends with it.
    var isLast = false
  }

  /// How long a piece collects bytes after its first ones.
  private static let gathering = Duration.milliseconds(200)
  /// How often a wait checks whether it should end, in milliseconds.
  private static let pause: Int32 = 50

  /// Whether standard input is a terminal, so that a user would have to type the stream.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Waits for bytes. Returns an empty piece if none arrive within a time limit.
  ///
  /// - Throws: ``CommandFailure``, or `CancellationError`.
  static func nextPiece(within limit: Duration) async throws -> Piece {
    try await BlockingThread.run(named: "input") { isCancelled in
      var piece = Piece()
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var deadline = ContinuousClock.now + limit
      while piece.bytes.count < StreamUpload.largestPiece, .now < deadline {
        guard !isCancelled() else { throw CancellationError() }
        var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, pause) > 0 else { continue }
        let count = read(
          STDIN_FILENO, &buffer, min(buffer.count, StreamUpload.largestPiece - piece.bytes.count))
        if count == 0 {
          piece.isLast = true
          return piece
        }
        guard count > 0 else {
          if errno == EINTR || errno == EAGAIN { continue }
          throw CommandFailure(
            .failed, "cannot read standard input", on: String(cString: strerror(errno)),
            remedy: "check the command that writes the stream")
        }
        if piece.bytes.isEmpty { deadline = min(deadline, .now + gathering) }
        piece.bytes.append(contentsOf: buffer[..<count])
      }
      return piece
    }
  }
}
