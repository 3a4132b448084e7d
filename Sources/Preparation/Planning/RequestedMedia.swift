import FarmAPI
import Planning
import ProjectFormat
import Timeline

/// The media of a planning request, which this process opens. The indexes were written by other processes.
struct RequestedMedia: ProjectMedia {
  /// How long a recording that has not ended is at first assumed to go on, in seconds. A project that needs more is
  /// planned again with ``longestExpectation``.
  static let usualExpectation = RationalTime(600)
  /// The longest time after the end of what is recorded that a project can use, in seconds.
  static let longestExpectation = RationalTime(24 * 3600)

  private let request: PlanningRequest
  /// The recordings that the project follows, by asset name.
  let recordings: [String: ExcerptedRecording]
  /// The media indexes of those that have not ended; `nil` for one without a frame that can be rendered.
  private let growing: [String: MediaIndex?]
  private let check: @Sendable (EncoderCheck) -> [Finding]
  private let typeset: @Sendable (TypesetRequest) throws -> [LayerRaster]
  private let announce: @Sendable (String) -> Void

  /// - Parameter expected: how long recordings that have not ended are expected to go on, in seconds.
  init(
    _ request: PlanningRequest, expecting expected: RationalTime,
    check: @escaping @Sendable (EncoderCheck) -> [Finding],
    typeset: @escaping @Sendable (TypesetRequest) throws -> [LayerRaster],
    note: @escaping @Sendable (String) -> Void
  ) throws {
    self.request = request
    self.check = check
    self.typeset = typeset
    announce = note
    recordings = try Self.recordings(of: request, note: note)
    growing = try recordings.filter { !$0.value.isComplete }.mapValues {
      try MediaIndex(growing: $0.excerpts, expecting: expected)
    }
  }

  func indexes(for document: ProjectDocument) throws -> ProjectIndexes {
    var indexes: [String: MediaIndex] = [:]
    var known: [String: MediaIndex] = [:]
    for source in request.sources {
      guard let path = source.index else { continue }
      if let index = known[path] {
        indexes[source.name] = index
        continue
      }
      let index = try Self.read(
        path, of: source.shown, within: request.limits, note: announce)
      (indexes[source.name], known[path]) = (index, index)
    }
    for (name, recording) in recordings {
      indexes[name] = growing[name] ?? indexes[name]?.following(recording)
    }
    return ProjectIndexes(
      indexes: indexes, unreadable: request.unreadable, unseen: Set(request.absent))
  }

  private static func recordings(
    of request: PlanningRequest, note: (String) -> Void
  ) throws -> [String: ExcerptedRecording] {
    var recordings: [String: ExcerptedRecording] = [:]
    for followed in request.followed {
      recordings[followed.name] = ExcerptedRecording(
        excerpts: try followed.excerpts.map { excerpt in
          IndexedExcerpt(
            name: excerpt.shown, asset: excerpt.reference.digest,
            byteCount: excerpt.reference.byteCount,
            index: try read(excerpt.index, of: excerpt.shown, within: request.limits, note: note),
            sharedFrames: excerpt.sharedFrames)
        }, isComplete: followed.isComplete)
    }
    return recordings
  }

  private static func read(
    _ path: String, of shown: String, within limits: PlanningLimits, note: (String) -> Void
  ) throws -> MediaIndex {
    note(shown)
    do {
      return try MediaIndexFile.read(path, frames: limits.frames)
    } catch is FrameBudget.Exceeded {
      // The limit was higher when the index was made.
      throw JobError.beyond(
        "--max-index-frames",
        "\(shown): its media index has more than \(limits.frames) frames",
        "split the file")
    } catch {
      throw JobError(.damagedIndex, "\(shown): its media index is damaged on the disk")
    }
  }

  /// Whether every recording has a frame that can be rendered.
  var hasBegun: Bool { growing.values.allSatisfy { $0 != nil } }

  func findings(_ question: EncoderCheck) -> [Finding] { check(question) }

  func rasters(of requests: [RasterRequest], root: FindingPath) throws -> [LayerRaster] {
    var files: [String: AssetFile] = [:]
    for source in request.sources { files[source.name] = source.image }
    return try typeset(
      TypesetRequest(rasters: requests, files: files, root: root, directory: request.directory))
  }

  func compute<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value { try work() }

  func note(_ subject: String) { announce(subject) }
}
