import Timeline

/// A sample that waits to be written.
public struct RecordedSample<Content> {
  /// The number of its track.
  public let track: Int
  /// Everything but its bytes.
  public let facts: SampleFacts
  /// Its bytes.
  public let content: Content

  /// Creates a sample.
  public init(track: Int, facts: SampleFacts, content: Content) {
    self.track = track
    self.facts = facts
    self.content = content
  }
}

extension RecordedSample: Sendable where Content: Sendable {}

/// The samples from one keyframe to the next: the smallest unit that is kept or dropped.
public struct SampleGroup<Content> {
  /// The samples, in the order in which they arrived.
  public internal(set) var samples: [RecordedSample<Content>] = []
  /// Whether it begins with a sample at which decoding can start.
  public internal(set) var beginsWithKeyframe = false
  /// Whether the end of the group before it, or all of that group, was dropped.
  public internal(set) var followsDrop = false
  /// Whether some of its pictures were lost.
  public internal(set) var hasLosses = false
  /// The number of bytes.
  public internal(set) var byteCount = 0

  /// Whether it can be decoded.
  public var isUsable: Bool { beginsWithKeyframe || !followsDrop }
}

extension SampleGroup: Sendable where Content: Sendable {}

/// Collects the samples that a writer keeps into groups, so that only whole groups are dropped if the disk is too slow.
/// If pictures are lost, the group ends, and the pictures up to the next keyframe are left out.
public struct GroupCollector<Content> {
  /// The maximum size of a group in bytes. A larger group is divided, and only its first piece begins with a keyframe.
  private let byteLimit: Int
  /// The length of a group without pictures, in seconds.
  private let soundLength: RationalTime
  /// How long sound waits for the next picture, in seconds.
  private let patience = RationalTime(3)
  /// The end of the group's last picture.
  private var picturesEnd: RationalTime?
  private let leadingTrack: Int
  private let leadsWithVideo: Bool
  private var group = SampleGroup<Content>()
  /// Whether pictures of the group were lost, so that nothing after them can be decoded.
  private var isCut = false
  /// The number of pictures that were left out because they, or pictures that they may depend on, were lost.
  public private(set) var leftOut = 0

  /// Creates an empty collector.
  ///
  /// - Parameters:
  ///   - leadingTrack: the number of the track whose keyframes begin groups.
  ///   - leadsWithVideo: whether that track is video.
  public init(
    leadingTrack: Int, leadsWithVideo: Bool, byteLimit: Int = 64 << 20,
    soundLength: RationalTime = RationalTime(1)
  ) {
    self.leadingTrack = leadingTrack
    self.leadsWithVideo = leadsWithVideo
    self.byteLimit = byteLimit
    self.soundLength = soundLength
    group.followsDrop = true
  }

  /// The bytes of the group that is being collected.
  public var byteCount: Int { group.byteCount }

  /// Adds a sample.
  ///
  /// - Returns: the group before it, if the sample begins another one.
  public mutating func add(_ sample: RecordedSample<Content>) -> SampleGroup<Content>? {
    var finished: SampleGroup<Content>?
    if begins(sample) {
      let followsCut = isCut || (sample.track == leadingTrack && sample.facts.followsLoss)
      finished = finish()
      if followsCut, sample.track == leadingTrack { group.followsDrop = true }
      group.beginsWithKeyframe = sample.track == leadingTrack && sample.facts.isSync
      isCut = isCut && !group.beginsWithKeyframe
    }
    if sample.track == leadingTrack {
      let isLost = sample.facts.isDamaged || (sample.facts.followsLoss && !sample.facts.isSync)
      if isLost, leadsWithVideo { isCut = true }
      guard !isCut, !isLost, !isBroken(sample) else {
        leftOut += 1
        group.hasLosses = true
        return finished
      }
      picturesEnd = max(picturesEnd ?? sample.facts.end, sample.facts.end)
    }
    group.byteCount += sample.facts.byteCount
    group.samples.append(sample)
    return finished
  }

  /// Notes that the group that was returned last is dropped, so that later pictures cannot depend on it.
  public mutating func noteDrop() { group.followsDrop = true }

  /// Returns the group that is being collected, and begins another one.
  public mutating func finish() -> SampleGroup<Content>? {
    let finished = group
    group = SampleGroup()
    picturesEnd = nil
    guard !finished.samples.isEmpty else {
      group.followsDrop = finished.followsDrop
      return nil
    }
    return finished
  }

  private func begins(_ sample: RecordedSample<Content>) -> Bool {
    guard sample.track == leadingTrack else {
      return group.byteCount > byteLimit || lacksPictures(at: sample.facts.presentationTime)
    }
    guard let first = group.samples.first(where: { $0.track == leadingTrack }) else {
      return sample.facts.isSync
    }
    if group.byteCount > byteLimit { return true }
    guard sample.facts.isSync else { return false }
    guard !leadsWithVideo else { return true }
    let length = try? sample.facts.presentationTime - first.facts.presentationTime
    return length.map { $0 >= soundLength } ?? true
  }

  /// Whether no picture has arrived for so long that sound must not wait for the next one.
  private func lacksPictures(at time: RationalTime) -> Bool {
    let (start, limit): (RationalTime?, RationalTime) =
      picturesEnd.map { ($0, patience) }
      ?? (group.samples.first?.facts.presentationTime, soundLength)
    guard let start, let wait = try? time - start else { return false }
    return wait > limit
  }

  /// Whether a picture is presented before the keyframe of its group, and may depend on pictures that were dropped.
  private func isBroken(_ sample: RecordedSample<Content>) -> Bool {
    guard leadsWithVideo, group.followsDrop, sample.track == leadingTrack,
      let first = group.samples.first(where: { $0.track == leadingTrack })
    else { return false }
    return sample.facts.presentationTime < first.facts.presentationTime
  }
}
