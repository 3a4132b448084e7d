import Foundation
import Support
import Synchronization
import Testing

/// Live sources over RTSP, recorded by a coordinator. The packets are those of `ffmpeg`.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RTSPRecordingTests {
  private static let credentials = "ada:correct-horse"
  private static let pictures = ["-map", "0:v:0", "-c:v", "copy"]
  private static let sound = ["-map", "0:a:0", "-c:a", "copy"]
  private static let g711 = [
    "-map", "0:a:0", "-c:a", "pcm_mulaw", "-ar", "8000", "-ac", "1",
  ]
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try Data("\(Self.credentials)\n".utf8).write(to: URL(fileURLWithPath: folder.path("secret")))
  }

  /// A file of frames that name themselves, with a keyframe every 12 frames, and sound.
  private func clip(
    _ source: Int, frames: Int, encoding: [String] = FrameNamingClip.h264
  ) throws -> String {
    let (pictures, path) = (folder.path("\(source).mov"), folder.path("\(source).mp4"))
    try FrameNamingClip(source: source, frameCount: frames, rate: "24", encoding: encoding)
      .write(to: pictures)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", pictures, "-f", "lavfi", "-i", "sine=r=48000", "-c:v", "copy", "-c:a",
        "aac", "-shortest", path,
      ])
    return path
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  /// The packets of a kind of stream: their times in seconds, and hashes of their bytes.
  private func packets(_ kind: String, of path: String) throws -> [(time: Double, hash: String)] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "\(kind):0", "-show_entries", "packet=pts_time,data_hash",
        "-show_data_hash", "md5", "-of", "json", path,
      ])
    let probed = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    return try #require(probed["packets"] as? [[String: Any]]).map { packet in
      let time = (packet["pts_time"] as? String).flatMap { Double($0) }
      return (try #require(time), packet["data_hash"] as? String ?? "")
    }
  }

  private func studio(_ server: RTSPServer) throws -> RecordingStudio {
    try RecordingStudio(in: folder, sources: [server.origin])
  }

  /// Records until a recording has a number of parts, all of which have ended.
  private func record(
    _ server: RTSPServer, in studio: RecordingStudio, parts: Int = 1, keepsAlive: Bool = false,
    options: [String] = []
  ) throws -> (path: String, status: [String: Any]) {
    let id = try studio.begin(source: server.url, options: options)
    try blockUntil("there are \(parts) parts") {
      (try studio.status(id)["parts"] as? [Any])?.count ?? 0 >= parts
    }
    if keepsAlive {
      try blockUntil("the session is kept alive") {
        server.requests.contains { $0.method == "GET_PARAMETER" }
      }
    }
    let path = try studio.finish(id)
    return (path, try studio.status(id))
  }

  private static let encodings = [
    "H.264": FrameNamingClip.h264 + ["-sc_threshold", "0"],
    "H.265": [
      "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
      "keyint=12:min-keyint=12:bframes=2:log-level=error:open-gop=0", "-pix_fmt", "yuv420p",
    ],
  ]

  @Test(arguments: ["H.264", "H.265"])
  func `every frame and packet of sound from the first keyframe on is in the file, in place`(
    codec: String
  ) throws {
    let path = try clip(3, frames: 96, encoding: try #require(Self.encodings[codec]))
    var capture = try RTPCapture(path, [Self.pictures, Self.sound], in: folder)
    let sent = (pictures: try packets("v", of: path), sound: try packets("a", of: path))
    capture.state([1000, 1000 + Int((sent.sound[0].time * 1000).rounded())])
    var settings = RTSPServer.Settings()
    settings.staysOpen = true
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let (recorded, status) = try record(server, in: studio, keepsAlive: true)
    #expect(try FrameHashes.of(recorded) == FrameHashes.of(path))
    #expect(try FrameNameReader.names(in: recorded) == names(0..<96, of: 3))
    let shown = try packets("v", of: recorded)
    #expect(
      zip(shown.map(\.time).sorted(), sent.pictures.map(\.time).sorted())
        .allSatisfy { abs($0 - $1) < 0.0001 })
    let heard = try packets("a", of: recorded)
    let first = try #require(sent.sound.firstIndex { $0.hash == heard.first?.hash })
    // `ffmpeg` does not send the last packets of sound, because it collects several. Each is described by 16 bits, of
    // which a packet of RTP states the number (RFC 3640, 3.2.1).
    let count = capture.packets.filter { $0.stream == 1 && !$0.isControl }.reduce(0) {
      $0 + (Int($1.bytes[12]) << 8 | Int($1.bytes[13])) / 16
    }
    #expect(heard.map(\.hash) == sent.sound[first..<count].map(\.hash))
    #expect(first <= 2)
    // One packet of sound is 21 ms long.
    #expect(zip(heard, sent.sound[first...]).allSatisfy { abs($0.time - $1.time) < 0.021 })
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 1)
    try blockUntil("the session ends") { server.requests.contains { $0.method == "TEARDOWN" } }
    #expect(
      server.requests.map(\.method).filter { $0 != "GET_PARAMETER" }
        == ["OPTIONS", "DESCRIBE", "SETUP", "SETUP", "PLAY", "TEARDOWN"])
  }

  @Test func `a picture of which a packet is missing is left out and counted`() throws {
    let path = try clip(3, frames: 48)
    var capture = try RTPCapture(path, [Self.pictures], packetSize: 200, in: folder)
    // The last packet of a picture that has several.
    let stamps = capture.packets.map { $0.isControl ? [] : Array($0.bytes[4..<8]) }
    let missing = try #require(
      stamps.indices.dropFirst().last { index in
        index < stamps.count * 3 / 4 && stamps[index] == stamps[index - 1] && stamps[index] != []
      })
    capture.packets.remove(at: missing)
    var settings = RTSPServer.Settings()
    settings.staysOpen = true
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let (recorded, status) = try record(server, in: studio, keepsAlive: true)
    let found = try FrameNameReader.names(in: recorded)
    let losses = try #require(status["losses"] as? [String: Any])
    let leftOut = try #require(losses["damagedSamples"] as? Int)
    #expect(leftOut > 0)
    #expect(found.count + leftOut == 48)
    #expect(Set(found).isSubset(of: names(0..<48, of: 3)))
  }

  @Test func `G.711 sound is encoded, and pictures are copied`() throws {
    let path = try clip(3, frames: 96)
    let capture = try RTPCapture(path, [Self.pictures, Self.g711], in: folder)
    let server = try RTSPServer([capture])
    let studio = try studio(server)
    let (recorded, status) = try record(server, in: studio)
    #expect(
      try Array(FrameNameReader.names(in: recorded).prefix(96)) == names(0..<96, of: 3))
    let parts = try #require(status["parts"] as? [[String: Any]])
    let tracks = try #require(parts[0]["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["codec"] as? String } == ["h264", "aac"])
    #expect(tracks[1]["sampleRate"] as? Int == 8000)
  }

  @Test func `pictures that an MP4 cannot hold are encoded with the given settings`() throws {
    let path = try clip(3, frames: 96)
    let vp8 = [
      "-map", "0:v:0", "-c:v", "libvpx", "-deadline", "realtime", "-g", "24", "-crf", "4", "-b:v",
      "4M",
    ]
    let sent = try packets("a", of: path)
    var capture = try RTPCapture(path, [vp8, Self.sound], in: folder)
    capture.state([1000, 1000 + Int((sent[0].time * 1000).rounded())])
    let server = try RTSPServer([capture])
    let studio = try studio(server)
    let (recorded, status) = try record(
      server, in: studio, options: ["--keyframe-interval", "16", "--video-bit-rate", "900k"])
    #expect(
      try Array(FrameNameReader.names(in: recorded).prefix(96)) == names(0..<96, of: 3))
    let parts = try #require(status["parts"] as? [[String: Any]])
    let tracks = try #require(parts[0]["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["codec"] as? String } == ["h264", "aac"])
    let flags = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0",
          recorded,
        ]), as: UTF8.self
    ).split(separator: "\n")
    #expect(flags.indices.filter { flags[$0].hasPrefix("K") }.prefix(3) == [0, 16, 32])
    let encoding = try #require(status["encoding"] as? [String: Any])
    #expect(encoding["videoBitRate"] as? Int == 900_000)
    // Sound is copied, from the time of the first picture on.
    let heard = try packets("a", of: recorded)
    let first = try #require(sent.firstIndex { $0.hash == heard.first?.hash })
    #expect(first <= 2)
    // `ffmpeg` does not send the last packets of sound, because it collects several.
    #expect(heard.count > 180)
    #expect(sent[first...].map(\.hash).starts(with: heard.map(\.hash)))
    let start = try #require(try packets("v", of: recorded).first?.time)
    #expect(abs(heard[0].time - start) < 1024.0 / 48_000)
  }

  @Test func `without reports, streams begin as the answer to PLAY states`() throws {
    let path = try clip(3, frames: 48)
    var capture = try RTPCapture(path, [Self.pictures, Self.sound], in: folder)
    capture.state([nil, nil])
    let stamps = (0...1).map { stream in
      capture.packets.first { $0.stream == stream }?.bytes[4..<8].reduce(UInt32(0)) {
        $0 << 8 | UInt32($1)
      } ?? 0
    }
    var settings = RTSPServer.Settings()
    settings.staysOpen = true
    // The sound begins a quarter of a second after the pictures.
    settings.fields = [
      "RTP-Info: url=track0;rtptime=\(stamps[0]),url=track1;rtptime=\(stamps[1] &- 12_000)"
    ]
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let (recorded, _) = try record(server, in: studio)
    let sent = try packets("a", of: path)
    let heard = try packets("a", of: recorded)
    let first = try #require(sent.firstIndex { $0.hash == heard.first?.hash })
    let delay = heard[0].time - (sent[first].time - sent[0].time)
    #expect(abs(delay - 0.25) < 0.021)
  }

  @Test func `a server that closes the connection continues the recording in another part`() throws
  {
    let captures = try [3, 4].map { source in
      try RTPCapture(
        try clip(source, frames: 48), [Self.pictures, Self.sound], in: folder)
    }
    let server = try RTSPServer(captures)
    let studio = try studio(server)
    let (recorded, status) = try record(server, in: studio, parts: 2)
    let found = try FrameNameReader.names(in: recorded)
    #expect(Array(found.prefix(96)) == names(0..<48, of: 3) + names(0..<48, of: 4))
    let parts = try #require(status["parts"] as? [[String: Any]])
    #expect(parts.count >= 2)
    let times = try packets("v", of: recorded).map(\.time).sorted()
    // The coordinator waits a second before it connects again.
    #expect(times[48] - times[47] > 0.9)
  }

  @Test func `the user and the password are sent, and appear nowhere`() throws {
    let path = try clip(3, frames: 48)
    let capture = try RTPCapture(path, [Self.pictures], in: folder)
    var settings = RTSPServer.Settings()
    settings.credentials = Self.credentials
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let (recorded, status) = try record(
      server, in: studio, options: ["--passphrase-file", "secret"])
    #expect(
      try Array(FrameNameReader.names(in: recorded).prefix(48)) == names(0..<48, of: 3))
    let secret = "correct-horse"
    #expect(try !studio.log.contains(secret))
    #expect(!"\(status)".contains(secret))
  }

  @Test(arguments: [true, false])
  func `a server that requires another password fails the recording`(hasPassword: Bool) throws {
    let capture = try RTPCapture(
      try clip(3, frames: 12), [Self.pictures], in: folder)
    var settings = RTSPServer.Settings()
    settings.credentials = "ada:another"
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let id = try studio.begin(
      source: server.url, options: hasPassword ? ["--passphrase-file", "secret"] : [])
    let failure = try failure(of: id, in: studio)
    #expect(failure.code == "passphrase-rejected")
    #expect(
      failure.message.contains(
        hasPassword ? "rejects the user or the password" : "requires a user and a password"))
    #expect(!failure.message.contains("correct-horse"))
  }

  /// Waits until a recording has failed.
  private func failure(
    of id: String, in studio: RecordingStudio
  ) throws -> (code: String, message: String) {
    try blockUntil("the recording fails") {
      try studio.status(id)["state"] as? String == "failed"
    }
    let failure = try #require(try studio.status(id)["failure"] as? [String: Any])
    return (failure["code"] as? String ?? "", failure["message"] as? String ?? "")
  }

  @Test(arguments: [
    ("SETUP", "461 Unsupported Transport", "unsupported-format", "RTP over TCP"),
    ("DESCRIBE", "302 Found", "unsupported-format", "redirects are not followed"),
    ("DESCRIBE", "404 Not Found", "source-unreachable", "404 Not Found"),
  ])
  func `a server that rejects a request fails the recording`(
    method: String, status: String, code: String, text: String
  ) throws {
    let capture = try RTPCapture(
      try clip(3, frames: 12), [Self.pictures], in: folder)
    var settings = RTSPServer.Settings()
    settings.statuses = [method: status]
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let failure = try failure(of: try studio.begin(source: server.url), in: studio)
    #expect(failure.code == code)
    #expect(failure.message.contains(text))
  }

  @Test func `a host that is not allowed, and an address with a password, are rejected`() throws {
    let studio = try RecordingStudio(in: folder, sources: ["rtsp://127.0.0.1:8554"])
    let other = try studio.sheaf("record", "rtsp://127.0.0.2:8554/camera", "--detach")
    #expect(other.status != 0)
    #expect(other.standardError.contains("--recording-source rtsp://127.0.0.2:8554"))
    let user = try studio.sheaf("record", "rtsp://ada:secret@127.0.0.1:8554/camera", "--detach")
    #expect(user.status == 2)
    #expect(user.standardError.contains("must not contain a user or a password"))
    #expect(!user.standardError.contains("secret"))
    let body = #"{"name": "a", "source": "rtsp://ada:secret@127.0.0.1:8554/camera"}"#
    let answer = try Tool.run(
      "curl",
      [
        "-sS", "\(studio.origin)/api/v1/recordings", "-H", "Content-Type: application/json", "-d",
        body,
      ])
    #expect(!String(decoding: answer, as: UTF8.self).contains("secret"))
    try Data("no colon here".utf8).write(to: URL(fileURLWithPath: folder.path("wrong")))
    let wrong = try studio.sheaf(
      "record", "rtsp://127.0.0.1:8554/camera", "--passphrase-file", "wrong")
    #expect(wrong.status == 2)
    #expect(wrong.standardError.contains("user:password"))
  }

  @Test(arguments: 0..<4)
  func `changed bytes may fail the recording, but not the coordinator`(seed: UInt64) throws {
    let path = try clip(3, frames: 48)
    let capture = try RTPCapture(path, [Self.pictures, Self.sound], in: folder)
    let source = Mutating(seed: 40 + seed)
    var settings = RTSPServer.Settings()
    settings.change = { source.change($0) }
    let server = try RTSPServer([capture], settings)
    let studio = try studio(server)
    let id = try studio.begin(source: server.url)
    // Some changes end the connection, after which it is opened again; others fail the recording.
    try blockUntil("the stream was read") {
      let state = try studio.status(id)["state"] as? String
      return state == "failed" || server.requests.filter { $0.method == "PLAY" }.count > 2
    }
    _ = try? studio.sheaf("stop", id)
    try blockUntil("the recording ends") {
      ["finished", "failed"].contains(try studio.status(id)["state"] as? String)
    }
    if let failure = try studio.status(id)["failure"] as? [String: Any] {
      let codes = [
        "not-media", "damaged", "unsupported-format", "unsupported-codec", "source-unreachable",
        "nothing-recorded", "passphrase-rejected",
      ]
      #expect(codes.contains(failure["code"] as? String ?? ""), "\(failure)")
    }
    #expect(studio.process.isRunning)
  }

  /// Changes one byte in a few of the units that a server sends.
  private final class Mutating: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

    func change(_ bytes: [UInt8]) -> [UInt8] {
      random.withLock { random in
        guard UInt8.random(in: 0..<12, using: &random) == 0 else { return bytes }
        var bytes = bytes
        for _ in 0..<3 {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        return bytes
      }
    }
  }
}
