import FarmAPI
import Foundation
import HTTP
import Preparation
import Recording
import Threads
import Timeline

/// Downloads the segments of a live stream (HTTP Live Streaming), one after the other.
///
/// It connects only to origins that the operator allows, sends no token, follows no redirects, and verifies certificates.
struct StreamPuller {
  /// Segments are downloaded as a whole before any of their bytes are recorded, so that a download can be repeated.
  private static let largestSegment = 256 << 20
  /// How long the download of a segment may take.
  private static let longestDownload = Duration.seconds(60)

  private let allowed: AllowedRecordingSources
  private let client = Client(userAgent: "sheaf-coordinator", slowestRate: 1024)
  /// The address of the media playlist; `nil` until it is chosen.
  private var playlist: AssetURL?
  private let source: AssetURL
  private var cursor: PlaylistCursor
  private var media: PulledPlaylist.Media?
  private var readAt: ContinuousClock.Instant?
  /// What is not recorded, once known.
  private(set) var ignored: String?

  /// - Parameter skipsOffered: whether the segments that are offered at first are left out, because an earlier run has
  ///   recorded them.
  init(_ source: AssetURL, allowed: AllowedRecordingSources, skipsOffered: Bool) {
    self.source = source
    self.allowed = allowed
    cursor = PlaylistCursor(skipsOffered: skipsOffered)
  }

  /// A segment that was downloaded.
  struct Segment {
    let bytes: Data
    /// Whether it does not continue the segment before it.
    let isDiscontinuous: Bool
    /// Whether segments before it were missed.
    let isAfterGap: Bool
  }

  /// The outcome of asking for the next segment.
  enum Outcome {
    case segment(Segment)
    /// There is none yet: ask again after this time.
    case nothing(wait: Duration)
    /// The stream has ended.
    case ended
  }

  /// Asks for the next segment.
  ///
  /// - Throws: ``FetchFailure``; ``JobError`` if another try cannot succeed.
  mutating func next() async throws -> Outcome {
    if let next = media.flatMap(cursor.next) { return .segment(try await download(next)) }
    if media?.hasEnded == true { return .ended }
    if let readAt, let media {
      // Half a segment's length, as RFC 8216, 6.3.4 recommends for a playlist that has not changed.
      let rest = .milliseconds(500 * media.targetDuration) - (ContinuousClock.now - readAt)
      if rest > .zero { return .nothing(wait: min(rest, .seconds(5))) }
    }
    try await read()
    if let next = media.flatMap(cursor.next) { return .segment(try await download(next)) }
    return media?.hasEnded == true ? .ended : .nothing(wait: .milliseconds(200))
  }

  /// Reads the playlist again.
  private mutating func read() async throws {
    readAt = .now
    let address = playlist ?? source
    switch try await parsed(address) {
    case .media(let media):
      playlist = address
      note(media)
    case .variants(let variants):
      guard playlist == nil, let best = variants.max(by: { $0.bandwidth < $1.bandwidth }) else {
        throw unsupported("the playlist of a variant has variants")
      }
      let chosen = try resolve(best.address, from: address)
      guard case .media(let media) = try await parsed(chosen) else {
        throw unsupported("the playlist of a variant has variants")
      }
      if best.hasSoundElsewhere { ignored = "sound that has a playlist of its own" }
      playlist = chosen
      note(media)
    }
  }

  private mutating func note(_ media: PulledPlaylist.Media) {
    cursor.begin(with: media)
    self.media = media
  }

  private func parsed(_ address: AssetURL) async throws -> PulledPlaylist {
    let body = try await get(address, atMost: PulledPlaylist.byteLimit)
    do throws(PulledPlaylist.Problem) {
      return try PulledPlaylist(String(decoding: body, as: UTF8.self))
    } catch {
      throw unsupported(error.text)
    }
  }

  private mutating func download(_ next: PlaylistCursor.Next) async throws -> Segment {
    guard let playlist else { throw unsupported("the playlist is missing") }
    let address = try resolve(next.segment.address, from: playlist)
    do {
      let bytes = try await get(address, atMost: Self.largestSegment)
      cursor.take(next.segment)
      return Segment(
        bytes: bytes, isDiscontinuous: next.isDiscontinuous, isAfterGap: next.isAfterGap)
    } catch let failure as FetchFailure {
      // The segment may be gone. The playlist tells which one is offered now.
      media = nil
      throw failure
    }
  }

  private func get(_ address: AssetURL, atMost limit: Int) async throws -> Data {
    if let refusal = allowed.refusal(of: address) {
      throw JobError(.sourceUnreachable, "\(source): \(refusal)")
    }
    let host = try await BlockingThread.runUntilCancelled(named: "resolve") {
      do {
        return PinnedHost(
          host: address.host, port: address.port,
          addresses: try InternetAddress.resolve(address.host))
      } catch let error as ResolutionError {
        throw FetchFailure("\(error)", isPassing: error.isPassing)
      }
    }
    let response: ClientResponse
    do {
      response = try await client.send(
        ClientRequest(
          .get, address.description, timeout: Self.longestDownload, responseLimit: limit, pin: host)
      )
    } catch let error as ClientError {
      throw FetchFailure(error)
    }
    guard response.status == .ok else { throw FetchFailure(response) }
    return response.body
  }

  /// The address that a playlist states, which may be relative to its own.
  private func resolve(_ text: String, from base: AssetURL) throws -> AssetURL {
    guard let url = URL(string: text, relativeTo: URL(string: base.description)),
      let address = try? AssetURL(url.absoluteString), address.recording == nil
    else { throw unsupported("the playlist contains an invalid address") }
    return address
  }

  private func unsupported(_ problem: String) -> JobError {
    JobError(
      .notMedia, "\(source): \(problem): record another playlist of this stream")
  }
}
