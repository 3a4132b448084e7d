import Crypto
import Media
import Recording
import Synchronization

/// Presents the header and the fragments of a part as one file. Each fragment is verified when it is read.
final class FragmentsByteSource: ByteSource {
  let size: Int64
  private let folder: String
  private let header: [UInt8]
  private let fragments: [RecordedFragment]
  /// The offset at which each fragment begins.
  private let offsets: [Int64]
  /// The fragment that was read last.
  private let loaded = Mutex<(index: Int, bytes: [UInt8])?>(nil)

  /// - Throws: `MediaError` with code `readFailed` if the header cannot be read.
  init(folder: String, fragments: [RecordedFragment]) throws {
    self.folder = folder
    self.fragments = fragments
    header = try Self.bytes(of: "\(folder)/\(RecordedFragment.headerName)")
    var offset = Int64(header.count)
    var offsets: [Int64] = []
    for fragment in fragments {
      offsets.append(offset)
      offset += Int64(fragment.byteCount)
    }
    self.offsets = offsets
    size = offset
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= 0, offset < size else { return 0 }
    guard offset >= Int64(header.count) else {
      return Self.copy(header, from: Int(offset), into: buffer)
    }
    var (low, high) = (0, offsets.count)
    while low < high {
      let middle = (low + high) / 2
      if offsets[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    let index = low - 1
    return Self.copy(try fragment(index), from: Int(offset - offsets[index]), into: buffer)
  }

  /// The verified bytes of a fragment.
  private func fragment(_ index: Int) throws -> [UInt8] {
    if let last = loaded.withLock({ $0 }), last.index == index { return last.bytes }
    let fragment = fragments[index]
    let path = "\(folder)/\(fragment.fileName)"
    let bytes = try Self.bytes(of: path)
    guard bytes.count == fragment.byteCount, Digest.of(bytes) == fragment.sha256 else {
      throw MediaError(
        .damagedAsset, "a fragment of the recording has changed on the disk", on: path,
        remedy: "check the disk")
    }
    loaded.withLock { $0 = (index, bytes) }
    return bytes
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    try FileByteSource(path: path).bytes(upTo: .max)
  }

  private static func copy(
    _ bytes: [UInt8], from start: Int, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let count = min(buffer.count, bytes.count - start)
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
    }
    return count
  }
}
