import FarmAPI
import Foundation
import HTTP
import Preparation
import Recording

extension Services {
  /// The parameter of playlists that limits the wait for the first piece.
  static let pieceWait = Operation.Parameter(
    name: "wait", place: "query",
    summary: "Seconds to wait for the first piece, 0 to 60 (default: 20)",
    schema: SchemaDecoder.count(from: 0, to: 60), isRequired: false)
  /// The seconds that a playlist waits by default. Most players give up on an empty one, and on a server that does not
  /// answer for half a minute.
  private static let usualPieceWait = 20
  /// The time between two looks at a playlist that is empty.
  private static let pieceInterval = Duration.milliseconds(250)

  /// Answers with a playlist, as soon as it has a piece or has ended.
  ///
  /// - Parameter make: makes the playlist, or throws what is answered if nothing changes in time. It returns `nil` if
  ///   there is none yet.
  func playlist(
    _ request: Request, for caller: Caller,
    _ make: (_ isLast: Bool) async throws -> EventPlaylist?
  ) async throws -> Response {
    let wait = try request.wait(or: Self.usualPieceWait)
    let end = ContinuousClock.now + .seconds(wait)
    // A client that waits too often is answered immediately.
    let slot = wait > 0 ? try? longPolls.enter(caller.limitKey(request.head)) : nil
    defer { withExtendedLifetime(slot) {} }
    while true {
      let isLast = slot == nil || ContinuousClock.now >= end
      if let playlist = try await make(isLast), isLast || !playlist.isEmpty || playlist.hasEnded {
        let text = try await LongCoding.run(byteCount: playlist.count << 6) { playlist.text }
        return Response(
          .ok,
          headers: ["Content-Type": EventPlaylist.mediaType, "Cache-Control": "no-cache"],
          body: .bytes(Data(text.utf8)))
      }
      try await Task.sleep(for: Self.pieceInterval)
      guard access.isInForce(caller) else {
        throw AccessError.unauthorized("the token was revoked")
      }
    }
  }
}

extension Request {
  /// The number of seconds that a request may wait.
  func wait(or usual: Int) throws -> Int {
    guard let text = head.query["wait"] else { return usual }
    guard let seconds = Int(text), (0...60).contains(seconds) else {
      throw HTTPError(
        .badRequest, type: ProblemType.malformedRequest.rawValue,
        detail: "wait '\(text)' is not a number of seconds from 0 to 60")
    }
    return seconds
  }
}
