import Crypto
import FarmAPI
import Foundation
import Preparation
import Processes
import Synchronization
import Threads
import Timeline

/// Files that are hashed while their media indexes are made, so that both can be kept in this user's cache.
package struct HashedMedia: Sendable {
  private let cache: MediaCache?
  /// The files that are being hashed, by path. A file that cannot be read has no value.
  private let hashing: [String: Task<HashedAsset?, Never>]

  /// Creates an instance without files or cache.
  package init() {
    cache = nil
    hashing = [:]
  }

  /// Begins to hash files and to list their block digests in the cache, a few at a time. A file that the cache knows is
  /// not read.
  init(_ paths: Set<String>, cache: MediaCache?) {
    self.cache = cache
    let gate = Gate(ProcessInfo.processInfo.activeProcessorCount)
    var hashing: [String: Task<HashedAsset?, Never>] = [:]
    for path in paths.sorted() {
      hashing[path] = Task {
        guard (try? await gate.enter()) != nil else { return nil }
        defer { gate.leave() }
        return try? await BlockingThread.runUntilCancelled(named: "hash") {
          try HashedAsset.hash(path, listingBlocks: true, through: cache)
        }
      }
    }
    self.hashing = hashing
  }

  /// The hashed files by path, without those that cannot be read.
  func assets() async -> [String: HashedAsset] {
    var assets: [String: HashedAsset] = [:]
    for (path, task) in hashing { assets[path] = await task.value }
    return assets
  }

  /// Forgets the digests of the files, because one of them turned out to be another file. Blocks briefly.
  func forget() { for path in hashing.keys { cache?.forget(path) } }

  /// The indexes of files, or the errors of unreadable ones, in order. Takes them from the cache, or makes and stores
  /// them.
  func indexes(
    of paths: [String], by tools: MediaChildren
  ) async throws -> [Result<MediaIndex, JobError>] {
    guard let cache else { return try await tools.indexes(of: paths.map(Self.request)) }
    return try await withThrowingTaskGroup(
      of: (Int, Result<MediaIndex, JobError>).self
    ) { group in
      for (place, path) in paths.enumerated() {
        group.addTask { (place, try await index(of: path, by: tools, cache)) }
      }
      var indexes: [Int: Result<MediaIndex, JobError>] = [:]
      for try await (place, index) in group { indexes[place] = index }
      return paths.indices.compactMap { indexes[$0] }
    }
  }

  private static func request(_ path: String) -> ProbeRequest {
    ProbeRequest(path: LocalMedia.resolved(path), name: path)
  }

  private func index(
    of path: String, by tools: MediaChildren, _ cache: MediaCache
  ) async throws -> Result<MediaIndex, JobError> {
    let before = try await BlockingThread.run(named: "cache") {
      let stamp = FileStamp(ofFile: path)
      let content = stamp.flatMap { cache.digest(of: $0) }
      return (stamp: stamp, index: content.flatMap { Self.read(cache.index(of: $0)) })
    }
    if let index = before.index { return .success(index) }
    guard let hashing = hashing[path],
      let folder = try? cache.makeFolder()
    else {
      guard let result = try await tools.indexes(of: [Self.request(path)]).first else {
        throw CommandFailure(.failed, "the media process returned no index", on: path)
      }
      return result
    }
    let made = Mutex<MediaIndex?>(nil)
    let errors = try await tools.index([Self.request(path)], in: folder.path, for: nil) { _, file in
      try await BlockingThread.run(named: "index") { made.withLock { $0 = Self.read(file) } }
      // The index belongs to the content if the file was the same before and after both were made.
      guard let stamp = before.stamp, let asset = await hashing.value, asset.stamp == stamp else {
        return
      }
      try await BlockingThread.run(named: "cache") {
        guard FileStamp(ofFile: path) == stamp else { return }
        cache.take(index: file, of: asset.reference.digest)
        cache.tidy()
      }
    }
    if let error = errors.first ?? nil { return .failure(error) }
    guard let index = made.withLock({ $0 }) else {
      return .failure(JobError(.mediaProcessDied, "\(path): the media process returned no index"))
    }
    return .success(index)
  }

  private static func read(_ file: String?) -> MediaIndex? {
    file.flatMap { try? MediaIndexFile.read($0, frames: Patience().frameCount) }
  }
}
