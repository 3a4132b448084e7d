import Foundation
import Support
import Testing

/// Live sources over SRT that `ffmpeg` sends, recorded by a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SRTRecordingTests {
  private static let passphrase = "correct-horse-battery"
  private let folder: TemporaryDirectory
  private let studio: RecordingStudio

  init() throws {
    folder = try TemporaryDirectory()
    studio = try RecordingStudio(in: folder)
    try Data("\(Self.passphrase)\n".utf8).write(to: URL(fileURLWithPath: folder.path("secret")))
  }

  private func stream(_ source: Int, frames: Int) throws -> String {
    try RecordingStudio.stream(source, frames: frames, in: folder)
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  private var sender: StreamSender { StreamSender(port: studio.port) }
  private var encryptedSender: StreamSender {
    StreamSender(port: studio.port, passphrase: Self.passphrase)
  }

  /// Sends a stream once the coordinator listens or connects.
  private func send(_ path: String, over transport: String, by sender: StreamSender) throws {
    try blockUntil("the coordinator takes the stream") {
      (try? sender.send(path, over: transport)) != nil
    }
  }

  /// A hash of each packet of sound, as MP4 files store it.
  private func soundHashes(_ path: String) throws -> [String] {
    let filter = path.hasSuffix(".ts") ? ["-bsf:a", "aac_adtstoasc"] : []
    let text = try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", path, "-map", "0:a", "-c", "copy"] + filter + ["-f", "framemd5", "-"])
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { String($0.split(separator: ",")[5]) }
  }

  @Test(arguments: ["srt-listen", "srt"], [false, true])
  func `every packet from the first keyframe on is in the finished file`(
    transport: String, isEncrypted: Bool
  ) throws {
    let path = try stream(3, frames: 96)
    let id = try studio.begin(
      transport, options: isEncrypted ? ["--passphrase-file", "secret"] : [])
    try send(path, over: transport, by: isEncrypted ? encryptedSender : sender)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameHashes.of(recorded) == FrameHashes.of(path))
    #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    let status = try studio.status(id)
    let losses = try #require(status["losses"] as? [String: Any])
    let before = try #require(losses["beforeStart"] as? Int)
    #expect(try soundHashes(recorded) == soundHashes(path).dropFirst(before).map(\.self))
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 1)
  }

  @Test func `a listener rejects senders without its passphrase, and waits for the right one`()
    throws
  {
    let path = try stream(3, frames: 48)
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    // Until the socket is open, the sender gets no answer.
    try blockUntil("a wrong passphrase is rejected") {
      do {
        try StreamSender(port: studio.port, passphrase: "incorrect-horse")
          .send(path, over: "srt-listen")
      } catch let failure as Tool.Failure {
        return failure.standardError.contains("Incorrect passphrase")
      }
      return false
    }
    #expect(throws: Tool.Failure.self) { try sender.send(path, over: "srt-listen") }
    try send(path, over: "srt-listen", by: encryptedSender)
    try studio.waitForBytes(id, 1)
    let recorded = try studio.finish(id)
    #expect(try FrameNameReader.names(in: recorded) == names(0..<48, of: 3))
  }

  @Test(arguments: [nil, "incorrect-horse"])
  func `without the sender's passphrase, a recording fails by name`(passphrase: String?) throws {
    let path = try stream(3, frames: 48)
    let sender = Thread { [sender = encryptedSender] in try? sender.send(path, over: "srt") }
    sender.start()
    try Ports.waitUntilOpen(studio.port, in: "udp")
    let source = "srt://127.0.0.1:\(studio.port)"
    let outcome = try Program.sheaf.run(
      ["record", source, "--coordinator", studio.origin], in: folder.path,
      environment: passphrase.map { ["SHEAF_RECORDING_PASSPHRASE": $0] } ?? [:])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains(source))
    #expect(outcome.standardError.contains("use the same passphrase at both ends"))
    let list = try studio.sheaf("recordings", "--json")
    #expect(list.standardOutput.contains("passphrase-rejected"))
    // The sender still waits for a caller with its passphrase.
    let id = try studio.begin("srt", options: ["--passphrase-file", "secret"])
    try studio.waitForBytes(id, 1)
  }

  @Test func `a sender that reconnects continues the recording, even after a restart`() throws {
    let paths = try [3, 4, 5].map { try stream($0, frames: 48) }
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    for (number, path) in paths.enumerated() {
      if number == 2 { try studio.restart() }
      try send(path, over: "srt-listen", by: encryptedSender)
      try blockUntil("the stream is recorded") {
        (try studio.status(id)["parts"] as? [Any])?.count == number + 1
      }
    }
    let recorded = try studio.finish(id)
    #expect(
      try FrameNameReader.names(in: recorded)
        == names(0..<48, of: 3) + names(0..<48, of: 4) + names(0..<48, of: 5))
  }

  @Test func `the passphrase is in no output, and the ledger forgets it`() throws {
    let path = try stream(3, frames: 48)
    let id = try studio.begin("srt-listen", options: ["--passphrase-file", "secret"])
    try send(path, over: "srt-listen", by: encryptedSender)
    try studio.waitForBytes(id, 1)
    func outputs() throws -> [String] {
      try [
        studio.sheaf("recording", id, "--json").standardOutput,
        studio.sheaf("recordings", "--json").standardOutput,
        studio.sheaf("recording", id).standardOutput,
        String(decoding: Tool.run("curl", ["-sS", "\(studio.origin)/metrics"]), as: UTF8.self),
        studio.log,
      ]
    }
    let submission = #"SELECT CAST(submission AS TEXT) AS text FROM recordings"#
    func stored() throws -> String {
      let script =
        "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
      return String(
        decoding: try Tool.run(
          Tool.python, ["-c", script, folder.path("data/ledger.sqlite"), submission]),
        as: UTF8.self)
    }
    for output in try outputs() {
      #expect(!output.isEmpty)
      #expect(!output.contains(Self.passphrase))
    }
    #expect(try stored().contains(Self.passphrase))
    _ = try studio.finish(id)
    for output in try outputs() { #expect(!output.contains(Self.passphrase)) }
    #expect(try !stored().contains(Self.passphrase))
  }

  @Test func `an invalid passphrase is rejected, and the error does not contain it`() throws {
    try Data("too short".utf8).write(to: URL(fileURLWithPath: folder.path("short")))
    let source = "srt-listen://127.0.0.1:\(studio.port)"
    let short = try studio.sheaf("record", source, "--passphrase-file", "short")
    #expect(short.status == 2)
    #expect(short.standardError.contains("10 to 79 bytes"))
    #expect(!short.standardError.contains("too short"))
    let missing = try studio.sheaf("record", source, "--passphrase-file", "missing")
    #expect(missing.status == 2)
    #expect(missing.standardError.contains("cannot read the passphrase file: missing"))
    let udp = try studio.sheaf(
      "record", "udp://127.0.0.1:\(studio.port)", "--passphrase-file", "secret")
    #expect(udp.status == 2)
    #expect(udp.standardError.contains("only sources over SRT, RTMP or RTSP have a passphrase"))
    func answer(_ body: String) throws -> String {
      let data = try Tool.run(
        "curl",
        [
          "-sS", "\(studio.origin)/api/v1/recordings", "-H", "Content-Type: application/json",
          "-d", body,
        ])
      return String(decoding: data, as: UTF8.self)
    }
    let refused = try answer(#"{"name": "a", "source": "\#(source)", "passphrase": "too short"}"#)
    #expect(refused.contains("10 to 79 bytes"))
    #expect(!refused.contains("too short"))
    let plain = try answer(
      #"{"name": "a", "source": "udp://127.0.0.1:\#(studio.port)", "passphrase": "0123456789"}"#)
    #expect(plain.contains("only sources over SRT, RTMP or RTSP have a passphrase"))
    #expect(!plain.contains("0123456789"))
  }
}
