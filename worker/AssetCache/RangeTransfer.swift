import FarmAPI
import HTTP

/// Reads ranges of content from the coordinator. An interrupted response is resumed after growing pauses, until the
/// lease ends. That stops the render, which ends the transfer.
///
/// Calls block, so use it on the render's own thread.
struct RangeTransfer: Sendable {
  /// The content's URL.
  let url: String
  /// The content's entity tag, which ensures that all parts are of the same content.
  let tag: String
  /// The token of the lease that names the asset. The coordinator requires it.
  let lease: String
  let client: Client
  /// The farm's object store, if the content is also there.
  var store: ObjectStore?
  /// The render that reads. Once it is stopped, nothing is retried.
  let progress: RenderProgress
  /// Logs failures that are retried; `nil` for no log.
  var failures: AssetFailures?
  /// How the reading thread waits between tries.
  let sleep: @Sendable (Duration) -> Void

  /// The number of times that content may arrive empty or damaged before the asset counts as damaged. With the growing
  /// pauses, this takes some seconds.
  static let damageLimit = 6

  /// The waits after failed tries.
  static var backoff: Backoff { Backoff(first: .milliseconds(100), cap: .seconds(5)) }

  /// Fills the buffer with the content from `start` on.
  ///
  /// - Parameter isFromStore: whether bytes from the object store are accepted.
  /// - Throws: ``AssetError/missing(_:)`` if the coordinator does not have the content,
  ///   ``AssetError/shorterThanSaid(_:)`` if the content is too short, or ``RenderStopped``.
  func fill(
    _ bytes: UnsafeMutableRawBufferPointer, from start: Int64, isFromStore: Bool = true
  ) throws {
    try progress.whileWaitingForAssets {
      try receive(bytes, from: start, store: isFromStore ? store : nil)
    }
  }

  private func receive(
    _ bytes: UnsafeMutableRawBufferPointer, from start: Int64, store: ObjectStore?
  ) throws {
    var backoff = Self.backoff
    var done = 0
    var emptyAnswers = 0
    while done < bytes.count {
      if progress.isStopped { throw RenderStopped() }
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      if let count = store?.read(
        url, offset: start + Int64(done), into: rest, arrived: progress.countAssetBytes, ask: link)
      {
        done += count
        continue
      }
      let outcome = client.receiveRange(
        url, offset: start + Int64(done), into: rest,
        headers: ["If-Range": "\"\(tag)\"", Lease.headerName: lease],
        arrived: progress.countAssetBytes)
      done += outcome.count
      if outcome.count > 0 {
        failures?.settle(url)
        backoff.reset()
        emptyAnswers = 0
      }
      guard let failure = outcome.failure else {
        guard outcome.count == 0 else { continue }
        // The coordinator sends this answer if the content is too short, but a proxy may send it too.
        emptyAnswers += 1
        guard emptyAnswers < Self.damageLimit else { throw AssetError.shorterThanSaid(url) }
        sleep(backoff.next())
        continue
      }
      // A proxy's 404 page is not a problem document, so this answer is the coordinator's own.
      if failure.status == .notFound, failure.problem != nil { throw AssetError.missing(url) }
      failures?.note(failure, from: url)
      sleep(backoff.next())
    }
  }

  /// The coordinator's link to the content in the object store; `nil` if it is not there.
  ///
  /// - Throws: an error if the coordinator does not say.
  private func link() throws -> StorageLink? {
    let response = try client.sendAndWait(
      ClientRequest(
        .get, url + "/link", headers: [Lease.headerName: lease], timeout: .seconds(30)))
    if response.status == .notFound, response.problem != nil { return nil }
    let whole = try response.successful()
    guard let digest = whole.headers[ContentDigest.headerName],
      ContentDigest.holds(digest, for: whole.body)
    else { throw AssetError.damaged(url) }
    return try FarmCoding.decode(StorageLink.self, from: whole.body)
  }
}
