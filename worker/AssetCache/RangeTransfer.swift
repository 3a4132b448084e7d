import FarmAPI
import HTTP

/// Ranges of content at the coordinator. A response that breaks off is taken up where it broke, after growing pauses, for as
/// long as the lease lives: a lease that is over stops the render, and that ends the transfer.
///
/// Blocking, for the render's own thread.
struct RangeTransfer: Sendable {
  /// Where the content is.
  let url: String
  /// The content's entity tag: a part of anything else is of no use.
  let tag: String
  /// The token of the lease that names the asset, without which the coordinator does not hand it out.
  let lease: String
  let client: Client
  /// The render that reads; when it is stopped, nothing is tried again.
  let progress: RenderProgress
  /// How the reading thread waits between tries.
  let sleep: @Sendable (Duration) -> Void

  /// The wait before a try after one that failed.
  static var backoff: Backoff { Backoff(first: .milliseconds(100), cap: .seconds(5)) }

  /// Fills the buffer with the content from `start` on.
  ///
  /// - Throws: ``AssetError/missing(_:)`` if the coordinator says that there is no such content, and
  ///   ``AssetError/shorterThanSaid(_:)`` if it ends before; ``RenderStopped``.
  func fill(_ bytes: UnsafeMutableRawBufferPointer, from start: Int64) throws {
    var backoff = Self.backoff
    var done = 0
    while done < bytes.count {
      if progress.isStopped { throw RenderStopped() }
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let outcome = client.receiveRange(
        url, offset: start + Int64(done), into: rest,
        headers: ["If-Range": "\"\(tag)\"", Lease.headerName: lease])
      done += outcome.count
      if outcome.count > 0 { backoff.reset() }
      guard let failure = outcome.failure else {
        guard outcome.count > 0 else { throw AssetError.shorterThanSaid(url) }
        continue
      }
      // Only the coordinator itself says so: a proxy's page is no problem document.
      if failure.status == .notFound, failure.problem != nil { throw AssetError.missing(url) }
      sleep(backoff.next())
    }
  }
}
