import Crypto
import FarmAPI
import Foundation
import Planning
import ProjectFormat
import Timeline

/// A request to the process that plans a project.
package struct PlanningRequest: Hashable, Codable, Sendable {
  /// An asset that is on this host.
  package struct Source: Hashable, Codable, Sendable {
    /// The asset's name in the project.
    package var name: String
    /// The path or the URL, for messages.
    package var shown: String
    /// Its digest and size.
    package var reference: AssetReference
    /// The file of its media index, if it is played.
    package var index: String?
    /// Its own file, if layers show it.
    package var image: AssetFile?

    package init(
      name: String, shown: String, reference: AssetReference, index: String?, image: AssetFile?
    ) {
      self.name = name
      self.shown = shown
      self.reference = reference
      self.index = index
      self.image = image
    }
  }

  /// A recording that the project follows.
  package struct Followed: Hashable, Codable, Sendable {
    /// Its name in the project.
    package var name: String
    /// Whether it has ended, so that it is among the sources.
    package var isComplete: Bool
    /// Its excerpts in order.
    package var excerpts: [Excerpt]

    package init(name: String, isComplete: Bool, excerpts: [Excerpt]) {
      self.name = name
      self.isComplete = isComplete
      self.excerpts = excerpts
    }
  }

  /// An excerpt of such a recording.
  package struct Excerpt: Hashable, Codable, Sendable {
    /// The name in messages.
    package var shown: String
    /// Its digest and size.
    package var reference: AssetReference
    /// The file of its media index.
    package var index: String
    /// The number of frames at its end that are also in the next excerpt.
    package var sharedFrames: Int

    package init(shown: String, reference: AssetReference, index: String, sharedFrames: Int) {
      self.shown = shown
      self.reference = reference
      self.index = index
      self.sharedFrames = sharedFrames
    }
  }

  /// The file of the project's text.
  package var project: String
  /// The SHA-256 of the project's text.
  package var digest: Digest
  /// The assets that are on this host.
  package var sources: [Source]
  /// The recordings that the project follows.
  package var followed: [Followed] = []
  /// The problems of unreadable assets, by name.
  package var unreadable: [String: String]
  /// The names of assets that are not on this host.
  package var absent: [String]
  /// The directory for the draft of the plan and its layers' pictures.
  package var directory: String
  /// The directory for the frozen plan. The process that plans cannot reach it.
  package var frozen: String
  package var limits: PlanningLimits
  /// Whether the coordinator has all assets on its disk (``FreezingRequest/hasAssetsOnDisk``).
  package var hasAssetsOnDisk = false

  package init(
    project: String, digest: Digest, sources: [Source], unreadable: [String: String],
    absent: [String],
    directory: String, frozen: String, limits: PlanningLimits
  ) {
    self.project = project
    self.digest = digest
    self.sources = sources
    self.unreadable = unreadable
    self.absent = absent
    self.directory = directory
    self.frozen = frozen
    self.limits = limits
  }

  /// Whether a recording that the project follows has not ended.
  package var isGrowing: Bool { followed.contains { !$0.isComplete } }

  /// The files of media indexes.
  package var indexFiles: [String] {
    sources.compactMap(\.index) + followed.flatMap { $0.excerpts.map(\.index) }
  }

  /// The request to freeze the draft that was written for this request.
  ///
  /// - Parameter digest: the draft's SHA-256.
  package func freezing(_ digest: Digest) -> FreezingRequest {
    FreezingRequest(
      draft: "\(directory)/\(ProjectPlanning.draftName)", digest: digest, directory: frozen,
      limits: limits, hasAssetsOnDisk: hasAssetsOnDisk)
  }
}

/// Plans a project from a request, in this process: reads it with its media indexes, and writes the draft of the plan.
package struct ProjectPlanning: Sendable {
  /// Returns an encoder's findings on settings.
  private let check: @Sendable (EncoderCheck) -> [Finding]
  /// Draws layers, and announces each one first.
  private let typeset: @Sendable (TypesetRequest) throws -> [LayerRaster]
  /// Called with the key or asset that is being worked on.
  private let note: @Sendable (String) -> Void

  /// The name of the draft's file.
  package static let draftName = "draft"
  /// The name of the file with the project's `JobTimeline`.
  package static let timelineName = "timeline"

  /// Creates a planner that checks encoders and draws layers with the given closures.
  package init(
    check: @escaping @Sendable (EncoderCheck) -> [Finding],
    typeset: @escaping @Sendable (TypesetRequest) throws -> [LayerRaster],
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.check = check
    self.typeset = typeset
    self.note = note
  }

  /// Plans a project, and returns the SHA-256 of the draft. Blocks.
  ///
  /// - Throws: `ProjectError` with all findings, ``JobError``, or the error with which the drawing failed.
  package func plan(_ request: PlanningRequest) async throws -> Digest {
    note("the project")
    let document = try ProjectDocument.parse(text(of: request), within: request.limits)
    let digests = Dictionary(
      uniqueKeysWithValues: request.sources.map { ($0.name, $0.reference.digest) })
    let (examined, plan) = try await planned(for: request) {
      let media = try RequestedMedia(
        request, expecting: $0, check: check, typeset: typeset, note: note)
      guard media.hasBegun else { return (nil, .awaitingRecording) }
      let preparation = ProjectPreparation(document, media: media)
      let examined = try await preparation.examine()
      return (
        examined,
        try await preparation.plan(
          examined, digests: digests, following: media.recordings)
      )
    }
    note("the timeline")
    // Without it, the job can still be rendered. While a recording continues, the timeline's length is unknown.
    if !request.isGrowing, let project = try? examined?.composition(),
      var outline = try? TimelineOutline(of: project, in: document, plan: plan)
    {
      let timeline = try ResultFile("\(request.directory)/\(Self.timelineName)")
      try timeline.write(FarmCoding.encode(outline.timeline()))
      _ = timeline.finish()
    }
    note("the segments")
    try PlanWriter.checkCount(of: plan, within: request.limits)
    let data = try FarmCoding.encode(plan)
    let file = try ResultFile("\(request.directory)/\(Self.draftName)")
    try file.write(data)
    return file.finish()
  }

  /// Plans a project. Recordings that have not ended are assumed to go on for ``RequestedMedia/usualExpectation``, or for
  /// ``RequestedMedia/longestExpectation`` if the project has findings otherwise.
  private func planned(
    for request: PlanningRequest,
    _ plan: (_ expected: RationalTime) async throws -> (ExaminedProject?, Plan)
  ) async throws -> (ExaminedProject?, Plan) {
    do {
      return try await plan(RequestedMedia.usualExpectation)
    } catch is ProjectError where request.isGrowing {
      return try await plan(RequestedMedia.longestExpectation)
    }
  }

  /// Reads the project's text, and checks that it has not changed on the disk.
  private func text(of request: PlanningRequest) throws(JobError) -> String {
    let bytes = try InputFile.read(
      request.project, called: "the job's project", missing: .damagedProject)
    guard Digest.of(bytes) == request.digest else { throw .damagedProject }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JobError {
  /// The error for a project that is no longer as it was submitted.
  package static let damagedProject = JobError(
    .damagedProject,
    "the job's project is missing or damaged on the coordinator's disk: submit it again")
}
