import Foundation
import Media
import Recording
import Synchronization
import Timeline

/// A part of a recording that is being recorded.
final class LivePart: RecordingWriterDelegate {
  /// What became of a packet.
  enum Outcome {
    case taken
    /// The packet belongs to the next part: the clock jumped, or the format changed.
    case endsPart
    /// The part has no track for the packet's stream.
    case foreign
  }

  /// How a part ended.
  struct Ending {
    /// When its last picture ends, in seconds of the recording.
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
  }

  /// What the writing thread needs to know.
  private struct Told {
    var start: RationalTime?
    var isAnnounced = false
    var end: RationalTime?
  }

  private let number: Int
  /// When the first packet is presented, in seconds of the recording; `nil` if the recording begins with this part.
  private let base: RationalTime?
  private let note: @Sendable (RecorderEvent) -> Void
  private let descriptions: [RecordedTrack]
  private let told = Mutex(Told())
  private let isTransportStream: Bool

  // These belong to the thread that reads the source.
  nonisolated(unsafe) private var tracks: [Int: Track] = [:]
  nonisolated(unsafe) private var clocks: [Int: SourceClock] = [:]
  nonisolated(unsafe) private var writer: RecordingWriter?
  nonisolated(unsafe) private var firstTime: RationalTime?
  nonisolated(unsafe) private var lastArrival = Duration.zero
  nonisolated(unsafe) private var lastDuration = RationalTime.zero

  /// Begins a part.
  ///
  /// - Parameters:
  ///   - base: when its first packet is presented, in seconds of the recording; `nil` if the recording begins with it.
  ///   - formats: the formats of its tracks, all of which are known.
  init(
    _ number: Int, base: RationalTime?, formats: [LiveFormat], isTransportStream: Bool,
    at place: LiveRecorder.Place, note: @escaping @Sendable (RecorderEvent) -> Void
  ) throws {
    self.number = number
    self.base = base
    self.note = note
    self.isTransportStream = isTransportStream
    descriptions = formats.map(\.description)
    let writer = RecordingWriter(
      folder: "\(place.folder)/\(RecordedPart.folderName(number))", settings: place.settings,
      delegate: self)
    for format in formats {
      let track = try format.track()
      tracks[format.stream.index] = Track(
        number: try writer.add(track), format: format,
        grid: format.kind == .audio ? SampleGrid(sampleRate: Int(track.timescale)) : nil)
    }
    try writer.startWriting()
    self.writer = writer
  }

  /// Whether the session has started.
  var hasStarted: Bool { writer?.sessionStart != nil }

  /// Takes a packet, unless it belongs to the next part.
  func take(_ packet: LivePacket) throws -> Outcome {
    guard var track = tracks[packet.stream], let writer else { return .foreign }
    if track.format.changes(with: packet.packet) { return .endsPart }
    let base = packet.packet.timeBase
    guard let decoded = packet.packet.decodingTime ?? packet.packet.time else { return .taken }
    let clock = isTransportStream ? 0 : packet.stream
    let reading = clocks[clock, default: newClock(base)].read(decoded, arrivingAt: packet.arrival)
    guard case .time(let ticks) = reading else { return .endsPart }
    let decoding = try base * ticks
    if let last = track.lastDecoding, decoding <= last { return .endsPart }
    track.lastDecoding = decoding
    let presentation = try base * (ticks + delay(of: packet.packet))
    if firstTime == nil { firstTime = presentation }
    (lastArrival, lastDuration) = (packet.arrival, try base * packet.packet.duration)
    defer { tracks[packet.stream] = track }
    guard
      let sample = try sample(of: packet, track: &track, decoding: decoding, at: presentation)
    else { return .taken }
    try writer.append(sample, to: track.number)
    try tellStart()
    return .taken
  }

  private func newClock(_ base: RationalTime) -> SourceClock {
    SourceClock(
      ticksPerSecond: max(base.denominator / base.numerator, 1), bits: isTransportStream ? 33 : nil)
  }

  /// How many ticks later than it is decoded a packet is presented. Either time may already have begun again at zero.
  private func delay(of packet: Packet) -> Int64 {
    guard let time = packet.time, let decoding = packet.decodingTime else { return 0 }
    let delay = time - decoding
    guard isTransportStream else { return delay }
    let period: Int64 = 1 << 33
    return delay > period / 2 ? delay - period : delay < -period / 2 ? delay + period : delay
  }

  private func sample(
    of packet: LivePacket, track: inout Track, decoding: RationalTime, at presentation: RationalTime
  ) throws -> EncodedSample? {
    let bytes = track.format.bytes(of: packet.packet)
    let duration = try packet.packet.timeBase * packet.packet.duration
    var sample = EncodedSample(
      bytes: bytes ?? [], presentationTime: presentation, decodingTime: decoding,
      duration: duration, isSync: track.format.kind == .audio || packet.packet.isKey,
      isDamaged: packet.isDamaged || bytes == nil, followsLoss: packet.followsLoss)
    if var grid = track.grid {
      let count = try grid.samples(in: duration)
      guard let start = try grid.place(presentation, sampleCount: count) else { return nil }
      track.grid = grid
      let rate = Int64(track.format.description.sampleRate)
      sample.presentationTime = try RationalTime(start, rate)
      sample.decodingTime = sample.presentationTime
      sample.duration = try RationalTime(count, rate)
    }
    return sample
  }

  /// Lets the writing thread know when the part begins, as soon as that is known.
  private func tellStart() throws {
    guard let writer, let session = writer.sessionStart, let firstTime,
      told.withLock({ $0.start == nil })
    else { return }
    let start = try base.map { try max($0, $0 + (session - firstTime)) } ?? .zero
    told.withLock { $0.start = start }
  }

  /// Writes the rest, and waits until it is on the disk.
  func finish(droppedBefore: Int) throws -> Ending {
    try writer?.finishWritingAndWait()
    var losses = writer?.losses ?? RecordingLosses()
    losses.beforeStart += droppedBefore
    note(.ended(part: number, losses))
    let end = told.withLock { $0.end ?? $0.start }
    return Ending(end: end ?? base ?? .zero, lastArrival: lastArrival, lastDuration: lastDuration)
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
