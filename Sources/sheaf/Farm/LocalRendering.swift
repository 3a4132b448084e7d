import FarmAPI
import Foundation
import HTTP
import Preparation
import Threads

/// Renders on a temporary farm on this machine.
struct LocalRendering: Sendable {
  /// The number of segments to render at a time, if ``slots`` is 1.
  var workers: Int
  /// The factor by which ``workers`` is multiplied.
  var slots: Int
  /// The memory that the segments may need together, in bytes; `nil` for the machine's, minus a reserve.
  var memory: Int?
  /// The origins from which the farm may fetch assets, as arguments of its coordinator.
  var sources: [String] = []

  /// Renders a project and saves the file.
  ///
  /// The farm starts while the project's media is read.
  ///
  /// - Parameters:
  ///   - files: the paths of the project's files.
  ///   - prepare: reads the files, some of whose contents are known, and returns the project if it has no problems.
  func render(
    files: some Sequence<String>, to output: OutputPath, showing display: ProgressDisplay,
    preparing prepare: @escaping @Sendable (HashedMedia) async throws -> ProjectFile
  ) async throws -> FinishedFile? {
    try Task.checkCancellation()
    let (files, cache) = (Set(files), await MediaCache.opened())
    let folders = try await BlockingThread.run(named: "folders") { Self.folders(of: files) }
    return try await LoopbackFarm.with(
      slots: min(workers, LoopbackFarm.mostSlots) * min(slots, LoopbackFarm.mostSlots),
      memory: memory, mediaRoots: folders, cache: cache?.folder, sources: sources,
      in: URL(fileURLWithPath: output.path).deletingLastPathComponent().path
    ) { farm in
      let hashed = HashedMedia(files, listingBlocks: true, cache: cache)
      do {
        let project = try await prepare(hashed)
        return try await Self.render(project, hashed, on: farm, to: output, showing: display)
      } catch {
        await hashed.cancel()
        throw error
      }
    }
  }

  private static func render(
    _ project: ProjectFile, _ hashed: HashedMedia, on farm: LoopbackFarm, to output: OutputPath,
    showing display: ProgressDisplay
  ) async throws -> FinishedFile? {
    let connection = FarmConnection(to: ServerAddresses(farm.coordinator))
    let submission = Submission(project, to: connection, display: display)
    display.show(.hashing)
    let submitted = try await submission.submit(sharingMedia: true, hashed: hashed.assets())
    let job = try await connection.listingConcealed(
      Submission.finish(submitted, at: connection, showing: display) { job in
        // The farm read other bytes than those that were hashed or that the cache knew.
        if [.assetChanged, .damagedAsset].contains(job.failure?.code) {
          try await BlockingThread.run(named: "cache") { hashed.forget() }
        }
        try checkMemory(job)
      })
    let isHere = try await BlockingThread.run(named: "output") {
      try farm.handOver(job, to: output)
    }
    if !isHere {
      try await OutputFetch(from: connection, display: display)
        .fetch(job, to: output, through: farm.path("output.part"))
    }
    return FinishedFile(job, at: output)
  }

  /// Throws if a segment needs more memory than the farm's only worker has.
  private static func checkMemory(_ job: JobStatus) throws {
    guard let needed = job.memoryNeeded else { return }
    throw CommandFailure(
      .failed, "a segment needs \(ByteCount(needed)) of memory, more than this machine can spare",
      on: job.name,
      remedy: "use a smaller size or a faster encoder preset, or allow more with --memory")
  }

  /// The existing folders of files. All links are resolved, because the farm compares resolved paths with its roots.
  private static func folders(of files: some Sequence<String>) -> [String] {
    let folders = Set(
      files.map {
        URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path
      })
    return folders.filter { access($0, F_OK) == 0 }.sorted()
  }
}
