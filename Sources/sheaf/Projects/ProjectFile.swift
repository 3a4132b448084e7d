import Foundation
import ProjectFormat
import Threads
import Timeline

/// A project document with the files that it names, ready to submit to a farm.
package struct ProjectFile: Sendable {
  /// The name that the farm shows.
  package var name: String
  /// The document's bytes, which are submitted unchanged.
  private var bytes: [UInt8]
  /// The project that was read from it.
  package var document: ProjectDocument
  /// The findings on values that could not be read.
  var misread: [Finding]
  /// The values that could not be read and have placeholders in the document.
  var unread: UnreadValues
  /// Probable mistakes, which do not prevent the project from being rendered.
  private(set) var warnings: [Finding] = []
  /// The absolute paths of the files, by the names of the assets.
  package var files: [String: String]

  /// The document as it is submitted.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The absolute paths of the files, by the paths that the document uses.
  package var paths: [String: String] {
    let paths = files.compactMap { name, file in document.assets[name]?.path.map { ($0, file) } }
    return Dictionary(paths) { first, _ in first }
  }

  /// The assets that only a coordinator fetches, by name.
  var remoteAssets: [(name: String, url: AssetURL)] {
    document.assets.sorted { $0.key < $1.key }
      .compactMap { name, asset in asset.url.map { (name, $0) } }
  }

  /// Reads a document whose paths are relative to `directory`.
  ///
  /// - Throws: `ProjectError` if it cannot be read.
  init(_ bytes: [UInt8], name: String, directory: String) throws {
    self.name = name
    self.bytes = bytes
    (document, misread, unread) = try ProjectDocument.read(bytes)
    let base = URL(fileURLWithPath: directory, isDirectory: true)
    files = document.assets.compactMapValues { asset in
      // An asset that cannot be read has no path.
      asset.path.flatMap { $0.isEmpty ? nil : $0 }.map {
        URL(fileURLWithPath: $0, relativeTo: base).standardizedFileURL.path
      }
    }
  }

  /// Reads a project file.
  ///
  /// - Throws: ``CommandFailure`` or `ProjectError` if it cannot be read.
  static func load(_ file: String) async throws -> ProjectFile {
    let url = URL(fileURLWithPath: file)
    return try await load(
      named: url.deletingPathExtension().lastPathComponent,
      directory: url.deletingLastPathComponent().path
    ) {
      try contents(of: file)
    }
  }

  private static func load(
    named name: String, directory: String, _ bytes: @escaping @Sendable () throws -> [UInt8]
  ) async throws -> ProjectFile {
    try await BlockingThread.runUntilCancelled(named: "project") {
      try ProjectFile(bytes(), name: name, directory: directory)
    }
  }

  /// Reads a project file.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read.
  package static func read(_ file: String) async throws -> ProjectFile {
    try await CommandFailure.reporting { try await load(file) }
  }

  /// Reads a project that this program made.
  ///
  /// - Parameter names: the arguments that set its values, by the paths of the values. Findings name these instead.
  /// - Throws: ``CommandFailure`` if it cannot be read.
  package static func make(
    _ bytes: [UInt8], name: String, directory: String, naming names: [FindingPath: String] = [:]
  ) async throws -> ProjectFile {
    try await CommandFailure.reporting(naming: names) {
      try await load(named: name, directory: directory) { bytes }
    }
  }

  /// Returns the project if it has no findings. The coordinator checks the content of assets at URLs.
  ///
  /// - Parameters:
  ///   - roots: the directories that may contain its files. If empty, files may be anywhere.
  ///   - mayLackFonts: whether to ignore fonts that this machine lacks, because the project is planned elsewhere.
  ///   - names: the arguments that set its values, by the paths of the values. Findings name these instead.
  ///   - hashed: the files whose content is known.
  /// - Throws: ``CommandFailure`` with every finding.
  package func checked(
    roots: [String] = [], mayLackFonts: Bool = false, naming names: [FindingPath: String] = [:],
    hashed: HashedMedia = HashedMedia()
  ) async throws -> ProjectFile {
    try await CommandFailure.reporting(naming: names) {
      guard remoteAssets.isEmpty else {
        try await LocalProject.examine(self, roots: roots, mayLackFonts: mayLackFonts)
        return self
      }
      var checked = self
      checked.warnings =
        try await LocalProject.check(
          self, roots: roots, mayLackFonts: mayLackFonts, hashed: hashed
        ).warnings
      return checked
    }
  }

  /// The reasons for rejecting files, by asset name. A file is rejected if it is outside all roots after resolving links.
  func outside(_ roots: [String]) -> [String: String] {
    guard !roots.isEmpty else { return [:] }
    let allowed = roots.map { Self.resolved($0) }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    return files.compactMapValues { file in
      let real = Self.resolved(file)
      guard !allowed.contains(where: real.hasPrefix) else { return nil }
      return "\(real) is not under \(roots.joined(separator: " or ")): allow it with --root"
    }
  }

  /// The files that may be read, by asset name.
  package func files(under roots: [String]) async throws -> [String: String] {
    try await BlockingThread.run(named: "roots") {
      let outside = outside(roots)
      return files.filter { outside[$0.key] == nil }
    }
  }

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private static func contents(of file: String) throws(CommandFailure) -> [UInt8] {
    var status = stat()
    guard stat(file, &status) == 0, access(file, R_OK) == 0 else {
      throw CommandFailure(
        .failed, "cannot read the project", on: file,
        remedy: "check that it exists and is readable (\(String(cString: strerror(errno))))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(
        .failed, "cannot read the project", on: file, remedy: "name a regular file")
    }
    guard Int(status.st_size) <= ProjectDocument.byteLimit else {
      throw .invalidProject([
        "\(file): the file has \(status.st_size) bytes, and the limit is"
          + " \(ProjectDocument.byteLimit); split the project"
      ])
    }
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    } catch {
      throw CommandFailure(
        .failed, "cannot read the project", on: file, remedy: error.localizedDescription)
    }
    // Text contains no NUL, and media begins with some.
    guard !bytes.prefix(1024).contains(0) else {
      throw .invalidProject([
        "\(file): this is not a project file, which is JSON; `sheaf init` writes one"
      ])
    }
    return bytes
  }
}

extension CommandFailure {
  /// Runs `body` and returns its value. Findings become a failure of the command.
  ///
  /// - Parameter names: the command's arguments, by the paths of the values that they set.
  static func reporting<Value>(
    naming names: [FindingPath: String] = [:], _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as ProjectError {
      guard !names.isEmpty else { throw invalidProject(error.lines) }
      throw ArgumentNames(names).failure(error)
    }
  }
}
