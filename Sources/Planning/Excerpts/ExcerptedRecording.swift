import Crypto
import Timeline

/// A recording with its excerpts.
public struct ExcerptedRecording: Sendable {
  /// The excerpts in order.
  public var excerpts: [IndexedExcerpt]
  /// Whether nothing that is recorded later is used: the recording has ended, or everything that the project shows is
  /// recorded.
  public var isComplete: Bool

  /// Creates a recording.
  public init(excerpts: [IndexedExcerpt], isComplete: Bool) {
    self.excerpts = excerpts
    self.isComplete = isComplete
  }

  /// The recording with other media indexes, such as those of coded pictures.
  func described(
    by change: ([String: MediaIndex]) -> [String: MediaIndex]
  ) -> ExcerptedRecording {
    var recording = self
    for (number, excerpt) in excerpts.enumerated() {
      recording.excerpts[number].index =
        change([excerpt.name: excerpt.index])[excerpt.name] ?? excerpt.index
    }
    return recording
  }
}

extension ExcerptedRecording {
  /// The end of what is recorded for certain, in seconds of the asset; `nil` if the recording is complete.
  ///
  /// - Parameter index: the recording's own index.
  func recordedEnd(in index: MediaIndex) throws(TimeError) -> RationalTime? {
    guard !isComplete else { return nil }
    guard let last = excerpts.last, let stream = last.stream, let own = last.ownFrames else {
      return .zero
    }
    let table = stream.frames
    let end = own.upperBound < table.times.count ? table.times[own.upperBound] : table.end
    return try stream.timeBase * end - index.start
  }
}

extension [String: ExcerptedRecording] {
  /// Whether a project uses pictures or sound in its exported part that are not recorded yet.
  func lack(
    any project: Project, indexes: [String: MediaIndex]
  ) throws(TimeError) -> Bool {
    for track in project.composition.tracks {
      for segment in track.segments where project.export.shows(segment.target) {
        guard let recording = self[segment.asset], let index = indexes[segment.asset],
          let end = try recording.recordedEnd(in: index)
        else { continue }
        if segment.source.end > end { return true }
      }
    }
    return false
  }

  /// The digests of the excerpts by their names. A recording that is not complete has no file, but every asset that is
  /// shown needs a digest.
  var digests: [String: Digest] {
    var digests: [String: Digest] = [:]
    for (name, recording) in self {
      for excerpt in recording.excerpts { digests[excerpt.name] = excerpt.asset }
      if !recording.isComplete { digests[name] = recording.excerpts.first?.asset }
    }
    return digests
  }
}
