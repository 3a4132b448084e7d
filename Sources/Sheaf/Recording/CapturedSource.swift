import Media
import Synchronization
import Timeline

/// The pictures and sound of capture devices.
///
/// Only the thread that reads may use it, except for ``stop()`` and ``hasStopped``.
package final class CapturedSource: RecordableSource {
  private let input: any CaptureInput
  /// The source's name in errors.
  package let name: String
  private let isStopped = Atomic(false)
  /// The unit of the times of its packets.
  package let clock = LiveClock.fine
  /// Always false.
  package let isFile = false
  /// Always false: every failure of an open device is an error.
  package let isSilent = false
  /// Zero, because damaged pictures are left out later.
  package let leftOut = 0
  /// The remedy if no device delivers a supported format.
  package let remedy = "choose another size with --size, or another device"

  /// How often a wait checks whether it should end, in milliseconds.
  private static let pause = 100

  /// Captures from an input.
  ///
  /// - Parameter name: the source's name in errors.
  package init(from input: any CaptureInput, named name: String) {
    self.input = input
    self.name = name
  }

  /// Whether a codec is Motion JPEG, which cameras use on slow buses. In a file, it is several times larger, and few players
  /// support it.
  package func encodes(_ codec: String) -> Bool { codec == "mjpeg" }

  /// Ends the capture. Can be called on any thread.
  package func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Whether ``stop()`` was called. Can be read on any thread.
  package var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

  /// Makes the devices ready.
  ///
  /// - Throws: `MediaError`, or an error of the input.
  package func open() throws -> any LivePacketReader {
    let isReady = try input.open { !hasStopped }
    return try Reader(self, isReady ? input.formats : [])
  }

  private final class Reader: LivePacketReader {
    let streams: [LiveDemuxer.Stream]
    private let source: CapturedSource
    /// Finds the keyframes of encoded pictures; `nil` for streams whose packets are all keyframes.
    private let readers: [PacketFormat?]
    private var ready: ArraySlice<LivePacket> = []
    /// The reason why a device failed, which is thrown once everything before it was returned.
    private var failure: (any Error)?

    init(_ source: CapturedSource, _ formats: [CapturedFormat]) throws {
      self.source = source
      streams = try formats.enumerated().map { try LiveDemuxer.Stream($1, index: $0) }
      readers = try streams.map {
        $0.parameters.codec == "h264" ? try PacketFormat($0.parameters) : nil
      }
    }

    deinit { source.input.close() }

    func next() throws -> LivePacket? {
      while ready.isEmpty {
        guard !source.hasStopped, !streams.isEmpty else {
          source.input.close()
          return nil
        }
        if let failure { throw failure }
        do {
          try source.input.receive(within: CapturedSource.pause) { ready.append(try packet($0)) }
        } catch {
          failure = error
        }
      }
      return ready.popFirst()
    }

    private func packet(_ sample: CapturedSample) throws -> LivePacket {
      let stream = streams[sample.stream]
      let packet = try Packet(copying: sample.bytes)
      packet.timeBase = stream.timeBase
      packet.time = Self.ticks(sample.time)
      packet.decodingTime = packet.time
      packet.duration = Self.ticks(sample.duration)
      packet.isKey = readers[sample.stream]?.isReset(by: packet) ?? true
      return LivePacket(
        stream: stream.index, packet: packet, arrival: sample.time, isDamaged: sample.isDamaged,
        followsLoss: sample.followsLoss)
    }

    private static func ticks(_ time: Duration) -> Int64 {
      let (seconds, attoseconds) = time.components
      let nanoseconds = attoseconds / 1_000_000_000
      let rate = LiveClock.fine.ticksPerSecond
      return seconds * rate + (nanoseconds * rate + 500_000_000) / 1_000_000_000
    }
  }
}
