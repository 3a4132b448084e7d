import Crypto
import FarmAPI
import Foundation
import Planning
import Processes
import Rendering

/// A message between a worker and its render process: a kind, bytes, and at most one descriptor.
struct RenderMessage: Sendable {
  enum Kind: UInt8, Sendable {
    // To the process.
    /// Render a ``RenderOrder`` into the descriptor's file.
    case render
    /// The asset is in the descriptor's file, and the bytes are its block digests.
    case file
    /// The asset is read from the worker. The bytes are its number and its size.
    case served
    /// The requested bytes of the asset; none at its end.
    case bytes
    /// The request cannot be served; the bytes are the reason.
    case refused

    // From the process.
    /// Open an asset. The bytes are its SHA-256.
    case open
    /// The file of an asset differs from the asset, so read it from the worker instead. The bytes are the asset's
    /// SHA-256.
    case differs
    /// Read bytes of an asset: a ``ByteRequest``.
    case read
    /// The bytes are the number of rendered frames.
    case progress
    /// The chunk is written: a ``FinishedRender``.
    case finished
    /// The segment cannot be rendered: a `FailureReport`. It is the process's last message.
    case failed
  }

  var kind: Kind
  var bytes: [UInt8] = []
  var descriptor: Int32 = -1
}

/// A request to a render process.
struct RenderOrder: Codable, Sendable {
  /// The segment to render, with the sizes of its assets.
  var lease: Lease
}

/// A render process's report about a chunk.
struct FinishedRender: Codable, Sendable {
  var frameCount: Int
  /// The length and checksum of the descriptor's file.
  var content: WrittenContent
  var parameterSets: Data
  /// The damaged source frames that the chunk shows; `nil` for none.
  var concealments: [Concealment]?
}

/// A request for bytes of an asset.
struct ByteRequest: Hashable, Sendable {
  /// The number of the asset.
  var asset: Int
  var offset: Int64
  var count: Int

  /// The maximum number of bytes in one request.
  static let furthest = 1 << 20

  init(asset: Int, offset: Int64, count: Int) {
    self.asset = asset
    self.offset = offset
    self.count = min(count, Self.furthest)
  }

  /// Reads the bytes of a message. Returns `nil` if they are not a valid request.
  init?(_ bytes: [UInt8]) {
    guard let numbers = Message.numbers(3, in: bytes), numbers[0] >= 0, numbers[1] >= 0,
      (0...Int64(Self.furthest)).contains(numbers[2])
    else { return nil }
    self.init(asset: Int(numbers[0]), offset: numbers[1], count: Int(numbers[2]))
  }

  var bytes: [UInt8] { Message.bytes(of: [Int64(asset), offset, Int64(count)]) }
}
