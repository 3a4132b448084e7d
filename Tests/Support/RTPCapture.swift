import Foundation
import Synchronization

/// The packets of RTP and RTCP that `ffmpeg` sends for streams of a file, with its description of them.
public struct RTPCapture: Sendable {
  /// A packet that was sent.
  public struct Packet: Sendable {
    /// The number of its stream.
    public let stream: Int
    /// Whether it is a packet of RTCP.
    public let isControl: Bool
    /// Its bytes.
    public var bytes: [UInt8]
  }

  /// The description of the streams (SDP), without addresses for requests.
  public let description: String
  /// The packets, in the order in which they were sent.
  public var packets: [Packet]

  /// Captures streams, four times as fast as they play.
  ///
  /// - Parameters:
  ///   - outputs: for each stream, the arguments of `ffmpeg` that select and encode it.
  ///   - packetSize: the maximum number of bytes of a packet.
  public init(
    _ path: String, _ outputs: [[String]], packetSize: Int = 1200, in folder: TemporaryDirectory
  ) throws {
    let sockets = try outputs.map { _ in try Self.sockets() }
    defer { for socket in sockets.joined() { close(socket.descriptor) } }
    let description = folder.path("streams.sdp")
    let arguments = ["-v", "error", "-y", "-readrate", "4", "-i", path, "-sdp_file", description]
    let targets = zip(outputs, sockets).flatMap { output, pair in
      output + ["-f", "rtp", "rtp://127.0.0.1:\(pair[0].port)?pkt_size=\(packetSize)"]
    }
    let outcome = Mutex<Result<Data, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result { try Tool.run("ffmpeg", arguments + targets) }
      outcome.withLock { $0 = result }
    }
    packets = []
    while true {
      let hasEnded = outcome.withLock { $0 != nil }
      if !Self.receive(from: sockets, into: &packets), hasEnded { break }
    }
    _ = try outcome.withLock { try $0?.get() }
    self.description = try String(contentsOfFile: description, encoding: .utf8)
    for stream in outputs.indices { try checkNumbers(of: stream) }
  }

  /// Some packets did not arrive.
  public struct Incomplete: Error {}

  private func checkNumbers(of stream: Int) throws {
    let numbers = packets.filter { $0.stream == stream && !$0.isControl }.map {
      UInt16($0.bytes[2]) << 8 | UInt16($0.bytes[3])
    }
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $1 == $0 &+ 1 }) else {
      throw Incomplete()
    }
  }

  /// Receives the packets that arrive within 200 ms. Returns whether there were any.
  private static func receive(
    from sockets: [[(descriptor: Int32, port: UInt16)]], into packets: inout [Packet]
  ) -> Bool {
    let all = sockets.enumerated().flatMap { stream, pair in
      pair.enumerated().map { (stream, $0 == 1, $1.descriptor) }
    }
    var pollers = all.map { pollfd(fd: $0.2, events: Int16(POLLIN), revents: 0) }
    guard poll(&pollers, nfds_t(pollers.count), 200) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    for (poller, (stream, isControl, descriptor)) in zip(pollers, all) where poller.revents != 0 {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { continue }
      packets.append(Packet(stream: stream, isControl: isControl, bytes: Array(buffer[..<count])))
    }
    return true
  }

  /// Two sockets at ports of which the second follows the first one, which is even.
  private static func sockets() throws -> [(descriptor: Int32, port: UInt16)] {
    for first in stride(from: UInt16.random(in: 12_000..<30_000) * 2, to: 65_000, by: 2) {
      let pair = [first, first + 1].map { port in
        let descriptor = socket(
          AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Packets wait while this process does not run.
        var size: Int32 = 8 << 20
        for option in [SO_RCVBUF, SO_RCVBUFFORCE] {
          setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = LoopbackSocket.address(port: port)
        let isBound = LoopbackSocket.with(&address) { bind(descriptor, $0, $1) } == 0
        return (descriptor: descriptor, port: port, isBound: isBound)
      }
      if pair.allSatisfy(\.isBound) { return pair.map { ($0.descriptor, $0.port) } }
      for socket in pair { close(socket.descriptor) }
    }
    throw LoopbackSocket.Failure(call: "bind", number: EADDRINUSE)
  }

  /// Replaces the sender reports of `ffmpeg`, which state when it sent packets, by reports that state when the first
  /// packet of each stream is presented.
  ///
  /// - Parameter milliseconds: the time of the first packet of each stream; `nil` for a stream without reports.
  public mutating func state(_ milliseconds: [Int?]) {
    var begun: Set<Int> = []
    packets = packets.filter { !$0.isControl }.flatMap { packet in
      guard begun.insert(packet.stream).inserted, let time = milliseconds[packet.stream] else {
        return [packet]
      }
      let clock = (UInt64(4_000_000_000) << 32) + (UInt64(time) << 32) / 1000
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: clock >> (56 - 8 * UInt64($0))) }
      let report =
        [0x80, 200, 0, 6] + packet.bytes[8..<12] + bytes + packet.bytes[4..<8]
        + [UInt8](repeating: 0, count: 8)
      return [Packet(stream: packet.stream, isControl: true, bytes: report), packet]
    }
  }
}
