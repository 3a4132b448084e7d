import Foundation
import Synchronization
import Threads

/// Measures how much the stores hold. Measuring lists every file, so a result is used for a while.
package final class StoreSizes: Sendable {
  /// The contents of one store.
  package struct Size: Hashable, Sendable {
    /// The sum of the files' lengths.
    package var bytes: Int64 = 0
    /// The number of files.
    package var files = 0
  }

  /// The contents of all stores.
  package struct Sizes: Hashable, Sendable {
    package var assets = Size()
    package var chunks = Size()
    package var mixes = Size()
    package var outputs = Size()
    package var quarantine = Size()
  }

  private struct State {
    var sizes: Sizes?
    var measuredAt = ContinuousClock.now
    var isMeasuring = false
  }

  private static let validity = Duration.seconds(60)
  private let storage: any ObjectStorage
  /// The folder for damaged files.
  private let quarantine: String
  private let state = Mutex(State())

  init(of storage: any ObjectStorage, quarantine: String) {
    self.storage = storage
    self.quarantine = quarantine
  }

  /// The sizes as measured at most a minute ago, or a little longer if there are many files: they are measured again in
  /// the background. `nil` until they have been measured once.
  package func current() async -> Sizes? {
    let (known, isDue) = state.withLock { state in
      let isOld = ContinuousClock.now - state.measuredAt > Self.validity
      let isDue = !state.isMeasuring && (state.sizes == nil || isOld)
      if isDue { state.isMeasuring = true }
      return (state.sizes, isDue)
    }
    guard isDue else { return known }
    let measuring = Task { await measure() }
    if let known { return known }
    return await measuring.value
  }

  private func measure() async -> Sizes? {
    let sizes = try? await BlockingThread.run(named: "store-sizes") { [storage, quarantine] in
      Sizes(
        assets: Self.size(of: .asset, in: storage), chunks: Self.size(of: .chunk, in: storage),
        mixes: Self.size(of: .mix, in: storage), outputs: Self.size(of: .output, in: storage),
        quarantine: Self.size(ofFolder: quarantine))
    }
    return state.withLock { state in
      state.isMeasuring = false
      state.measuredAt = .now
      if let sizes { state.sizes = sizes }
      return state.sizes
    }
  }

  private static func size(of kind: ObjectKind, in storage: any ObjectStorage) -> Size {
    var size = Size()
    storage.forEach(of: kind) { entry in
      size.bytes += entry.byteCount
      size.files += 1
    }
    return size
  }

  private static func size(ofFolder folder: String) -> Size {
    var size = Size()
    let files = FileManager.default.enumerator(atPath: folder)
    while let file = files?.nextObject() as? String {
      var status = stat()
      guard lstat("\(folder)/\(file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      size.bytes += Int64(status.st_size)
      size.files += 1
    }
    return size
  }
}
