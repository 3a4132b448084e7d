import Crypto
import FarmAPI
import HTTP
import Media
import Synchronization

/// An asset at the coordinator, of which only the ranges that are needed are fetched, through the block cache.
///
/// Blocking, for the render's own thread.
package final class RemoteAsset: ByteSource {
  /// The asset's length in bytes.
  package let size: Int64
  private let reference: AssetReference
  /// Where the bytes are.
  package let url: String
  /// The token of the lease that names it, without which the coordinator does not hand it out.
  private let lease: String
  private let cache: BlockCache
  private let client: Client
  private let progress: RenderProgress
  private let sleep: @Sendable (Duration) -> Void
  private let reading = Mutex(Reading())

  private struct Reading {
    var expected: Int64 = 0
    var ahead = 1
    var isMissing = false
  }

  /// How many blocks a reader that goes straight on has fetched in one request at most.
  private static let furthestAhead = 8
  /// How often a range is asked for; with growing pauses that is more than a minute.
  private static let tries = 20

  /// The asset of a reference.
  ///
  /// - Parameters:
  ///   - lease: the token of the lease that names it.
  ///   - progress: the render that reads; when it is stopped, nothing is tried again.
  ///   - sleep: how the reading thread waits between tries.
  package init(
    _ reference: AssetReference, at url: String, lease: String, cache: BlockCache,
    client: Client, progress: RenderProgress, sleep: @escaping @Sendable (Duration) -> Void
  ) {
    size = reference.byteCount
    self.reference = reference
    self.url = url
    self.lease = lease
    self.cache = cache
    self.client = client
    self.progress = progress
    self.sleep = sleep
  }

  /// Whether the coordinator turned out not to have the asset.
  package var isMissing: Bool { reading.withLock { $0.isMissing } }

  /// Reads at `offset`, up to the end of a block of the cache.
  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let ahead = reading.withLock { reading in
      reading.ahead = reading.expected == offset ? reading.ahead : 1
      return reading.ahead
    }
    let count = try cache.read(
      reference.digest, size: size, at: offset, into: buffer, ahead: ahead
    ) { start, bytes in
      try fetch(start, into: bytes)
      reading.withLock { $0.ahead = min($0.ahead * 2, Self.furthestAhead) }
    }
    reading.withLock { $0.expected = offset + Int64(count) }
    return count
  }

  private func fetch(_ start: Int64, into bytes: UnsafeMutableRawBufferPointer) throws {
    var backoff = Backoff(first: .milliseconds(100), cap: .seconds(5))
    var done = 0
    var failures = 0
    while done < bytes.count {
      if progress.isStopped { throw RenderStopped() }
      do {
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
        let count = try client.readRange(
          url, offset: start + Int64(done), into: rest, headers: [Lease.headerName: lease])
        guard count > 0 else { throw AssetError.shorterThanSaid(url) }
        done += count
        backoff.reset()
      } catch let error as ClientError {
        failures += 1
        if error.status == .notFound {
          reading.withLock { $0.isMissing = true }
          throw AssetError.missing(url)
        }
        if let status = error.status, !status.isPassing { throw error }
        guard failures < Self.tries else { throw error }
        sleep(backoff.next())
      }
    }
  }
}

/// Why an asset could not be read, beyond what the transfer says of itself.
package enum AssetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator does not have it.
  case missing(String)
  /// It ends before the length that the lease gave.
  case shorterThanSaid(String)

  /// What failed, on what.
  package var description: String {
    switch self {
    case .missing(let url): "the coordinator does not have the asset: \(url)"
    case .shorterThanSaid(let url): "the asset is shorter than the lease says: \(url)"
    }
  }
}
