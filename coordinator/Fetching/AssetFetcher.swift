import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Threads
import Timeline

/// Fetches assets from URLs that the operator allows into the asset store.
struct AssetFetcher: Sendable {
  private let sources: AssetSources
  private let store: AssetStore
  private let uploads: String
  private let space: DiskSpace
  private let threads: BlockingThreads
  private let log: Log
  /// Sends no token, uses no proxy, follows no redirects, and verifies certificates with the system's authorities.
  private let client = Client(userAgent: "sheaf-coordinator", slowestRate: 1024)
  /// Limits the number of assets that are fetched at a time: four in all, and three for one submitter.
  private let gate = FairGate(4)

  /// The maximum number of tries for a URL.
  private static let tries = 4
  /// The wait before the second try. It doubles for each further try.
  private static let firstPause = Duration.seconds(1)

  init(
    _ sources: AssetSources, into store: AssetStore, uploads: String, space: DiskSpace,
    threads: BlockingThreads, log: Log
  ) {
    self.sources = sources
    self.store = store
    self.uploads = uploads
    self.space = space
    self.threads = threads
    self.log = log
  }

  /// Fetches an asset and adds it to the store. Messages call it `name`. Submitters take turns with their tries.
  ///
  /// - Parameters:
  ///   - limit: the size limit.
  ///   - submitter: the submitter of the job that needs the asset.
  /// - Throws: ``JobError`` that names the asset and the URL, or `StorageError` if the disk is full or fails.
  func fetch(
    _ url: AssetURL, named name: String, atMost limit: FetchLimit, for submitter: String?
  ) async throws -> AssetReference {
    let subject = Self.subject(url, named: name)
    var pause = Self.firstPause
    var tries = Self.tries
    while true {
      tries -= 1
      do {
        return try await gate.run(for: submitter) { try await fetchOnce(url, atMost: limit) }
      } catch let failure as FetchFailure where failure.isPassing && tries > 0 {
        log.error("\(subject): \(failure.reason): trying again")
        try await Task.sleep(for: pause)
        pause *= 2
      } catch let failure as FetchFailure {
        throw JobError(
          .assetUnreachable, "\(subject): \(failure.reason): check the address and its server")
      } catch let error as JobError {
        throw JobError(error.failure.code, "\(subject): \(error.failure.message)")
      }
    }
  }

  /// The subject of messages about an asset: its name, and its URL if that is not its name.
  static func subject(_ url: AssetURL, named name: String) -> String {
    name == url.shown ? name : "\(name): \(url.shown)"
  }

  private func fetchOnce(
    _ url: AssetURL, atMost limit: FetchLimit
  ) async throws -> AssetReference {
    let host = try await BlockingThread.runUntilCancelled(named: "resolve") { [sources] in
      do {
        return try sources.admit(url)
      } catch let error as ResolutionError {
        throw FetchFailure("\(error)", isPassing: error.isPassing)
      }
    }
    let path = "\(uploads)/fetch-\(SecureRandom.token(bytes: 12))"
    let download = try await threads.run { [space] in
      try AssetDownload(at: path, limit: limit, space: space)
    }
    try await receive(
      ClientRequest(.get, url.description, pin: host), atMost: limit, download)
    // If the asset is stored already, the stored file is read first, which can take minutes.
    return try await BlockingThread.run(named: "fetched") { [store] in
      try download.finish(in: store)
    }
  }

  /// Receives a response. Fails if its bytes arrive too slowly.
  private func receive(
    _ request: ClientRequest, atMost limit: FetchLimit, _ download: AssetDownload
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        do {
          _ = try await client.receive(request) { head in
            try check(head, atMost: limit)
            return download
          }
        } catch let error as ClientError {
          throw FetchFailure(error)
        }
      }
      group.addTask { [pace = sources.pace] in
        // The clock stops while this host is suspended, which is not the server's fault.
        let start = SuspendingClock.now
        while true {
          let rest = pace.allowance(for: download.byteCount) - (SuspendingClock.now - start)
          guard rest > .zero else { throw pace.failure }
          try await Task.sleep(for: rest, clock: .suspending)
        }
      }
      // The group ends when the response is complete or either task fails.
      _ = try await group.next()
    }
  }

  /// Rejects a response that is not an entire file, or that is too large for the limit or the disk.
  private func check(_ head: ClientResponse, atMost limit: FetchLimit) throws {
    guard head.status == .ok else { throw FetchFailure(head) }
    let length = head.headers["Content-Length"].flatMap { Int64($0) }
    let isChunked = head.headers["Transfer-Encoding"]?.lowercased().contains("chunked") ?? false
    guard length != nil || isChunked else {
      throw FetchFailure(
        "the server does not state the file's length (Content-Length)", isPassing: false)
    }
    guard length ?? 0 <= limit.byteCount else { throw limit.error }
    try space.assure(length ?? 0)
  }
}
