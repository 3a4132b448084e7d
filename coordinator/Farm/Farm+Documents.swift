import Crypto
import FarmAPI
import Foundation
import Planning
import Preparation
import Scheduling

/// Documents about jobs.
extension Farm {
  /// A document about a job.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it, or if the job does not have the
  ///   document yet.
  func document(_ kind: JobDocument, of id: JobID, for caller: Caller = .local) throws -> Data {
    _ = try row(of: id, for: caller)
    guard let document = try ledger.document(kind, of: id) else {
      throw FarmError(.notFound, "job '\(id)' has no \(kind.rawValue)")
    }
    return document
  }

  /// A page of a job's plan.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it.
  func planSegments(
    of id: JobID, after index: Int? = nil, limit: Int, for caller: Caller = .local
  ) throws -> [PlanSegment] {
    _ = try row(of: id, for: caller)
    return try ledger.planSegments(of: id, after: index, limit: limit)
  }

  /// The accepted chunk of a segment; `nil` if it has none.
  ///
  /// - Throws: ``FarmError`` if the job or the segment does not exist or the caller may not see it.
  func chunk(of index: Int, in id: JobID, for caller: Caller = .local) throws -> Digest? {
    _ = try segment(index, of: id, for: caller)
    return try ledger.chunk(of: SegmentID(job: id, index: index))
  }

  /// The text of a job's project.
  ///
  /// - Throws: ``FarmError`` if the job does not exist or the caller may not see it, or if its project is missing.
  func project(of id: JobID, for caller: Caller = .local) throws -> ProjectText {
    _ = try row(of: id, for: caller)
    if let digest = try ledger.storedSubmission(of: id)?.project { return .file(digest) }
    guard let old = try ledger.unadopted(id).submission else {
      throw FarmError(.notFound, "job '\(id)' has no project")
    }
    return .text(try FarmCoding.decode(JobSubmission.self, from: old).project)
  }

  /// The text of a job's project: in a file, or in the ledger of an earlier version.
  enum ProjectText: Sendable {
    case file(Digest)
    case text(String)
  }

  /// Stores the timeline that a media process made while it planned a job.
  func note(timeline: Data?, of id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    try ledger.keep(timeline, as: .timeline, of: id)
  }

  /// Stores the waveform of a job's sound, or removes that of an earlier mix.
  func note(_ waveform: Waveform?, of id: JobID) throws {
    try Task.checkCancellation()
    try write([])
    try ledger.keep(try waveform.map { try FarmCoding.encode($0) }, as: .waveform, of: id)
  }
}

extension JobTimeline {
  /// The maximum size of a timeline's file in bytes: 4 MiB.
  private static let fileLimit = 4 << 20

  /// Reads the timeline that a media process has written, and returns its JSON. The process has ended, and may have
  /// written anything. Blocks.
  ///
  /// - Returns: `nil` if there is no valid timeline.
  package static func read(from path: String) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard let data = try? file.read(upToCount: fileLimit + 1), data.count <= fileLimit,
      let timeline = try? FarmCoding.decode(JobTimeline.self, from: data),
      timeline.itemCount <= itemLimit
    else { return nil }
    return try? FarmCoding.encode(timeline)
  }
}
