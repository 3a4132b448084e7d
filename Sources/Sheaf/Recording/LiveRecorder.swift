import Foundation
import Media
import Recording
import Threads
import Timeline

/// Records a live source into the parts of a recording. Encodes only what MP4 files cannot hold.
///
/// The first part begins with the source. Another part begins if the source's clock jumps or its format changes.
///
/// `@unchecked` is sound because only the thread that calls ``run()``, which blocks, uses the state. Other threads may
/// use only ``stop()`` and ``hasStopped``.
public final class LiveRecorder: @unchecked Sendable {
  /// Where a recorder writes, and how.
  public struct Place: Sendable {
    /// The recording's folder, in which each part has a folder.
    public var folder: String
    /// The number of the first part.
    public var firstPart: Int
    /// The start of the first part in seconds of the recording, if the source sends immediately.
    public var start: RationalTime
    /// How the parts are written.
    public var settings: RecordingSettings
    /// How to encode streams that MP4 files cannot hold.
    public var encoding = LiveEncoder.Settings()
    /// Whether the source is read no faster than the disk can write. Set it only for a source that can wait.
    public var waitsForDisk: Bool

    /// Creates a place.
    public init(
      folder: String, firstPart: Int = 1, start: RationalTime = .zero,
      settings: RecordingSettings = RecordingSettings(), waitsForDisk: Bool = false
    ) {
      self.folder = folder
      self.firstPart = firstPart
      self.start = start
      self.settings = settings
      self.waitsForDisk = waitsForDisk
    }
  }

  private let place: Place
  private let source: any RecordableSource
  private let note: @Sendable (RecorderEvent) -> Void
  private let began = MonotonicClock.now
  private var machine = RecorderMachine()
  private var ignored: Set<Int> = []

  /// Creates an idle recorder of a stream.
  ///
  /// - Parameter note: called for each event, on several threads. The calls for one part do not overlap.
  public convenience init(
    _ source: LiveSource, at place: Place,
    noting note: @escaping @Sendable (RecorderEvent) -> Void
  ) {
    self.init(recording: source, at: place, noting: note)
  }

  /// Creates an idle recorder of any source.
  package init(
    recording source: any RecordableSource, at place: Place,
    noting note: @escaping @Sendable (RecorderEvent) -> Void
  ) {
    self.source = source
    self.place = place
    self.note = note
  }

  /// Tells the recorder to end, as if the source had ended. Can be called on any thread.
  public func stop() { source.stop() }

  /// Whether ``stop()`` was called. Can be read on any thread.
  public var hasStopped: Bool { source.hasStopped }

  /// Records until the source ends or ``stop()`` is called, and waits until everything is on disk.
  ///
  /// - Throws: `MediaError`. What was written before remains.
  public func run() throws {
    try machine.take(.start)
    do {
      try record()
      try machine.take(.sourceEnded)
      try machine.take(.written)
    } catch {
      try? machine.take(.failed)
      throw error
    }
  }

  private func record() throws {
    let reader: any LivePacketReader
    do {
      reader = try source.open()
    } catch {
      // A connection that sent nothing, such as a port scan, does not count as a source.
      guard source.hasStopped || source.isSilent else { throw error }
      return
    }
    // Devices that are stopped before they are ready have no streams.
    guard !source.hasStopped || !reader.streams.isEmpty else { return }
    var encoders: [LiveEncoder] = []
    var formats = try self.formats(of: reader.streams, &encoders)
    let packets = EncodedPackets(
      reader, encodedBy: encoders, waits: place.waitsForDisk,
      ignoring: { [unowned self] in ignore($0, $1) })
    var backlog: [LivePacket] = []
    let dropped = try waitForFormats(&formats, packets, &backlog)
    guard let first = backlog.first else { return }
    let isContinued = place.firstPart > 1
    var number = place.firstPart
    func begin(at base: RationalTime?) throws -> LivePart {
      try LivePart(
        number, base: base, formats: formats.filter(\.isKnown), at: place,
        clock: SourceClock(ticksPerSecond: source.clock.ticksPerSecond, bits: source.clock.bits),
        note: note)
    }
    var part = try begin(
      at: isContinued ? place.start + Self.seconds(first.arrival - began) : nil)
    var rest = backlog[...]
    // The clock of the previous part, for the few packets of other streams that arrive after the jump.
    var earlier: SourceClock?
    var packetsSinceJump = 0
    var leftOut = 0
    func end() throws -> LivePart.Ending {
      var losses = packets.takeLosses()
      losses.damagedSamples += source.leftOut - leftOut
      part.note(losses)
      leftOut = source.leftOut
      return try part.finish(droppedBefore: number == place.firstPart ? dropped : 0)
    }
    do {
      while let packet = try rest.popFirst() ?? packets.next() {
        packetsSinceJump += 1
        if packetsSinceJump > Self.mostStragglers { earlier = nil }
        if let earlier, packet.isNearer(to: earlier, than: part.clock) {
          part.noteStraggler()
          continue
        }
        let outcome = try part.take(packet)
        switch outcome {
        case .taken: break
        case .foreign: ignore(packet.stream, "it began later than the others")
        case .jumped, .changed:
          (earlier, packetsSinceJump) = (outcome == .jumped ? part.clock : nil, 0)
          let ended = try end()
          number += 1
          for index in formats.indices where formats[index].stream.index == packet.stream {
            formats[index].update(from: packet.packet)
          }
          part = try begin(at: start(after: ended, with: packet))
          _ = try part.take(packet)
        }
        if machine.state == .starting, part.hasStarted { try machine.take(.began) }
      }
    } catch {
      // Keeps the packets that arrived before the failure, if they can still be written.
      _ = try? end()
      throw error
    }
    _ = try end()
  }

