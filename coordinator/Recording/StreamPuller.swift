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
  /// The maximum size of a segment in bytes. A segment is downloaded completely before it is recorded, so that a failed
  /// download can be retried.
  private static let largestSegment = 64 << 20
  /// The number of failed downloads of a segment after which it counts as missed, and of failed readings of a variant's
  /// playlist after which the variant is chosen anew.
  private static let patience = 5
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
  /// The numbers of failures in a row: readings of the playlist, and downloads of one segment.
  private var failures = (reading: 0, download: 0)
  private let skipsOffered: Bool
  private var hasRead = false
  /// A description of the sound that is left out, if any.
  private(set) var ignored: String?

  /// - Parameter skipsOffered: whether to skip the segments that are in the playlist at first. Used after a restart,
  ///   because the position in the playlist is not stored.
  init(_ source: AssetURL, allowed: AllowedRecordingSources, skipsOffered: Bool) {
    self.source = source
    self.allowed = allowed
    self.skipsOffered = skipsOffered
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
      // Half the target duration: the minimum wait of RFC 8216, 6.3.4 for a playlist that has not changed. Used after a
      // change, too, so that a short window is not missed.
      let rest = .milliseconds(500 * media.targetDuration) - (ContinuousClock.now - readAt)
      if rest > .zero { return .nothing(wait: min(rest, .seconds(5))) }
    }
    do {
      try await read()
      failures.reading = 0
    } catch {
      failures.reading += 1
      if failures.reading >= Self.patience { playlist = nil }
      throw error
    }
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
      try note(media)
    case .variants(let variants):
      guard playlist == nil, let best = variants.max(by: { $0.bandwidth < $1.bandwidth }) else {
        throw unsupported("a variant refers to another list of variants")
      }
      let chosen = try resolve(best.address, from: address)
      guard case .media(let media) = try await parsed(chosen) else {
        throw unsupported("a variant refers to another list of variants")
      }
      if best.hasSoundElsewhere { ignored = "sound that has a playlist of its own" }
      playlist = chosen
      try note(media)
    }
  }

  private mutating func note(_ media: PulledPlaylist.Media) throws(JobError) {
    guard !skipsOffered || !media.hasEnded || hasRead else {
      throw JobError(
        .sourceUnreachable,
        "\(source): the coordinator restarted before the end of the playlist was recorded: record it "
          + "again")
    }
    hasRead = true
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
      failures.download = 0
      return Segment(
        bytes: bytes, isDiscontinuous: next.isDiscontinuous, isAfterGap: next.isAfterGap)
    } catch let failure as FetchFailure {
      failures.download += 1
      if failures.download >= Self.patience {
        // The recorder notices the missing packets.
        cursor.take(next.segment)
        failures.download = 0
      }
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
    if !allowed.names(address.origin), host.addresses.contains(where: { !$0.isPublic }) {
      // The message omits the address, which would reveal the coordinator's network.
      throw JobError(
        .sourceUnreachable,
        "\(source): \(address.host) has an address that is not public: ask the operator to start "
          + "sheaf-coordinator serve with --recording-source \(address.origin)")
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
      .notMedia, "\(source): \(problem): check the address, or record another playlist")
  }
}
