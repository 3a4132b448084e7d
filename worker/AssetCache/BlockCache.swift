import Crypto
import Foundation

/// Blocks of assets on the local disk, shared by all slots. The least recently used blocks are evicted.
///
/// If several slots need a missing block, it is fetched once, and the others wait for it. Calls block, so use them on
/// threads of their own.
package final class BlockCache: @unchecked Sendable {
  // `@unchecked` is sound because `condition` guards all state that changes.

  /// Fills the buffer with consecutive blocks from `first` on. Checks their bytes.
  package typealias Fetch = (_ first: Int, UnsafeMutableRawBufferPointer) throws -> Void

  /// The number of bytes in a block.
  package let blockSize: Int
  private let file: UnlinkedFile
  private let unkept: @Sendable (String) -> Void
  private let damaged: @Sendable (BlockKey) -> Void
  private let condition = NSCondition()
  private var ledger: BlockLedger
  private let places: Int
  /// The number of runs of blocks that are being fetched and written.
  private var runsFilling = 0
  /// The number of reads that still bypass the cache after the disk was full. No blocks are filled meanwhile.
  private var readsPast = 0
  /// The number of reads after which the disk is tried again.
  private static let readsUntilRetry = 1000

  /// Creates an empty cache of at most `byteLimit` bytes on the file system of `directory`.
  ///
  /// - Parameters:
  ///   - unkept: called with the reason when the disk is full. The cache then frees its space for chunks, and reads
  ///     bypass it for a while.
  ///   - damaged: called with a block whose bytes changed on the disk; it is fetched again.
  /// - Throws: ``LocalFileError``.
  package init(
    directory: String, byteLimit: Int64, blockSize: Int = BlockDigests.usualBlockSize,
    unkept: @escaping @Sendable (String) -> Void = { _ in },
    damaged: @escaping @Sendable (BlockKey) -> Void = { _ in }
  ) throws(LocalFileError) {
    file = try UnlinkedFile(in: directory)
    self.unkept = unkept
    self.damaged = damaged
    self.blockSize = blockSize
    places = max(1, Int(byteLimit / Int64(blockSize)))
    ledger = BlockLedger(places: places)
  }

  /// Reads a whole block of an asset, fetching it if it is not in the cache. Blocks from the disk are checked.
  ///
  /// - Parameters:
  ///   - bytes: a buffer of the block's length.
  ///   - ahead: the most blocks to fetch at once if the block is not in the cache.
  ///   - progress: the render that reads, which waits for the asset while another one fetches the block.
  package func read(
    _ block: Int, of asset: BlockDigests, into bytes: UnsafeMutableRawBufferPointer,
    ahead: Int = 1, waitingFor progress: RenderProgress? = nil, fetch: Fetch
  ) throws {
    guard asset.blockSize == blockSize else {
      throw LocalFileError(
        problem: "the asset's block size does not match the cache", subject: "the cache",
        number: EINVAL)
    }
    let key = BlockKey(asset: asset.content, index: block)
    condition.lock()
    defer { condition.unlock() }
    while true {
      switch ledger.look(up: key) {
      case .stored(let place):
        // Reads under the lock, so that the place is not reused meanwhile. This only copies memory.
        try file.read(into: bytes, at: Int64(place) * Int64(blockSize))
        condition.unlock()
        let isSound = asset.matches(UnsafeRawBufferPointer(bytes), block: block)
        condition.lock()
        if isSound { return }
        if ledger.drop(key, from: place) { damaged(key) }
      case .fetching:
        wait(progress)
      case .absent where readsPast > 0:
        passOne()
        condition.unlock()
        defer { condition.lock() }
        try fetch(block, bytes)
        return
      case .absent:
        let run = reserve(from: key, size: asset.byteCount, atMost: ahead)
        if run.isEmpty {
          wait(progress)
        } else {
          try fill(run, size: asset.byteCount, bytes, fetch: fetch)
          return
        }
      }
    }
  }

  /// Waits until another thread has fetched blocks.
  private func wait(_ progress: RenderProgress?) {
    if let progress {
      progress.whileWaitingForAssets { condition.wait() }
    } else {
      condition.wait()
    }
  }

  private typealias Reservation = (key: BlockKey, place: Int)

  private func reserve(from key: BlockKey, size: Int64, atMost limit: Int) -> [Reservation] {
    var run: [Reservation] = []
    var next = key
    while run.count < max(limit, 1), Int64(next.index) * Int64(blockSize) < size,
      let place = ledger.reserve(next)
    {
      run.append((next, place))
      next.index += 1
    }
    return run
  }

  /// Fetches a run of consecutive blocks with the lock released, and copies the first block to the buffer.
  private func fill(
    _ run: [Reservation], size: Int64, _ block: UnsafeMutableRawBufferPointer, fetch: Fetch
  ) throws {
    runsFilling += 1
    condition.unlock()
    let outcome = Result { try load(run, size: size, block, fetch: fetch) }
    condition.lock()
    runsFilling -= 1
    for block in run {
      switch outcome {
      case .success(nil): ledger.publish(block.key)
      case .success, .failure: ledger.abandon(block.key)
      }
    }
    if let full = try? outcome.get() { giveRoomBack("\(full)") }
    condition.broadcast()
    _ = try outcome.get()
  }

  /// Empties the cache, because the disk is full. Reads bypass the cache for a while.
  package func makeRoom(because reason: String) {
    condition.lock()
    defer { condition.unlock() }
    giveRoomBack(reason)
  }

  /// Empties the cache. Blocks that are being fetched still reach their readers, but are not kept.
  private func giveRoomBack(_ reason: String) {
    guard readsPast == 0 else { return }
    readsPast = Self.readsUntilRetry
    ledger = BlockLedger(places: places)
    ftruncate(file.descriptor, 0)
    unkept(reason)
  }

  /// Counts a read that bypasses the cache. The last one waits for pending writes to abandoned places.
  private func passOne() {
    guard readsPast > 1 || runsFilling == 0 else { return }
    readsPast -= 1
    if readsPast == 0 { ftruncate(file.descriptor, 0) }
  }

  /// Fetches and keeps blocks. Returns the error if the disk failed, which does not stop the read.
  private func load(
    _ run: [Reservation], size: Int64, _ block: UnsafeMutableRawBufferPointer, fetch: Fetch
  ) throws -> LocalFileError? {
    guard let first = run.first else { return nil }
    let start = Int64(first.key.index) * Int64(blockSize)
    let count = Int(min(Int64(run.count * blockSize), size - start))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { bytes.deallocate() }
    try fetch(first.key.index, bytes)
    block.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<block.count]))
    do {
      for (number, block) in run.enumerated() {
        let range = number * blockSize..<min((number + 1) * blockSize, count)
        try file.write(
          UnsafeRawBufferPointer(rebasing: bytes[range]),
          at: Int64(block.place) * Int64(blockSize))
      }
      return nil
    } catch {
      return error
    }
  }
}
