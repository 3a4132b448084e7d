import Crypto
import FarmAPI
import Foundation
import ProjectFormat
import Timeline

/// A request to the process that reads a submission.
package struct ReadingRequest: Hashable, Codable, Sendable {
  /// The file with the submission: the body of `POST /jobs`.
  package var submission: String
  /// The SHA-256 of that file.
  package var digest: Digest
  /// The directory for the project's text, in a file called ``projectName``.
  package var directory: String
  /// The maximum nesting depth of arrays and objects.
  package var depth: Int
  /// The maximum size of the project's text, in bytes.
  package var byteLimit: Int
  package var limits: PlanningLimits

  package init(
    submission: String, digest: Digest, directory: String, depth: Int, byteLimit: Int,
    limits: PlanningLimits
  ) {
    self.submission = submission
    self.digest = digest
    self.directory = directory
    self.depth = depth
    self.byteLimit = byteLimit
    self.limits = limits
  }

  /// The name of the file with the project's text.
  package static let projectName = "project"
}

/// Reads a submission and its project, and reports all problems that can be found without media.
package enum SubmissionReading {
  /// Reads a submission.
  ///
  /// - Throws: ``JobError``, or `ProjectError` with all findings.
  package static func read(_ request: ReadingRequest) throws -> SubmissionFacts {
    let submission = try decode(request)
    var text = submission.project
    guard text.utf8.count <= request.byteLimit else {
      throw JobError(
        .tooLarge,
        "the project is larger than the limit of \(request.byteLimit) bytes: split the project")
    }
    let document = try ProjectDocument.parse(text, within: request.limits)
    let bytes = text.withUTF8 { Data($0) }
    let file = try ResultFile("\(request.directory)/\(ReadingRequest.projectName)")
    try file.write(bytes)
    let played = document.media
    let shown = document.animation?.assets ?? []
    let assets = document.assets.sorted { $0.key < $1.key }.map { name, asset in
      ProjectAsset(
        name: name, place: asset.place, shown: asset.shown, isRemote: asset.url != nil,
        isPlayed: played[name] != nil, isShown: shown.contains(name),
        reference: asset.url == nil ? submission.assets[asset.place] : nil)
    }
    try checkNames(of: assets)
    return SubmissionFacts(
      name: submission.name.shortened(toCharacters: 200, bytes: 800), priority: submission.priority,
      rerenders: submission.rerenders, inOrder: submission.inOrder, notify: submission.notify,
      pool: submission.pool,
      assets: assets, project: file.finish())
  }

  /// The maximum total size of the names, paths and URLs of a project's files in bytes. The coordinator keeps them in
  /// memory.
  private static let namesSize = 8 << 20

  private static func checkNames(of assets: [ProjectAsset]) throws {
    var byteCount = 0
    for asset in assets {
      let path = asset.reference?.path ?? ""
      guard path.utf8.count <= RenderLimits.nameBytes else {
        throw JobError(
          .malformedRequest,
          "\(asset.shown): its path has \(path.utf8.count) bytes, more than the limit of "
            + "\(RenderLimits.nameBytes)")
      }
      byteCount += [asset.name, asset.place, asset.shown, path].reduce(0) { $0 + $1.utf8.count }
    }
    guard byteCount <= namesSize else {
      throw JobError(
        .limitReached,
        "the names and paths of the project's files take \(byteCount) bytes, more than the "
          + "limit of \(namesSize): use shorter paths, or split the project")
    }
  }

  private static func decode(_ request: ReadingRequest) throws -> JobSubmission {
    let damaged = JobError(
      .damagedSubmission,
      "the submission is missing or damaged on the coordinator's disk: send it again")
    let data = try InputFile.read(
      request.submission, called: "the submission", missing: damaged)
    guard Digest.of(data) == request.digest else { throw damaged }
    let shape = JSONShape(of: data)
    guard shape.depth <= request.depth else {
      throw JobError(
        .malformedRequest, "lists and objects are nested more than \(request.depth) levels deep")
    }
    guard shape.count <= request.limits.files * 8 + 64 else {
      throw JobError.beyond(
        "--max-project-files", "the submission lists more files than a project may name",
        "split the project")
    }
    do {
      return try FarmCoding.decode(JobSubmission.self, from: data)
    } catch let error as DecodingError {
      throw JobError(.malformedRequest, "the submission is invalid: \(error.place)")
    }
  }
}

extension ProjectDocument {
  /// Reads a project whose size is within limits.
  ///
  /// - Throws: ``JobError`` that names the limit, or `ProjectError` with all findings.
  static func parse(_ text: String, within limits: PlanningLimits) throws -> ProjectDocument {
    let bytes = [UInt8](text.utf8)
    guard JSONShape(of: bytes).count <= limits.values else {
      throw JobError.beyond(
        "--max-project-values", "the project has more than \(limits.values) values",
        "split the project")
    }
    let document = try parse(bytes)
    try document.check(limits)
    return document
  }

  private func check(_ limits: PlanningLimits) throws {
    guard assets.count <= limits.files else {
      throw JobError.beyond(
        "--max-project-files",
        "the project names \(assets.count) files, more than the limit of \(limits.files)",
        "split the project")
    }
    let clips: Int
    switch self {
    case .composition(let project):
      let tracks = project.composition.tracks
      guard tracks.count <= limits.tracks else {
        throw JobError.beyond(
          "--max-project-tracks",
          "composition.tracks: there are \(tracks.count) tracks, more than the limit of \(limits.tracks)",
          "combine tracks whose segments do not overlap")
      }
      clips = tracks.reduce(0) { $0 + $1.segments.count }
    case .sequence(let sequence):
      clips = sequence.items.count + sequence.music.count
    }
    guard clips <= limits.clips else {
      throw JobError.beyond(
        "--max-project-clips",
        "the project has \(clips) clips, more than the limit of \(limits.clips)",
        "split the project")
    }
  }
}

extension DecodingError {
  /// The place in the JSON and the problem there, for messages.
  fileprivate var place: String {
    let (context, problem): (Context, String?) =
      switch self {
      case .keyNotFound(let key, let context): (context, "\"\(key.stringValue)\" is missing")
      case .valueNotFound(_, let context): (context, "a value is missing")
      case .typeMismatch(_, let context): (context, "the value has the wrong type")
      case .dataCorrupted(let context): (context, nil)
      @unknown default: (Context(codingPath: [], debugDescription: "it cannot be read"), nil)
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return (path.isEmpty ? "" : "\(path): ") + (problem ?? context.debugDescription)
  }
}

/// Counts the values in a JSON text and their nesting depth before the text is decoded.
struct JSONShape {
  /// The number of values, counted by commas and brackets.
  private(set) var count = 0
  /// The maximum nesting depth of arrays and objects.
  private(set) var depth = 0

  init(of bytes: some Sequence<UInt8>) {
    var level = 0
    var isInText = false
    var isEscaped = false
    for byte in bytes {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: ","): count += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        count += 1
        level += 1
        depth = max(depth, level)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
      default: break
      }
    }
  }
}
