import FarmAPI
import Planning
import ProjectFormat
import Timeline

/// The media of a planning request, which this process opens. The indexes were written by other processes.
struct RequestedMedia: ProjectMedia {
  /// How long a recording that has not ended is expected to go on, in seconds: longer than any transition at its end.
  static let usualExpectation = RationalTime(600)
  /// The longest time after the end of what is recorded that a project can use, in seconds.
  static let longestExpectation = RationalTime(24 * 3600)

  private let request: PlanningRequest
  private let expected: RationalTime
  private let check: @Sendable (EncoderCheck) -> [Finding]
  private let typeset: @Sendable (TypesetRequest) throws -> [LayerRaster]
  private let announce: @Sendable (String) -> Void

  /// - Parameter expected: how long recordings that have not ended are expected to go on, in seconds.
  init(
    _ request: PlanningRequest, expecting expected: RationalTime,
    check: @escaping @Sendable (EncoderCheck) -> [Finding],
    typeset: @escaping @Sendable (TypesetRequest) throws -> [LayerRaster],
    note: @escaping @Sendable (String) -> Void
  ) {
    self.request = request
    self.expected = expected
    self.check = check
    self.typeset = typeset
    announce = note
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
      let index = try read(path, of: source.shown)
      (indexes[source.name], known[path]) = (index, index)
    }
    for (name, recording) in try recordings() where !recording.isComplete {
      indexes[name] = try MediaIndex(growing: recording.excerpts, expecting: expected)
    }
    return ProjectIndexes(
      indexes: indexes, unreadable: request.unreadable, unseen: Set(request.absent))
  }

  /// The recordings that the project follows, by asset name.
  func recordings() throws -> [String: ExcerptedRecording] {
    var recordings: [String: ExcerptedRecording] = [:]
    for followed in request.followed {
      recordings[followed.name] = ExcerptedRecording(
        excerpts: try followed.excerpts.map { excerpt in
          RecordingExcerpt(
            name: excerpt.shown, asset: excerpt.reference.digest,
            byteCount: excerpt.reference.byteCount,
            index: try read(excerpt.index, of: excerpt.shown),
            sharedFrames: excerpt.sharedFrames)
        }, isComplete: followed.isComplete)
    }
    return recordings
  }

  private func read(_ path: String, of shown: String) throws -> MediaIndex {
    note(shown)
    do {
      return try MediaIndexFile.read(path, frames: request.limits.frames)
    } catch is FrameBudget.Exceeded {
      // The limit was higher when the index was made.
      throw JobError.beyond(
        "--max-index-frames",
        "\(shown): its media index has more than \(request.limits.frames) frames",
        "split the file")
    } catch {
      throw JobError(.damagedIndex, "\(shown): its media index is damaged on the disk")
    }
  }

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
