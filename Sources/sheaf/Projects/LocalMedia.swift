import FarmAPI
import Foundation
import Planning
import Preparation
import Processes
import ProjectFormat
import Threads
import Timeline

extension TemporaryFolder.Kind {
  /// The pictures of a project's layers.
  static let layers = Self(rawValue: "layers")
}

extension TemporaryFolder {
  /// Creates a folder for the pictures of layers, after it removes those of commands that were killed.
  static func forLayers() throws(CommandFailure) -> TemporaryFolder {
    sweep(.layers)
    do throws(CreationError) {
      return try TemporaryFolder(.layers)
    } catch {
      throw CommandFailure(.failed, lines: [error.description])
    }
  }
}

/// Media on this machine. Child processes of `sheaf` open it in a sandbox, because this process may hold a token.
struct LocalMedia: ProjectMedia {
  private let tools: MediaChildren
  /// A project's files, and the reasons why some are not read, by asset name.
  private let files: [String: String]
  private let refused: [String: String]
  /// The folder in which the pictures of layers stay; `nil` if only their descriptions are needed.
  private let layers: TemporaryFolder?
  /// The files whose content is known.
  private let hashed: HashedMedia

  /// Creates access to media files.
  ///
  /// - Parameters:
  ///   - files: the files of a project to prepare, by asset name.
  ///   - refused: why files must not be read, by asset name.
  ///   - layers: the folder in which the pictures of layers stay; `nil` if only their descriptions are needed.
  ///   - hashed: the files whose content is known.
  init(
    _ files: [String: String] = [:], refusing refused: [String: String] = [:],
    keepingLayersIn layers: TemporaryFolder? = nil, hashed: HashedMedia = HashedMedia()
  ) {
    self.hashed = hashed
    self.files = files
    self.refused = refused
    self.layers = layers
    tools = MediaChildren(limit: ProcessInfo.processInfo.activeProcessorCount)
  }

  /// The index of a file, or the reason why it has none.
  ///
  /// - Throws: ``CommandFailure`` if no child can probe it.
  func index(of path: String) async throws -> Result<MediaIndex, JobError> {
    guard
      let result = try await reporting({ try await hashed.indexes(of: [path], by: tools) }).first
    else {
      throw CommandFailure(.failed, "the media process returned no index", on: path)
    }
    if case .failure(let error) = result, !error.blamesFile { throw error.commandFailure }
    return result
  }

  /// The libraries, codecs, fonts and sandbox of this machine's media processes.
  ///
  /// - Throws: `JobError` if no media process can run, with `notConfined` if it is because of the sandbox.
  func examineHost() async throws -> HostMedia { try await tools.examine() }

  /// Decodes an entire file and returns the results.
  func verify(_ path: String, index: MediaIndex) async throws -> [StreamVerification] {
    let request = ProbeRequest(path: Self.resolved(path), name: path)
    return try await reporting { try await tools.verify(request, index: index) }
  }

  /// The indexes of all files that can be read as media, and the reasons why the others cannot.
  ///
  /// - Parameter paths: the files by asset name.
  /// - Throws: ``CommandFailure`` if children cannot run on this machine.
  func indexes(of paths: [String: String]) async throws -> (
    indexes: [String: MediaIndex], unreadable: [String: String]
  ) {
    let files = paths.sorted { $0.key < $1.key }
    let results = try await reporting {
      try await hashed.indexes(of: files.map(\.value), by: tools)
    }
    var indexes: [String: MediaIndex] = [:]
    var unreadable: [String: String] = [:]
    for (file, result) in zip(files, results) {
      switch result {
      case .success(let index): indexes[file.key] = index
      case .failure(let error) where error.blamesFile:
        unreadable[file.key] = error.failure.message
      case .failure(let error): throw error.commandFailure
      }
    }
    return (indexes, unreadable)
  }

  func indexes(for document: ProjectDocument) async throws -> ProjectIndexes {
    let media = document.media
    let (indexes, unreadable) = try await indexes(
      of: files.filter { media[$0.key] != nil && refused[$0.key] == nil })
    return ProjectIndexes(
      indexes: indexes, unreadable: unreadable.merging(refused) { _, refusal in refusal },
      unseen: Set(refused.keys).union(document.assets.keys.filter { files[$0] == nil }))
  }

  func findings(_ question: EncoderCheck) async throws -> [Finding] {
    try await reporting { try await tools.check(question) }
  }

  func rasters(
    of requests: [RasterRequest], root: FindingPath
  ) async throws -> [LayerRaster] {
    let folder = try layers ?? TemporaryFolder.forLayers()
    defer { withExtendedLifetime(folder) {} }
    let request = TypesetRequest(
      rasters: requests, files: files.mapValues { AssetFile(path: Self.resolved($0)) }, root: root,
      directory: folder.path)
    return try await reporting { try await tools.typeset(request) }
  }

  /// Computes on a thread of its own, which is left to end by itself if the task is cancelled.
  func compute<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await BlockingThread.runUntilCancelled(named: name, work)
  }

  /// The subject is not shown, because the children name theirs.
  func note(_ subject: String) {}

  /// Writes a picture of output frames.
  func makeStills(_ request: StillsRequest) async throws {
    try await reporting { try await tools.makeStills(request) }
  }

  /// Resolves links, because a child opens only the file itself.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as JobError {
      throw error.commandFailure
    }
  }
}

extension JobError {
  /// Whether the file, rather than this machine, is the reason why a child has no index of it.
  fileprivate var blamesFile: Bool {
    ![
      .notConfined, .mediaProcessFailed, .outOfMemory,
      .mediaProcessKilled, .mediaProgramUnusable,
      .diskFull, .writeFailed,
    ].contains(failure.code)
  }

  /// The failure as the command line reports it. A limit is reached because of the project, and not of this machine.
  var commandFailure: CommandFailure {
    CommandFailure(
      failure.code == .limitReached ? .invalidProject : .failed, lines: [failure.message])
  }
}
