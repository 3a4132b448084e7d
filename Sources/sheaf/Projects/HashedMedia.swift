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
  private let made = MadeIndexes()
  /// Finished when hashing may begin.
  private let start: AsyncStream<Never>.Continuation?

  /// Creates an instance without files or cache.
  package init() {
    cache = nil
    hashing = [:]
    start = nil
  }

  /// Hashes files, a few at a time. A file that the cache knows is not read.
  ///
  /// - Parameters:
  ///   - waits: whether it does not begin before ``begin()``.
  ///   - listsBlocks: whether the cache gets the files' block digests too.
  init(
    _ paths: Set<String>, waiting waits: Bool = false, listingBlocks listsBlocks: Bool,
    cache: MediaCache?
  ) {
    self.cache = cache
    let (wait, start) = AsyncStream<Never>.makeStream()
    self.start = start
    if !waits { start.finish() }
    let started = Task { for await _ in wait {} }
    let gate = Gate(ProcessInfo.processInfo.activeProcessorCount)
    var hashing: [String: Task<HashedAsset?, Never>] = [:]
    for path in paths.sorted() {
      hashing[path] = Task {
        await started.value
        guard (try? await gate.enter()) != nil else { return nil }
        defer { gate.leave() }
        return try? await BlockingThread.runUntilCancelled(named: "hash") {
          try HashedAsset.hash(path, listingBlocks: listsBlocks, through: cache)
        }
      }
    }
    self.hashing = hashing
  }

  /// Begins to hash the files, if they wait.
  func begin() { start?.finish() }

  /// The hashed files by path, without those that cannot be read. Their indexes are in the cache afterwards. If the task
  /// is cancelled, the files are no longer hashed.
  func assets() async -> [String: HashedAsset] {
    await withTaskCancellationHandler {
      var assets: [String: HashedAsset] = [:]
      for (path, task) in hashing { assets[path] = await task.value }
      await made.finish(in: cache)
      return assets
    } onCancel: {
      for task in hashing.values { task.cancel() }
    }
  }

  /// Stops hashing, and removes the indexes that are not in the cache yet.
  func cancel() async {
    for task in hashing.values { task.cancel() }
    begin()
    await made.finish(in: cache)
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
      [made, isHashed = hashing[path] != nil] in
      let stamp = FileStamp(ofFile: path)
      let content = stamp.flatMap { cache.digest(of: $0) }
      let index =
        made.index(of: path, with: stamp) ?? content.flatMap { Self.read(cache.index(of: $0)) }
      return (
        stamp: stamp, index: index,
        folder: isHashed && index == nil ? made.makeFolder(in: cache) : nil
      )
    }
    if let index = before.index { return .success(index) }
    guard let hashing = hashing[path], let folder = before.folder else {
      guard let result = try await tools.indexes(of: [Self.request(path)]).first else {
        throw CommandFailure(.failed, "the media process returned no index", on: path)
      }
      return result
    }
    let read = Mutex<MediaIndex?>(nil)
    let errors = try await tools.index([Self.request(path)], in: folder, for: nil) { _, file in
      try await BlockingThread.run(named: "index") { read.withLock { $0 = Self.read(file) } }
      guard let stamp = before.stamp, let index = read.withLock({ $0 }) else { return }
      // Hashing takes much longer than indexing, and findings must not wait for it.
      let storing = Task {
        await Self.store(file, in: cache, of: path, with: stamp, hashedBy: hashing)
      }
      made.add(index, of: path, with: stamp, storedBy: storing)
    }
    if let error = errors.first ?? nil { return .failure(error) }
    guard let index = read.withLock({ $0 }) else {
      return .failure(JobError(.mediaProcessDied, "\(path): the media process returned no index"))
    }
    return .success(index)
  }

  /// Stores an index, which belongs to the content if the file was the same before and after both were made.
  private static func store(
    _ index: String, in cache: MediaCache, of path: String, with stamp: FileStamp,
    hashedBy hashing: Task<HashedAsset?, Never>
  ) async {
    guard let asset = await hashing.value, asset.stamp == stamp else { return }
    try? await BlockingThread.run(named: "cache") {
      guard FileStamp(ofFile: path) == stamp else { return }
      cache.take(index: index, of: asset.reference.digest)
    }
  }

  private static func read(_ file: String?) -> MediaIndex? {
    file.flatMap { try? MediaIndexFile.read($0, frames: Patience().frameCount) }
  }
}

/// The media indexes that a command has made, which are stored when their files have been hashed.
private final class MadeIndexes: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    /// The number of folders that were made in ``folder``.
    var count = 0
    var indexes: [String: (stamp: FileStamp, index: MediaIndex)] = [:]
    var storing: [Task<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// A path for a new folder in the cache's folder; `nil` if that cannot be written. Blocks.
  func makeFolder(in cache: MediaCache) -> String? {
    state.withLock { state in
      guard let folder = try? state.folder ?? cache.makeFolder() else { return nil }
      state.folder = folder
      state.count += 1
      return "\(folder.path)/\(state.count)"
    }
  }

  /// The index of the file at `path`, if it was made while the file had the stamp.
  func index(of path: String, with stamp: FileStamp?) -> MediaIndex? {
    state.withLock { state in
      guard let made = state.indexes[path], made.stamp == stamp else { return nil }
      return made.index
    }
  }

  func add(
    _ index: MediaIndex, of path: String, with stamp: FileStamp, storedBy task: Task<Void, Never>
  ) {
    state.withLock { state in
      state.indexes[path] = (stamp, index)
      state.storing.append(task)
    }
  }

  /// Waits until every index is stored or will not be, and removes the folder.
  func finish(in cache: MediaCache?) async {
    for task in state.withLock({ $0.storing }) { await task.value }
    try? await BlockingThread.run(named: "cache") { [self] in
      state.withLock { $0 = State(count: $0.count) }
      cache?.tidy()
    }
  }
}
