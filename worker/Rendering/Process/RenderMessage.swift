import Crypto
import FarmAPI
import Foundation
import Planning
import Rendering

/// What a worker and its render process tell each other: a kind, bytes, and at most one descriptor.
package struct RenderMessage: Sendable {
  /// What a message says.
  package enum Kind: UInt8, Sendable {
    // To the process.
    /// Render a ``RenderOrder`` into the descriptor's file.
    case render
    /// The asset is the descriptor's file, and the bytes are its block digests.
    case file
    /// The asset is read from the worker, by the number that the bytes are.
    case served
    /// The asset's bytes that were asked for, none at its end.
    case bytes
    /// What was asked for cannot be had.
    case refused

    // From the process.
    /// It wants to read an asset, whose SHA-256 the bytes are.
    case open
    /// The file that it was given for an asset, whose SHA-256 the bytes are, differs from the asset. It wants to read the
    /// asset from the worker.
    case differs
    /// It wants bytes of an asset: a ``ByteRequest``.
    case read
    /// So many frames are rendered.
    case progress
    /// The chunk is written: a ``FinishedRender``.
    case finished
    /// The segment cannot be rendered: a `FailureReport`. It is the process's last message.
    case failed
  }

  package var kind: Kind
  package var bytes: [UInt8] = []
  package var descriptor: Int32 = -1
}

/// What a render process is asked.
struct RenderOrder: Codable, Sendable {
  /// What to render, and the sizes of its assets.
  var lease: Lease
}

/// A render process's report about a chunk.
struct FinishedRender: Codable, Sendable {
  var frameCount: Int
  /// The length and digest of the descriptor's file.
  var content: WrittenContent
  var parameterSets: Data
  /// The damaged source frames that the chunk shows; `nil` for none.
  var concealments: [Concealment]?
}

/// Which bytes of an asset a render process wants.
struct ByteRequest: Hashable, Sendable {
  /// The number that the asset was given.
  var asset: Int
  var offset: Int64
  var count: Int

  /// The most bytes that are asked for at a time.
  static let furthest = 1 << 20

  init(asset: Int, offset: Int64, count: Int) {
    self.asset = asset
    self.offset = offset
    self.count = min(count, Self.furthest)
  }

  /// What the bytes of a message ask for, `nil` where they are none that a process may send.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 24 else { return nil }
    let numbers = bytes.withUnsafeBytes { bytes in
      (0..<3).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
    }
    guard numbers[0] >= 0, numbers[1] >= 0, (0...Int64(Self.furthest)).contains(numbers[2]) else {
      return nil
    }
    self.init(asset: Int(numbers[0]), offset: numbers[1], count: Int(numbers[2]))
  }

  var bytes: [UInt8] {
    [Int64(asset), offset, Int64(count)].withUnsafeBytes { Array($0) }
  }
}
