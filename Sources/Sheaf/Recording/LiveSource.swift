import Foundation
import Media
import Recording
import Synchronization

/// The transport stream that a live source sends over a socket or a pipe. Notes when bytes arrived, and where some are
/// missing.
///
/// Except for ``stop()``, it belongs to the thread that reads.
public final class LiveSource: ByteStream {
  private let descriptor: Int32
  /// The source's name in errors.
  let name: String
  private let isStopped = Atomic(false)
  private var filter = TransportStreamFilter()
  /// The number of bytes that arrived, without those that the filter leaves out.
  private(set) var byteCount: Int64 = 0
  /// Whether reads return whole datagrams.
  private let isDatagram: Bool
  /// The ends of the runs of bytes that arrived together, and when they arrived.
  private var arrivals: [(end: Int64, time: Duration)] = []
  /// The most runs of bytes whose arrival is kept.
  private static let mostArrivals = 4096
  /// Packets that the reader has not taken.
  private var rest: ArraySlice<UInt8> = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// How long bytes that have already arrived are read after ``stop()``.
  private static let draining = Duration.milliseconds(200)
  /// When reading ends after ``stop()``.
  private var deadline: Duration?

  /// How often a wait for bytes looks whether it should stop, in milliseconds.
  private static let pause: Int32 = 100

  /// Takes ownership of a connected socket, a bound datagram socket, a pipe or a file.
  ///
  /// - Parameter name: the source's name in errors.
  public init(taking descriptor: Int32, named name: String) {
    self.descriptor = descriptor
    self.name = name
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    isDatagram =
      getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
      && type == Int32(SOCK_DGRAM.rawValue)
  }

  deinit { close(descriptor) }

  /// Ends the stream, as if the source had ended. Can be called on any thread.
  public func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Whether the stream was ended by ``stop()``.
  public var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

  /// The time of a clock that never jumps.
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Waits for bytes, and returns their number; 0 at the end.
  ///
  /// - Throws: `MediaError` with code `readFailed`.
  public func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    while rest.isEmpty {
      let count = try receive()
      guard count > 0 else { return 0 }
      let packets = buffer.withUnsafeBytes { bytes in
        filter.add(UnsafeRawBufferPointer(rebasing: bytes[header(of: bytes, count)..<count]))
      }
      byteCount += Int64(packets.count)
      if arrivals.count >= Self.mostArrivals { arrivals.removeFirst(Self.mostArrivals / 2) }
      arrivals.append((byteCount, Self.now))
      rest = packets[...]
    }
    let part = rest.prefix(target.count)
    part.withUnsafeBytes { target.copyMemory(from: $0) }
    rest = rest.dropFirst(part.count)
    return part.count
  }

  /// The length of the RTP header at the start of a datagram (RFC 3550, 5.1); 0 if there is none.
  private func header(of bytes: UnsafeRawBufferPointer, _ count: Int) -> Int {
    guard isDatagram, count > 12, bytes[0] >> 6 == 2 else { return 0 }
    var length = 12 + Int(bytes[0] & 0x0F) * 4
    if bytes[0] & 0x10 != 0, length + 4 <= count {
      length += 4 + (Int(bytes[length + 2]) << 8 | Int(bytes[length + 3])) * 4
    }
    return min(length, count)
  }

  private func receive() throws -> Int {
    while true {
      if hasStopped {
        let deadline = deadline ?? Self.now + Self.draining
        self.deadline = deadline
        guard Self.now < deadline else { return 0 }
      }
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, hasStopped ? 0 : Self.pause)
      if ready == 0 {
        if hasStopped { return 0 }
        continue
      }
      let count = ready < 0 ? -1 : Foundation.read(descriptor, &buffer, buffer.count)
      if count > 0 || (count == 0 && !isDatagram) { return count }
      // An empty datagram.
      if count == 0 { continue }
      switch errno {
      case EINTR, EAGAIN: continue
      // A sender of datagrams that went away, or a peer that reset the connection.
      case ECONNREFUSED: continue
      case ECONNRESET: return 0
      default:
        throw MediaError(
          .readFailed, "cannot read the source", on: name, systemError: errno)
      }
    }
  }

  /// When the byte at an offset arrived, or one soon after it if a later byte was asked for before.
  func arrival(of offset: Int64) -> Duration {
    let index = arrivals.firstIndex { $0.end > offset } ?? max(arrivals.count - 1, 0)
    if index > 0 { arrivals.removeFirst(index) }
    return arrivals.first?.time ?? Self.now
  }

  /// A loss of a substream before an offset, and after those that were asked for.
  func takeLoss(of substream: Int, upTo offset: Int64) -> StreamLoss? {
    filter.takeLoss(of: substream, upTo: offset)
  }

  /// Whether the last access unit of a substream seems to be complete.
  func seemsComplete(_ substream: Int) -> Bool { filter.seemsComplete(substream) }
}
