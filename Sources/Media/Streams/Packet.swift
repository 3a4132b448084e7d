import CFFmpeg
import Glibc
import Timeline

/// One compressed frame, or run of audio samples, of a stream.
///
/// Not thread-safe: it stays on the thread that reads or writes it.
public final class Packet {
  let pointer: UnsafeMutablePointer<AVPacket>
  /// Seconds per tick of the packet's times. Set by the code that fills the packet.
  public var timeBase: RationalTime = RationalTime(1)

  /// Creates an empty packet to read into.
  public init() throws(MediaError) {
    pointer = try allocated(av_packet_alloc(), for: "a packet")
  }

  /// Creates a packet that shares the bytes of `other`. Its times can be set independently.
  public convenience init(sharing other: Packet) throws(MediaError) {
    try self.init()
    try checked(av_packet_ref(pointer, other.pointer), .outOfMemory, "cannot copy", on: "a packet")
    timeBase = other.timeBase
  }

  /// Creates a packet of bytes whose times are unknown.
  public convenience init(bytes: [UInt8]) throws(MediaError) {
    try self.init(count: bytes.count)
    bytes.withUnsafeBytes(fill)
  }

  /// Creates a packet of a copy of bytes, whose times are unknown.
  public convenience init(copying bytes: UnsafeRawBufferPointer) throws(MediaError) {
    try self.init(count: bytes.count)
    fill(bytes)
  }

  private convenience init(count: Int) throws(MediaError) {
    try self.init()
    let status = av_new_packet(pointer, Int32(clamping: count))
    try checked(status, .outOfMemory, "cannot allocate memory", on: "a packet")
  }

  private func fill(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    pointer.pointee.data.update(
      from: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  /// Creates a packet of other bytes with the times and properties of `other`.
  convenience init(bytes: [UInt8], like other: Packet) throws(MediaError) {
    try self.init(bytes: bytes)
    try checked(
      av_packet_copy_props(pointer, other.pointer), .outOfMemory, "cannot copy", on: "a packet")
    timeBase = other.timeBase
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = pointer
    av_packet_free(&packet)
  }

  /// The index of the stream in its container.
  public var streamIndex: Int { Int(pointer.pointee.stream_index) }

  /// Presentation time in ticks, if known.
  public var time: Int64? {
    get { pointer.pointee.pts == sheaf_nopts_value ? nil : pointer.pointee.pts }
    set { pointer.pointee.pts = newValue ?? sheaf_nopts_value }
  }

  /// Decoding time in ticks, if known.
  public var decodingTime: Int64? {
    get { pointer.pointee.dts == sheaf_nopts_value ? nil : pointer.pointee.dts }
    set { pointer.pointee.dts = newValue ?? sheaf_nopts_value }
  }

  /// Length in ticks; 0 if unknown.
  public var duration: Int64 {
    get { pointer.pointee.duration }
    set { pointer.pointee.duration = newValue }
  }

  /// The byte position in the file; -1 if the container has none.
  public var position: Int64 { pointer.pointee.pos }

  /// Whether decoding can begin here.
  public var isKey: Bool {
    get { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    set {
      if newValue {
        pointer.pointee.flags |= AV_PKT_FLAG_KEY
      } else {
        pointer.pointee.flags &= ~AV_PKT_FLAG_KEY
      }
    }
  }

  /// Whether the packet is decoded but not presented, because it is outside the edit list.
  public var isDiscarded: Bool { pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }

  /// Whether the container reports that the data is damaged or cut short.
  public var isCorrupt: Bool { pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }

  /// The number of bytes.
  public var count: Int { Int(pointer.pointee.size) }

  /// The compressed bytes, for the length of the call.
  public func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: pointer.pointee.data, count: count))
  }

  /// The number of bytes at the end that another packet has at its end too.
  func countOfLastBytes(sharedWith other: Packet) -> Int {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { others in
        let most = min(bytes.count, others.count)
        guard most > 0, let end = bytes.baseAddress?.advanced(by: bytes.count),
          let otherEnd = others.baseAddress?.advanced(by: others.count)
        else { return 0 }
        if memcmp(end - most, otherEnd - most, most) == 0 { return most }
        return (1...most).first {
          end.load(fromByteOffset: -$0, as: UInt8.self)
            != otherEnd.load(fromByteOffset: -$0, as: UInt8.self)
        }.map { $0 - 1 } ?? most
      }
    }
  }

  /// Whether the packet's last `count` bytes are those of a file from an offset on.
  func ends(withBytesOf file: any ByteSource, from offset: Int64, count: Int) throws -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: min(count, Self.comparedAtOnce), alignment: 16) {
      piece in
      try withUnsafeBytes { bytes in
        // From the end, because that was read last and may still be in memory.
        var rest = UnsafeRawBufferPointer(rebasing: bytes.suffix(count))
        while !rest.isEmpty {
          let last = UnsafeRawBufferPointer(rebasing: rest.suffix(piece.count))
          rest = UnsafeRawBufferPointer(rebasing: rest.dropLast(last.count))
          let read = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(last.count))
          guard try file.fill(read, from: offset + Int64(rest.count)) == last.count,
            let start = last.baseAddress, let found = read.baseAddress,
            memcmp(start, found, last.count) == 0
          else { return false }
        }
        return true
      }
    }
  }

  private static let comparedAtOnce = 1 << 16

  /// Samples to drop at the packet's start and end, if the container signals any.
  var skippedSamples: (start: Int, end: Int)? {
    var size = 0
    guard
      let data = av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8
    else { return nil }
    let values = UnsafeRawBufferPointer(start: data, count: size)
    return (
      Int(UInt32(littleEndian: values.loadUnaligned(as: UInt32.self))),
      Int(UInt32(littleEndian: values.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    )
  }

  /// Whether the stream's coding parameters change with this packet.
  var changesParameters: Bool {
    av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil
  }

  /// Moves the content of another packet here, and leaves that one empty.
  func take(from other: Packet) {
    clear()
    av_packet_move_ref(pointer, other.pointer)
    timeBase = other.timeBase
  }

  /// Frees the bytes and keeps the packet for reuse.
  func clear() { av_packet_unref(pointer) }
}
