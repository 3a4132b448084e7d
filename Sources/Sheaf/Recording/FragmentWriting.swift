import Crypto
import Media
import Recording
import Timeline

/// Writes the groups of a recording into fragments, on the writer's thread.
final class FragmentWriting {
  private let folder: FragmentFolder
  private let muxer: FragmentMuxer
  private let tracks: [RecordingTrack]
  private let streams: [Int]
  private let leadingTrack: Int
  /// The presentation time at which the recording starts.
  private let origin: RationalTime
  private var cutter: FragmentCutter
  private var gaps = GapTracker()
  private var number = 0
  private var current: Current?
  private var isFirstGroup = true

  /// The fragment that is being collected.
  private struct Current {
    var start: RationalTime?
    var end: RationalTime?
    var sampleCounts: [Int]
    var beginsWithKeyframe: Bool
    var gaps: [RecordingGap] = []
  }

  init(
    _ folder: FragmentFolder, tracks: [RecordingTrack], leadingTrack: Int, origin: RationalTime,
    length: RationalTime
  ) throws {
    self.folder = folder
    self.tracks = tracks
    self.leadingTrack = leadingTrack
    self.origin = origin
    cutter = FragmentCutter(length: length)
    let muxer = try FragmentMuxer(named: folder.path)
    streams = try tracks.map {
      try muxer.addStream($0.parameters, timeBase: RationalTime(1, $0.timescale))
    }
    self.muxer = muxer
  }

  /// Writes a group.
  ///
  /// - Returns: the fragments that are now complete on disk.
  func write(_ group: SampleGroup<[UInt8]>) throws -> [RecordedFragment] {
    var written: [RecordedFragment] = []
    if cutter.endsFragment(beforeGroupAfterDrop: group.followsDrop), let fragment = try finish() {
      written.append(fragment)
    }
    var current =
      self.current
      ?? Current(
        sampleCounts: tracks.map { _ in 0 }, beginsWithKeyframe: group.beginsWithKeyframe)
    for sample in group.samples {
      try muxer.write(try packet(sample), to: streams[sample.track])
      current.sampleCounts[sample.track] += 1
    }
    for track in tracks.indices { current.gaps += try gaps(of: track, in: group) }
    isFirstGroup = false
    let extent = try extent(of: group)
    current.start = min(current.start ?? extent.start, extent.start)
    current.end = max(current.end ?? extent.end, extent.end)
    self.current = current
    let isDue = cutter.add(from: extent.start, to: extent.end, byteCount: group.byteCount)
    if isDue, muxer.isComplete || cutter.isOverdue, let fragment = try finish() {
      written.append(fragment)
    }
    return written
  }

  /// Completes the fragment that is being collected, if there is one.
  func finish() throws -> RecordedFragment? {
    guard var current, let piece = try muxer.cut() else { return nil }
    self.current = nil
    for stream in piece.silentStreams {
      if let track = streams.firstIndex(of: stream) { current.sampleCounts[track] += 1 }
    }
    cutter.begin()
    if let header = piece.header {
      _ = try folder.write(header, as: RecordedFragment.headerName)
    }
    number += 1
    let digest = try folder.write(piece.fragment, as: RecordedFragment.fileName(number))
    return RecordedFragment(
      number: number, start: current.start ?? .zero, end: current.end ?? .zero,
      byteCount: piece.fragment.count, sha256: digest, sampleCounts: current.sampleCounts,
      beginsWithKeyframe: current.beginsWithKeyframe, gaps: current.gaps)
  }

  private func packet(_ sample: RecordedSample<[UInt8]>) throws -> Packet {
    let packet = try Packet(bytes: sample.content)
    packet.timeBase = try RationalTime(1, tracks[sample.track].timescale)
    packet.time = try ticks(sample.facts.presentationTime - origin, of: sample.track)
    packet.decodingTime = try ticks(sample.facts.decodingTime - origin, of: sample.track)
    packet.duration = try ticks(sample.facts.duration, of: sample.track)
    packet.isKey = sample.facts.isSync
    return packet
  }

  private func ticks(_ time: RationalTime, of track: Int) throws -> Int64 {
    try time.ticks(of: RationalTime(1, tracks[track].timescale), rounding: .nearest)
  }

  /// When the samples of a group's leading track are presented, in seconds of the recording. If the group has none,
  /// when its other samples are presented.
  private func extent(
    of group: SampleGroup<[UInt8]>
  ) throws -> (start: RationalTime, end: RationalTime) {
    let leading = group.samples.filter { $0.track == leadingTrack }
    let samples = leading.isEmpty ? group.samples : leading
    let starts = samples.map(\.facts.presentationTime)
    let ends = try samples.map { try $0.facts.presentationTime + $0.facts.duration }
    return (
      try (starts.min() ?? origin) - origin, try (ends.max() ?? origin) - origin
    )
  }

  /// The longest time before a sample that does not count as a gap, in seconds.
  ///
  /// Packets of sound follow one another directly, although their times are rounded to ticks. The rate of pictures may
  /// vary, so if nothing was lost, only a long time without pictures is a gap.
  private func tolerance(
    of sample: SampleFacts, track: Int, in group: SampleGroup<[UInt8]>
  ) throws -> RationalTime {
    let rounding = try RationalTime(2, tracks[track].timescale)
    // The session rarely starts exactly at the start of a packet of sound.
    guard gaps.has(track) else { return max(sample.duration, rounding) }
    let half = max(try sample.duration * RationalTime(1, 2), rounding)
    let isSteady = tracks[track].kind == .audio
    let hasGap = group.hasLosses || (group.followsDrop && !isFirstGroup)
    return isSteady || hasGap ? half : RationalTime(1)
  }

  /// The gaps before and between a group's samples of a track. Pictures are sorted by presentation time.
  private func gaps(of track: Int, in group: SampleGroup<[UInt8]>) throws -> [RecordingGap] {
    let samples = group.samples.filter { $0.track == track }.map(\.facts)
      .sorted { $0.presentationTime < $1.presentationTime }
    var found: [RecordingGap] = []
    for sample in samples {
      let start = try sample.presentationTime - origin
      let tolerance = try tolerance(of: sample, track: track, in: group)
      if let gap = gaps.add(
        track: track, from: start, to: try start + sample.duration, tolerance: tolerance)
      {
        found.append(gap)
      }
    }
    return found
  }
}
