import Crypto
import FarmAPI
import Foundation
import HTTP
import Synchronization

/// The farm's object store, from which a worker reads assets and to which it uploads chunks, with requests that the
/// coordinator signs. If the store cannot be used, the bytes pass through the coordinator.
package final class ObjectStore: Sendable {
  private struct State {
    /// Whether the farm has an object store.
    var isOffered = false
    /// The time until which the store is not used, because it could not be.
    var pausedUntil: ContinuousClock.Instant?
    /// The links to assets, by the assets' URLs.
    var links: [String: Entry] = [:]
  }

  private struct Entry {
    /// `nil` if the coordinator gives no link to the asset.
    let link: StorageLink?
    /// The time after which the coordinator is asked again.
    let end: ContinuousClock.Instant
  }

  private let client: Client
  private let log: Log?
  private let state = Mutex(State())

  /// How long the store is not used after a failure.
  private static let pause = Duration.seconds(30)
  /// How long a link is used. It is valid for an hour.
  private static let lifetime = Duration.seconds(45 * 60)
  private static let mostLinks = 1000

  /// - Parameters:
  ///   - authorityFile: the authorities that sign the store's certificate, in PEM; `nil` for the system's.
  ///   - log: logs why the store is not used; `nil` for no log.
  package init(authorityFile: String? = nil, log: Log? = nil) {
    self.log = log
    // The store must not receive the farm's token.
    client = Client(
      userAgent: "sheaf-worker", credentials: Credentials(authorityFile: authorityFile),
      connectTimeout: .seconds(5), stallTimeout: .seconds(20))
  }

  /// Notes whether the farm has an object store.
  package func offer(_ isOffered: Bool) { state.withLock { $0.isOffered = isOffered } }

  /// Whether the store can be tried.
  private var isUsable: Bool {
    state.withLock { state in
      state.isOffered && state.pausedUntil.map { $0 <= .now } ?? true
    }
  }

  /// Stops using the store for 30 seconds.
  func backOff(because reason: String) {
    let isNews = state.withLock { state in
      defer { state.pausedUntil = .now + Self.pause }
      return state.pausedUntil == nil
    }
    if isNews { log?.error("store-unusable", ["because": reason]) }
  }

  /// Notes that the store did what it should.
  private func noteSuccess() {
    let isNews = state.withLock { state in
      defer { state.pausedUntil = nil }
      return state.pausedUntil != nil
    }
    if isNews { log?.info("store-usable-again") }
  }

  // MARK: - Assets

  /// Reads bytes of an asset. Blocks, so use it on the render's own thread.
  ///
  /// - Parameters:
  ///   - url: the asset's URL at the coordinator.
  ///   - ask: asks the coordinator for a link. It returns `nil` if the asset is not in the store, and throws if there is no
  ///     answer.
  /// - Returns: the number of bytes; `nil` if the coordinator has to be asked for them.
  func read(
    _ url: String, offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    arrived: @escaping (Int) -> Void, ask: () throws -> StorageLink?
  ) -> Int? {
    guard isUsable else { return nil }
    var reason = ""
    for isRenewed in [false, true] {
      guard let link = try? link(to: url, isRenewed: isRenewed, ask) else { return nil }
      let outcome = client.receiveRange(
        link.url, offset: offset, into: buffer, headers: Headers(link.headers), arrived: arrived)
      if outcome.count > 0 {
        noteSuccess()
        return outcome.count
      }
      reason = outcome.failure?.reason ?? "it sent no bytes"
      // The link may have expired before its time, with the coordinator's own access.
      guard [.forbidden, .badRequest].contains(outcome.failure?.status) else { break }
    }
    backOff(because: "cannot read \(url) from the object store: \(reason); using the coordinator")
    return nil
  }

  private func link(
    to url: String, isRenewed: Bool, _ ask: () throws -> StorageLink?
  ) throws -> StorageLink? {
    let known = state.withLock { $0.links[url] }
    if !isRenewed, let known, known.end > .now { return known.link }
    let link = try ask().flatMap { Self.isWeb($0) ? $0 : nil }
    state.withLock { state in
      if state.links.count >= Self.mostLinks { state.links = [:] }
      state.links[url] = Entry(
        link: link, end: .now + (link == nil ? Self.pause : Self.lifetime))
    }
    return link
  }

  private static func isWeb(_ link: StorageLink) -> Bool {
    link.url.hasPrefix("https://") || link.url.hasPrefix("http://")
  }

  // MARK: - Chunks

  /// Uploads a chunk to the store.
  ///
  /// - Parameters:
  ///   - name: the name under which it is uploaded and delivered.
  ///   - ask: asks the coordinator for a link. It returns `nil` if there is none.
  /// - Returns: whether it was uploaded; otherwise, it has to be sent to the coordinator.
  /// - Throws: an error from `ask`, or `CancellationError`.
  func upload(
    chunkAt path: String, _ manifest: ChunkManifest, as name: String,
    ask: (StorageDelivery) async throws -> StorageLink?
  ) async throws -> Bool {
    guard isUsable else { return false }
    let delivery = StorageDelivery(
      name: name, byteCount: manifest.byteCount, sha256: manifest.sha256)
    guard let link = try await ask(delivery), Self.isWeb(link) else { return false }
    let request = ClientRequest(.put, link.url, headers: Headers(link.headers), timeout: nil)
    do {
      _ = try await client.upload(request, file: path, length: manifest.byteCount).successful()
      noteSuccess()
      return true
    } catch let error as ClientError {
      backOff(
        because: "cannot upload a chunk to the object store: \(error.reason); using the coordinator"
      )
      return false
    }
  }
}
