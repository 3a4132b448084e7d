import Foundation
import Media
import Recording
import Synchronization
import Threads

/// The stream that a live source sends. Notes when bytes arrived and, in a transport stream, where some are missing.
///
/// Only the thread that reads may use it, except for ``stop()`` and ``hasStopped``.
public final class LiveSource: ByteStream, RecordableSource {
  private let input: any LiveInput
  /// The source's name in errors.
  public let name: String
  private let isStopped = Atomic(false)
  /// Reads the packets of a transport stream; `nil` for other formats.
  private var filter: TransportStreamFilter?
  /// The number of bytes that arrived, without those that the filter leaves out.
  private(set) var byteCount: Int64 = 0
  /// The runs of bytes that arrived together: the offset at which each ends, and its time of arrival.
  private var arrivals: [(end: Int64, time: Duration)] = []
  /// The maximum number of runs that are kept.
  private static let mostArrivals = 4096
  /// The packets that have not been read yet.
  private var rest: ArraySlice<UInt8> = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// How long the bytes that have already arrived are still read after ``stop()``.
  private static let draining = Duration.milliseconds(200)
  /// The time at which reading ends after ``stop()``.
  private var deadline: Duration?

  /// How often a wait for bytes checks whether it should end, in milliseconds.
  private static let pause = 100

  /// Reads a stream from an input.
  ///
  /// - Parameters:
  ///   - name: the source's name in errors.
  ///   - mayBeFile: whether the input may be a Y4M or WAV file instead of a transport stream.
  public init(from input: any LiveInput, named name: String, mayBeFile: Bool = false) {
    self.input = input
    self.name = name
    self.mayBeFile = mayBeFile
    format = input.format
    filter = input.format == .transportStream ? TransportStreamFilter() : nil
  }

  /// The unit of the times of its packets.
  public var clock: LiveClock { format.clock }
  /// Whether it is a file of uncompressed pictures or sound.
  public var isFile: Bool { format.isFile }
  package var remedy: String { "send H.264 or H.265 video, or AAC audio" }
  package func encodes(_ codec: String) -> Bool { false }
  /// Whether no bytes have arrived so far.
  public var isSilent: Bool { byteCount == 0 }

  /// Waits for enough bytes to describe the streams.
  ///
  /// - Throws: `MediaError`.
  package func open() throws -> any LivePacketReader {
    try recognize()
    return LivePackets(
      try LiveDemuxer(self, format, named: name, startingAt: start(of:)), from: self)
  }

  /// The format of the bytes. If the input may be a file, it is known once the source is open.
  private(set) var format: LiveContainer
  private let mayBeFile: Bool

  /// Takes ownership of a connected socket, a bound datagram socket, a pipe or a file.
  ///
  /// - Parameters:
  ///   - name: the source's name in errors.
  ///   - mayBeFile: as for ``init(from:named:mayBeFile:)``.
  public convenience init(taking descriptor: Int32, named name: String, mayBeFile: Bool = false) {
    self.init(
      from: DescriptorInput(taking: descriptor, named: name), named: name, mayBeFile: mayBeFile)
  }

  /// Detects the format from the first bytes, if the input may be a file.
  ///
  /// - Throws: `MediaError` with code `readFailed`.
  private func recognize() throws {
    guard mayBeFile else { return }
    var first: [UInt8] = []
    while first.count < LiveContainer.signatureSize {
      let count = try receive()
      guard count > 0 else { break }
      first += buffer[..<count]
    }
    format = LiveContainer(signature: first)
    if format != .transportStream { filter = nil }
    note(first.withUnsafeBytes { filter?.add($0) ?? Array($0) })
  }

  /// Notes the arrival of packets.
  private func note(_ packets: [UInt8]) {
    byteCount += Int64(packets.count)
    if arrivals.count >= Self.mostArrivals { arrivals.removeFirst(Self.mostArrivals / 2) }
    arrivals.append((byteCount, MonotonicClock.now - input.age))
    rest = packets[...]
  }

  /// Ends the stream, as if the source had ended. Can be called on any thread.
  public func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Whether the stream was ended by ``stop()``.
  public var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

  /// Waits for bytes, and returns their number; 0 at the end.
  ///
  /// - Throws: `MediaError` with code `readFailed`.
  public func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    while rest.isEmpty {
      let count = try receive()
      guard count > 0 else {
        input.close()
        return 0
      }
      let packets = buffer.withUnsafeBytes { bytes in
        let content = UnsafeRawBufferPointer(rebasing: bytes[header(of: bytes, count)..<count])
        return filter?.add(content) ?? Array(content)
      }
      note(packets)
    }
    let part = rest.prefix(target.count)
    part.withUnsafeBytes { target.copyMemory(from: $0) }
    rest = rest.dropFirst(part.count)
    return part.count
  }

  /// The length of the RTP header at the start of a datagram (RFC 3550, 5.1); 0 if there is none.
  private func header(of bytes: UnsafeRawBufferPointer, _ count: Int) -> Int {
    guard input.isDatagram, count > 12, bytes[0] >> 6 == 2 else { return 0 }
    var length = 12 + Int(bytes[0] & 0x0F) * 4
    if bytes[0] & 0x10 != 0, length + 4 <= count {
      length += 4 + (Int(bytes[length + 2]) << 8 | Int(bytes[length + 3])) * 4
    }
    return min(length, count)
  }

  private func receive() throws -> Int {
    while true {
      // Bytes that have arrived are read at once, unless the input holds them back.
      var wait = Self.pause
      if hasStopped {
        let deadline = deadline ?? MonotonicClock.now + Self.draining + input.delay
        self.deadline = deadline
        guard MonotonicClock.now < deadline else { return 0 }
        if input.delay == .zero { wait = 0 }
      }
      switch try buffer.withUnsafeMutableBytes({ try input.receive(into: $0, within: wait) }) {
      case .bytes(let count): if count > 0 { return count }
      case .ended: return 0
      case .nothing: if hasStopped, input.delay == .zero { return 0 }
      }
    }
  }

  /// The number of pictures that the input left out.
  public var leftOut: Int { input.leftOut }

  /// The start of a stream, as in ``LiveInput/start(of:)``.
  func start(of stream: Int) -> Int64 { input.start(of: stream) }

  /// The time at which the byte at an offset arrived. The time may be slightly later if a later offset was passed
  /// before.
  func arrival(of offset: Int64) -> Duration {
    let index = arrivals.firstIndex { $0.end > offset } ?? max(arrivals.count - 1, 0)
    if index > 0 { arrivals.removeFirst(index) }
    return arrivals.first?.time ?? MonotonicClock.now
  }

  /// Removes the losses of a substream up to an offset, and returns one of them.
  func takeLoss(of substream: Int, upTo offset: Int64) -> StreamLoss? {
    filter?.takeLoss(of: substream, upTo: offset)
  }

  /// Whether the last access unit of a substream seems to be complete.
  func seemsComplete(_ substream: Int) -> Bool { filter?.seemsComplete(substream) ?? true }
}
