import FarmAPI
import Foundation

/// Measures the sizes of the coordinator's stores, which takes as long as listing their files, at most once a minute.
actor StoreSizes {
  private let directory: DataDirectory
  private let threads: BlockingThreads
  private let now: @Sendable () -> ContinuousClock.Instant
  private var last: (sizes: FarmStatus.Stores, instant: ContinuousClock.Instant)?
  private var measurement: Task<FarmStatus.Stores, any Error>?

  /// The time for which a measurement is used.
  private static let lifetime = Duration.seconds(60)

  init(
    _ directory: DataDirectory, threads: BlockingThreads,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.directory = directory
    self.threads = threads
    self.now = now
  }

  /// The sizes of the stores. Callers at the same time share one measurement.
  func sizes() async throws -> FarmStatus.Stores {
    if let last, now() - last.instant < Self.lifetime { return last.sizes }
    if let measurement { return try await measurement.value }
    let task = Task { [directory, threads] in
      try await threads.run {
        FarmStatus.Stores(
          assets: Self.size(of: directory.assets), chunks: Self.size(of: directory.chunks),
          outputs: Self.size(of: directory.outputs))
      }
    }
    measurement = task
    defer { measurement = nil }
    let sizes = try await task.value
    last = (sizes, now())
    return sizes
  }

  /// The size of all files in a folder in bytes.
  private static func size(of folder: String) -> Int64 {
    let names = FileManager.default.enumerator(atPath: folder)
    var sum: Int64 = 0
    while let name = names?.nextObject() as? String {
      var information = stat()
      guard lstat("\(folder)/\(name)", &information) == 0,
        information.st_mode & S_IFMT == S_IFREG
      else { continue }
      sum += Int64(information.st_size)
    }
    return sum
  }
}
