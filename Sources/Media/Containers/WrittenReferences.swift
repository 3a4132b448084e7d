import Crypto
import Glibc

/// Leaves those bytes out of a file that is being written that another file has, and refers to them.
struct WrittenReferences {
  /// The SHA-256 of the referenced file.
  private let file: Digest
  private var pieces: [ReferenceTable.Piece] = []
  private var content = WrittenBlocks()
  /// The length of the whole file so far, and of its own bytes.
  private var (end, ownCount): (Int64, Int64) = (0, 0)
  private var candidate: Candidate?

  /// Bytes that are probably written next. The referenced file has all but the first of them at an offset.
  private struct Candidate {
    let bytes: UnsafeRawBufferPointer
    let ownCount: Int
    let offset: Int64
    /// How many of them were written.
    var count = 0

    /// Whether these bytes are the next of them.
    func continues(with next: UnsafeRawBufferPointer) -> Bool {
      guard let start = bytes.baseAddress, let nextStart = next.baseAddress else {
        return next.isEmpty
      }
      return next.count <= bytes.count - count
        && memcmp(start.advanced(by: count), nextStart, next.count) == 0
    }
  }

  init(to file: Digest) { self.file = file }

  /// Announces bytes that are probably written next. The referenced file has all but the first `ownCount` at `offset`.
  /// They must stay valid until ``settle(_:)``.
  mutating func expect(_ bytes: UnsafeRawBufferPointer, ownCount: Int, at offset: Int64) {
    candidate = Candidate(bytes: bytes, ownCount: ownCount, offset: offset)
  }

  /// Ends ``expect(_:ownCount:at:)``: refers to the bytes, if exactly they were written.
  ///
  /// - Parameter write: writes own bytes at an offset among them.
  mutating func settle(_ write: (UnsafeRawBufferPointer, Int64) throws -> Void) rethrows {
    guard let candidate else { return }
    guard candidate.count == candidate.bytes.count, candidate.count > 0 else {
      return try giveUp(write)
    }
    self.candidate = nil
    try append(
      UnsafeRawBufferPointer(rebasing: candidate.bytes.prefix(candidate.ownCount)), write)
    refer(
      to: UnsafeRawBufferPointer(rebasing: candidate.bytes.dropFirst(candidate.ownCount)),
      at: candidate.offset)
  }

  private mutating func refer(to bytes: UnsafeRawBufferPointer, at offset: Int64) {
    content.append(bytes)
    end += Int64(bytes.count)
    if case .referenced(let start, let count)? = pieces.last, start + count == offset {
      pieces[pieces.count - 1] = .referenced(offset: start, count: count + Int64(bytes.count))
    } else {
      pieces.append(.referenced(offset: offset, count: Int64(bytes.count)))
    }
  }

  /// Writes bytes of the whole file at an offset.
  ///
  /// - Parameter write: writes own bytes at an offset among them.
  /// - Returns: whether the file can take bytes there: at its end, or in place of own bytes.
  mutating func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64,
    _ write: (UnsafeRawBufferPointer, Int64) throws -> Void
  ) rethrows -> Bool {
    if let next = candidate, offset == end + Int64(next.count), next.continues(with: bytes) {
      candidate?.count += bytes.count
      return true
    }
    try giveUp(write)
    if offset == end {
      try append(bytes, write)
      return true
    }
    var (start, own): (Int64, Int64) = (0, 0)
    for piece in pieces {
      if offset < start + piece.count {
        guard case .own = piece, offset + Int64(bytes.count) <= start + piece.count else {
          return false
        }
        try write(bytes, own + offset - start)
        return true
      }
      start += piece.count
      if case .own(let count) = piece { own += count }
    }
    return false
  }

  /// Writes what was held back of the expected bytes.
  private mutating func giveUp(
    _ write: (UnsafeRawBufferPointer, Int64) throws -> Void
  ) rethrows {
    guard let held = candidate else { return }
    candidate = nil
    try append(UnsafeRawBufferPointer(rebasing: held.bytes.prefix(held.count)), write)
  }

  private mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer, Int64) throws -> Void
  ) rethrows {
    guard !bytes.isEmpty else { return }
    try write(bytes, ownCount)
    end += Int64(bytes.count)
    ownCount += Int64(bytes.count)
    if case .own(let count)? = pieces.last {
      pieces[pieces.count - 1] = .own(count: count + Int64(bytes.count))
    } else {
      pieces.append(.own(count: Int64(bytes.count)))
    }
  }

  /// Writes the table, if the file refers to any bytes.
  func finish(_ write: (UnsafeRawBufferPointer, Int64) throws -> Void) rethrows {
    let content = content.content
    guard content.byteCount > 0 else { return }
    let table = ReferenceTable(file: file, content: content, pieces: pieces)
    try table.encoded.withUnsafeBytes { try write($0, ownCount) }
  }
}
