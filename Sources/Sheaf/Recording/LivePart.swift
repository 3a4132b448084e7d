import Foundation
import Media
import Recording
import Synchronization
import Timeline

/// A part of a recording that is being recorded.
final class LivePart: RecordingWriterDelegate {
  /// The outcome of taking a packet.
  enum Outcome {
    case taken
    /// The clock jumped, so that the packet belongs to the next part.
    case jumped
    /// The format changed, so that the packet belongs to the next part.
    case changed
    /// The part has no track for the packet's stream.
    case foreign
  }

  /// How a part ended.
  struct Ending {
    /// The end of its last sample, in seconds of the recording.
    let end: RationalTime
    let lastArrival: Duration
    /// The length of its last packet in seconds.
    let lastDuration: RationalTime
  }

  private struct Track {
    let number: Int
    let format: LiveFormat
    var grid: SampleGrid?
    var lastDecoding: RationalTime?
    /// The number of packets in a row whose decoding time is not after that of an earlier packet.
    var late = 0
    /// Whether packets were left out since the last one that was recorded.
    var hasLost = false
    /// Whether the last packet was much older than those of other tracks.
    var wasOld = false
  }

  /// The state that both threads use.
  private struct Told {
    var start: RationalTime?
    var isAnnounced = false
    var end: RationalTime?
  }

  private let number: Int
  /// The presentation time of the first packet, in seconds of the recording; `nil` if the recording begins with this
  /// part.
  private let base: RationalTime?
  private let note: @Sendable (RecorderEvent) -> Void
  private let waitsForDisk: Bool
  private let descriptions: [TrackFormat]
  private let told = Mutex(Told())

  // Only the thread that reads the source uses these.
  nonisolated(unsafe) private var tracks: [Int: Track] = [:]
  /// The end of the last sample, in seconds of the source's clock.
  nonisolated(unsafe) private var lastEnd: RationalTime?
  /// The losses before the writer.
  nonisolated(unsafe) private var earlierLosses = RecordingLosses()
  nonisolated(unsafe) private(set) var clock: SourceClock
  nonisolated(unsafe) private var writer: RecordingWriter?
  nonisolated(unsafe) private var firstTime: RationalTime?
  nonisolated(unsafe) private var lastArrival = Duration.zero
  nonisolated(unsafe) private var lastDuration = RationalTime.zero

  /// The maximum number of packets in a row that count as out of order. After that, the clock has jumped.
  private static let mostLate = 50

  /// Begins a part.
  ///
  /// - Parameters:
  ///   - base: the presentation time of its first packet, in seconds of the recording; `nil` if the recording begins
  ///     with it.
  ///   - formats: the formats of its tracks, all of which are known.
  ///   - clock: a clock for the times of packets, which are ticks of it.
  init(
    _ number: Int, base: RationalTime?, formats: [LiveFormat],
    at place: LiveRecorder.Place, clock: SourceClock,
    note: @escaping @Sendable (RecorderEvent) -> Void
  ) throws {
    self.number = number
    self.base = base
    self.note = note
    self.clock = clock
    waitsForDisk = place.waitsForDisk
    descriptions = formats.map(\.description)
    let writer = RecordingWriter(
      folder: "\(place.folder)/\(RecordedPart.folderName(number))", settings: place.settings,
      delegate: self)
    for format in formats {
      let track = try format.track()
      tracks[format.stream.index] = Track(
        number: try writer.add(track), format: format,
        grid: format.kind == .audio
          ? SampleGrid(
            sampleRate: Int(track.timescale), packetSize: format.stream.parameters.samplesPerPacket)
          : nil)
    }
    try writer.startWriting()
    self.writer = writer
  }

  /// Whether the session has started.
  var hasStarted: Bool { writer?.sessionStart != nil }

