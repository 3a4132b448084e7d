import Foundation
import Support
import Testing

/// Senders over SRT that do not send a stream.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct HostileSRTTests {
  private static let passphrase = "correct-horse-battery"
  private let folder: TemporaryDirectory
  private let studio: RecordingStudio

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
    try Data(Self.passphrase.utf8).write(to: URL(fileURLWithPath: folder.path("secret")))
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  /// The first packet of a handshake, as a caller sends it (draft-sharabayko-srt, 3.2.1).
  private static let induction: [UInt8] =
    [0x80, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [0, 0, 0, 4, 0, 0, 0, 2, 1, 2, 3, 4]
    + [0, 0, 5, 0xDC, 0, 0, 0x20, 0, 0, 0, 0, 1, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0]
    + [127, 0, 0, 1] + [UInt8](repeating: 0, count: 12)

  /// Sends datagrams from one socket.
  private func send(_ datagrams: [[UInt8]]) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = studio.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0)
    for datagram in datagrams { _ = Glibc.send(descriptor, datagram, datagram.count, 0) }
  }

  private func sendNoise(_ seed: Int, by passphrase: String) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let noise = folder.path("noise")
    try Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
      .write(to: URL(fileURLWithPath: noise))
    try blockUntil("the noise is sent") {
      (try? Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-f", "data", "-i", noise, "-map", "0:0", "-c", "copy", "-f", "data",
          "srt://127.0.0.1:\(studio.port)?linger=10&passphrase=\(passphrase)",
        ])) != nil
    }
  }

  @Test func `datagrams that are not handshakes do not prevent a sender from connecting`() throws {
    let path = try RecordingStudio.stream(3, frames: 48, in: folder)
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    try Ports.waitUntilOpen(studio.port, in: "udp")
    var random = SeededRandom(seed: 17)
    for _ in 0..<20 {
      try send(
        (0..<100).map { number in
          guard number % 2 == 0 else {
            return (0..<Int.random(in: 0...1472, using: &random)).map { _ in
              UInt8.random(in: 0...255, using: &random)
            }
          }
          var datagram = Self.induction
          for _ in 0..<Int.random(in: 0...8, using: &random) {
            datagram[Int.random(in: datagram.indices, using: &random)] =
              UInt8.random(in: 0...255, using: &random)
          }
          return Array(datagram.prefix(Int.random(in: 16...datagram.count, using: &random)))
        })
    }
    try blockUntil("the coordinator takes the stream") {
      (try? StreamSender(port: studio.port, passphrase: Self.passphrase)
        .send(path, over: "srt-listen")) != nil
    }
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
  }

  @Test func `noise over SRT fails a recording by name`() throws {
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    try sendNoise(1, by: Self.passphrase)
    try blockUntil("the recording fails") { try studio.status(id)["state"] as? String == "failed" }
    let failure = try #require(try studio.status(id)["failure"] as? [String: Any])
    #expect(failure["code"] as? String == "not-media")
    #expect((failure["message"] as? String)?.contains("srt-listen://127.0.0.1") == true)
    let ready = try Tool.run("curl", ["-sS", "--fail-with-body", "\(studio.origin)/readyz"])
    #expect(!ready.isEmpty)
  }

  @Test func `a recording that has begun continues with the next sender after noise`() throws {
    let sender = StreamSender(port: studio.port, passphrase: Self.passphrase)
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    for source in [3, 4] {
      let path = try RecordingStudio.stream(source, frames: 48, in: folder)
      try blockUntil("the coordinator takes the stream") {
        (try? sender.send(path, over: "srt-listen")) != nil
      }
      try blockUntil("the stream is recorded") {
        (try studio.status(id)["parts"] as? [Any])?.count == source - 2
      }
      if source == 3 { try sendNoise(2, by: Self.passphrase) }
    }
    let recorded = try studio.finish(id)
    #expect(
      try FrameNameReader.names(in: recorded) == names(0..<48, of: 3) + names(0..<48, of: 4))
  }
}
