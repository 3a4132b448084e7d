import Crypto
import FarmAPI
import Media
import Processes
import Synchronization

/// Serves the assets of one lease to a render process: by descriptor if this host has the file, and otherwise through
/// the worker.
final class ServedAssets: Sendable {
  /// The location of an asset's bytes.
  enum Place: Sendable {
    /// A file. Its descriptor is passed on with its block digests, and the reader checks its bytes.
    case file(FileByteSource, BlockDigests)
    /// Elsewhere. The worker reads them.
    case remote(RemoteAsset)
  }

  private struct State {
    /// The files that were passed on, which stay open.
    var files: [Digest: FileByteSource] = [:]
    /// The assets that the worker reads, by their numbers.
    var remote: [RemoteAsset] = []
    /// The numbers of those that keep blocks in memory.
    var recent = RecentNumbers(limit: ServedAssets.keptAssets)
    var failure: (any Error)?

    /// The asset with a number, which is about to be read.
    mutating func asset(_ number: Int) -> RemoteAsset? {
      guard remote.indices.contains(number) else { return nil }
      if let coldest = recent.use(number) { remote[coldest].dropBlocks() }
      return remote[number]
    }
  }

  /// The number of assets that keep blocks in memory, a mebibyte each. A process opens an asset for each of its readers,
  /// and all of them together must not take the worker's memory.
  private static let keptAssets = 32

  /// The number of times that the process may open an asset that the worker reads.
  private static let openLimit = 1 << 16

  private let assets: LeaseAssets
  private let state = Mutex(State())

  init(_ assets: LeaseAssets) { self.assets = assets }

  /// The first error while opening or reading.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// The answer to a request to open an asset, named by its digest in hexadecimal.
  func open(_ bytes: [UInt8]) -> RenderMessage {
    answer {
      let digest = try Self.digest(bytes)
      switch try assets.place(of: digest) {
      case .file(let file, let blocks):
        state.withLock { $0.files[digest] = file }
        return RenderMessage(kind: .file, bytes: blocks.encoded, descriptor: file.descriptor)
      case .remote(let source): return try serve(source)
      }
    }
  }

  /// The answer to a process whose file differs from the asset, so that it reads the asset through the worker.
  func replace(_ bytes: [UInt8]) -> RenderMessage {
    answer {
      let digest = try Self.digest(bytes)
      guard let file = state.withLock({ $0.files[digest] }) else {
        throw LeaseError.unlisted("\(digest)")
      }
      return try serve(assets.replacement(of: file, for: digest))
    }
  }

  /// The answer to a request for bytes.
  func read(_ bytes: [UInt8]) -> RenderMessage {
    answer {
      guard let request = ByteRequest(bytes),
        let source = state.withLock({ $0.asset(request.asset) })
      else { throw LeaseError.unlisted("?") }
      let read = try [UInt8](unsafeUninitializedCapacity: request.count) { buffer, count in
        count = try source.read(at: request.offset, into: UnsafeMutableRawBufferPointer(buffer))
      }
      return RenderMessage(kind: .bytes, bytes: read)
    }
  }

  private func serve(_ source: RemoteAsset) throws -> RenderMessage {
    let number = try state.withLock { state in
      guard state.remote.count < Self.openLimit else {
        throw LeaseError.tooManyOpened(Self.openLimit)
      }
      state.remote.append(source)
      return state.remote.count - 1
    }
    return RenderMessage(kind: .served, bytes: Message.bytes(of: [Int64(number), source.size]))
  }

  private func answer(_ body: () throws -> RenderMessage) -> RenderMessage {
    do {
      return try body()
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      return RenderMessage(kind: .refused, bytes: Array("\(error)".utf8))
    }
  }

  private static func digest(_ bytes: [UInt8]) throws -> Digest {
    guard let digest = Digest(hex: String(decoding: bytes, as: UTF8.self)) else {
      throw LeaseError.unlisted("?")
    }
    return digest
  }
}