  /// The formats of the streams that are recorded: the first video stream, and all sound. Adds the encoders of those that
  /// MP4 files cannot hold.
  private func formats(
    of streams: [LiveDemuxer.Stream], _ encoders: inout [LiveEncoder]
  ) throws -> [LiveFormat] {
    var formats: [LiveFormat] = []
    var reasons: [String] = []
    for stream in streams {
      do {
        guard stream.mediaKind == .audio || !formats.contains(where: { $0.kind == .video }) else {
          throw LiveFormat.Refusal(reason: "only the first video stream is recorded")
        }
        guard mustEncode(stream) else {
          formats.append(try LiveFormat(stream))
          continue
        }
        let encoder = try encoder(of: stream)
        formats.append(try LiveFormat(encoder.stream))
        encoders.append(encoder)
      } catch let refusal as LiveFormat.Refusal {
        reasons.append(refusal.reason)
        ignore(stream.index, refusal.reason)
      }
    }
    guard !formats.isEmpty else {
      throw MediaError(
        .unsupportedCodec, "the source has no stream that can be recorded", on: source.name,
        remedy: source.remedy, cause: reasons.joined(separator: "; "))
    }
    return formats
  }

  /// Whether a stream is encoded, because MP4 files cannot hold it or the source wants it.
  private func mustEncode(_ stream: LiveDemuxer.Stream) -> Bool {
    stream.mediaKind != .other
      && (source.encodes(stream.parameters.codec) || !FragmentMuxer.canHold(stream.parameters))
  }

  /// An encoder of a stream. A file has no other stream, so that its failure ends the recording.
  private func encoder(of stream: LiveDemuxer.Stream) throws -> LiveEncoder {
    do {
      return try LiveEncoder(
        stream, clock: source.clock, named: source.name, settings: place.encoding)
    } catch let error as MediaError where !source.isFile {
      throw LiveFormat.Refusal(
        reason: "MP4 files cannot hold \(stream.parameters.codec), and it cannot be encoded: "
          + "\(error.problem)")
    }
  }

  /// The number of packets after a jump of the clock that may still belong to the previous part.
  private static let mostStragglers = 100

  /// The maximum number of packets that are read after the first keyframe to find out the formats of all streams.
  private static let patience = 400

  /// Reads packets until the first keyframe has arrived and the formats of all streams are known. Leaves the packets
  /// from that keyframe on in `backlog`.
  ///
  /// - Returns: the number of packets before it, which are dropped.
  private func waitForFormats(
    _ formats: inout [LiveFormat], _ packets: EncodedPackets, _ backlog: inout [LivePacket]
  ) throws -> Int {
    let leading = (formats.first { $0.kind == .video } ?? formats[0]).stream.index
    var dropped = 0
    while backlog.count < Self.patience, let packet = try packets.next() {
      guard let index = formats.firstIndex(where: { $0.stream.index == packet.stream }) else {
        continue
      }
      let isFirst = backlog.isEmpty
      if !isFirst || packet.stream == leading {
        let canStart = !packet.isDamaged && formats[index].canStart(with: packet.packet)
        guard !isFirst || canStart else {
          dropped += 1
          continue
        }
        backlog.append(packet)
      } else {
        dropped += 1
      }
      if !formats[index].isKnown, !packet.isDamaged { formats[index].update(from: packet.packet) }
      if !backlog.isEmpty, formats.allSatisfy(\.isKnown) { break }
    }
    for format in formats where !format.isKnown && !backlog.isEmpty {
      ignore(format.stream.index, "it sent nothing that can be recorded")
    }
    return dropped
  }

  /// Reports, once for each stream, why it is not recorded.
  private func ignore(_ stream: Int, _ reason: String) {
    guard ignored.insert(stream).inserted else { return }
    note(.ignored("stream \(stream): \(reason)"))
  }

  /// The start of a part in seconds of the recording: as long after the end of the previous part as its first packet
  /// arrived after the last one of that part, but never before that end.
  private func start(after ended: LivePart.Ending, with packet: LivePacket) throws -> RationalTime {
    let silence = try Self.seconds(packet.arrival - ended.lastArrival) - ended.lastDuration
    return try ended.end + max(.zero, silence)
  }

  private static func seconds(_ duration: Duration) throws -> RationalTime {
    let (seconds, attoseconds) = duration.components
    return try RationalTime(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1000)
  }
}

extension LivePacket {
  /// Whether the packet's time is nearer to the time of one clock than to that of another.
  fileprivate func isNearer(to clock: SourceClock, than other: SourceClock) -> Bool {
    guard let time = packet.decodingTime ?? packet.time else { return false }
    return clock.distance(to: time) < other.distance(to: time)
  }
}