  /// Takes a packet, unless it belongs to the next part.
  func take(_ packet: LivePacket) throws -> Outcome {
    guard var track = tracks[packet.stream], let writer else { return .foreign }
    // The rest of a damaged keyframe may look like another format.
    if !packet.isDamaged, track.format.changes(with: packet.packet) { return .changed }
    let base = packet.packet.timeBase
    guard let decoded = packet.packet.decodingTime ?? packet.packet.time else {
      // Its decoding time could only be guessed from earlier packets.
      tracks[packet.stream]?.hasLost = true
      earlierLosses.damagedSamples += 1
      return .taken
    }
    guard case .time(let ticks) = clock.read(decoded, arrivingAt: packet.arrival) else {
      // When sound stops, its last packet may be held until it continues or the source ends. A clock that has jumped
      // changes the next packet, too.
      guard tracks.count > 1, track.format.kind == .audio, !track.wasOld, clock.isAfter(decoded)
      else { return .jumped }
      tracks[packet.stream]?.wasOld = true
      tracks[packet.stream]?.hasLost = true
      earlierLosses.damagedSamples += 1
      return .taken
    }
    track.wasOld = false
    let decoding = try base * ticks
    if let last = track.lastDecoding, decoding <= last {
      // The packet is out of order. If many are, the clock has jumped.
      guard track.late < Self.mostLate else { return .jumped }
      tracks[packet.stream]?.late += 1
      tracks[packet.stream]?.hasLost = true
      earlierLosses.damagedSamples += 1
      return .taken
    }
    track.late = 0
    track.lastDecoding = decoding
    let presentation = try base * (ticks + delay(of: packet.packet))
    if firstTime == nil { firstTime = presentation }
    (lastArrival, lastDuration) = (packet.arrival, try base * packet.packet.duration)
    let end = try presentation + lastDuration
    lastEnd = max(lastEnd ?? end, end)
    defer { tracks[packet.stream] = track }
    guard
      let sample = try sample(of: packet, track: &track, decoding: decoding, at: presentation)
    else {
      earlierLosses.damagedSamples += 1
      return .taken
    }
    if waitsForDisk { writer.waitForDisk() }
    try writer.append(sample, to: track.number)
    try tellStart()
    return .taken
  }

  /// Counts a packet that is left out because it belongs to an earlier part.
  func noteStraggler() { earlierLosses.damagedSamples += 1 }

  /// Counts what was lost before its packets were taken.
  func note(_ losses: RecordingLosses) { earlierLosses.add(losses) }

  /// The ticks from the decoding of a packet to its presentation. One of the two times may already have started again
  /// at zero. A picture that is presented before it is decoded, which some senders state, is presented when it is
  /// decoded.
  private func delay(of packet: Packet) -> Int64 {
    guard let time = packet.time, let decoding = packet.decodingTime else { return 0 }
    let delay = time - decoding
    guard let period = clock.period else { return max(0, delay) }
    return max(
      0, delay > period / 2 ? delay - period : delay < -period / 2 ? delay + period : delay)
  }

  private func sample(
    of packet: LivePacket, track: inout Track, decoding: RationalTime, at presentation: RationalTime
  ) throws -> EncodedSample? {
    let bytes = track.format.bytes(of: packet.packet)
    let followsLoss = packet.followsLoss || track.hasLost
    track.hasLost = false
    // The first piece of sound after a loss may be the end of a packet whose start was lost.
    let isPiece = followsLoss && track.format.kind == .audio
    let duration = try packet.packet.timeBase * packet.packet.duration
    var sample = EncodedSample(
      bytes: bytes ?? [], presentationTime: presentation, decodingTime: decoding,
      duration: duration, isSync: track.format.kind == .audio || packet.packet.isKey,
      isDamaged: packet.isDamaged || isPiece || bytes == nil, followsLoss: followsLoss)
    if var grid = track.grid {
      let count = try grid.packetSize(for: duration, roundedTo: packet.packet.timeBase)
      guard let start = try grid.place(presentation, sampleCount: count) else { return nil }
      track.grid = grid
      let rate = Int64(track.format.description.sampleRate)
      sample.presentationTime = try RationalTime(start, rate)
      sample.decodingTime = sample.presentationTime
      sample.duration = try RationalTime(count, rate)
    }
    return sample
  }

  /// Tells the writing thread the start of the part, once it is known.
  private func tellStart() throws {
    guard let writer, let session = writer.sessionStart, let firstTime,
      told.withLock({ $0.start == nil })
    else { return }
    let start = try base.map { try max($0, $0 + (session - firstTime)) } ?? .zero
    told.withLock { $0.start = start }
  }

  /// Writes the rest, and waits until it is on disk.
  func finish(droppedBefore: Int) throws -> Ending {
    try writer?.finishWritingAndWait()
    var losses = writer?.losses ?? RecordingLosses()
    losses.beforeStart += droppedBefore
    losses.add(earlierLosses)
    note(.ended(part: number, losses))
    // Sound may end later than the last picture.
    let (start, written) = told.withLock { ($0.start, $0.end) }
    var end = written ?? base ?? .zero
    if let start, let session = writer?.sessionStart, let lastEnd {
      end = max(end, try start + (lastEnd - session))
    }
    return Ending(end: end, lastArrival: lastArrival, lastDuration: lastDuration)
  }

  func recordingWriter(_ writer: RecordingWriter, didWrite fragment: RecordedFragment) {
    let (start, isFirst) = told.withLock { told in
      let isFirst = !told.isAnnounced
      told.isAnnounced = true
      let start = told.start ?? .zero
      told.end = try? start + fragment.end
      return (start, isFirst)
    }
    if isFirst {
      note(.began(RecordedPart(number: number, start: start, tracks: descriptions)))
    }
    note(.wrote(part: number, fragment))
  }
}
