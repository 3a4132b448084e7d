import Crypto
import Foundation

/// Blocks of assets on the local disk, shared by all slots, the least recently used ones giving way.
///
/// A block that several slots miss at once is fetched once; the others wait for it. Blocking, for own threads.
package final class BlockCache: @unchecked Sendable {
  // Sound because `ledger` is only touched while `condition` is locked, and the rest never changes.

  /// Fills the buffer with the asset's bytes from an offset on.
  package typealias Fetch = (Int64, UnsafeMutableRawBufferPointer) throws -> Void

  /// The number of bytes in a block.
  package let blockSize: Int
  private let file: UnlinkedFile
  private let condition = NSCondition()
  private var ledger: BlockLedger

  /// An empty cache of at most `byteLimit` bytes on the file system of `directory`.
  ///
  /// - Throws: ``LocalFileError``.
  package init(directory: String, byteLimit: Int64, blockSize: Int = 1 << 18)
    throws(LocalFileError)
  {
    file = try UnlinkedFile(in: directory)
    self.blockSize = blockSize
    ledger = BlockLedger(places: max(1, Int(byteLimit / Int64(blockSize))))
  }

  /// Reads bytes of an asset up to the end of the block that `offset` lies in, fetching what is not here.
  ///
  /// - Parameters:
  ///   - size: the asset's length in bytes.
  ///   - ahead: how many blocks to fetch in one go at most when the block is not here.
  /// - Returns: how many bytes were read, 0 only at the asset's end.
  package func read(
    _ asset: Digest, size: Int64, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer,
    ahead: Int = 1, fetch: Fetch
  ) throws -> Int {
    guard offset >= 0, offset < size, !buffer.isEmpty else { return 0 }
    let index = Int(offset / Int64(blockSize))
    let inBlock = Int(offset % Int64(blockSize))
    let count = min(buffer.count, blockSize - inBlock, Int(clamping: size - offset))
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    let key = BlockKey(asset: asset, index: index)
    condition.lock()
    defer { condition.unlock() }
    while true {
      switch ledger.look(up: key) {
      case .stored(let place):
        // Under the lock, so that the place is not given to another block meanwhile; it is a copy of memory.
        try file.read(into: part, at: Int64(place) * Int64(blockSize) + Int64(inBlock))
        return count
      case .fetching:
        condition.wait()
      case .absent:
        let run = reserve(from: key, size: size, atMost: ahead)
        if run.isEmpty { condition.wait() } else { try fill(run, size: size, fetch: fetch) }
      }
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

  /// Fetches a run of neighbouring blocks with the lock released.
  private func fill(_ run: [Reservation], size: Int64, fetch: Fetch) throws {
    condition.unlock()
    let outcome = Result { try load(run, size: size, fetch: fetch) }
    condition.lock()
    for block in run {
      switch outcome {
      case .success: ledger.publish(block.key)
      case .failure: ledger.abandon(block.key)
      }
    }
    condition.broadcast()
    try outcome.get()
  }

  private func load(_ run: [Reservation], size: Int64, fetch: Fetch) throws {
    guard let first = run.first else { return }
    let start = Int64(first.key.index) * Int64(blockSize)
    let count = Int(min(Int64(run.count * blockSize), size - start))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { bytes.deallocate() }
    try fetch(start, bytes)
    for (number, block) in run.enumerated() {
      let range = number * blockSize..<min((number + 1) * blockSize, count)
      try file.write(
        UnsafeRawBufferPointer(rebasing: bytes[range]), at: Int64(block.place) * Int64(blockSize))
    }
  }
}
