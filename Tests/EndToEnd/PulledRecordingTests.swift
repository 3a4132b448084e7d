import Foundation
import Processes
import Support
import Testing

/// Live streams that the coordinator downloads (HTTP Live Streaming).
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct PulledRecordingTests {
  /// A server of the files in a folder.
  private final class FileServer {
    let folder: String
    let origin: String
    private let process: Subprocess

    init(in parent: TemporaryDirectory) throws {
      folder = parent.path("served")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let port = try Ports.free()
      origin = "http://127.0.0.1:\(port)"
      process = Subprocess(
        "/usr/bin/env",
        [
          "python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", folder,
        ])
      process.standardOutput = .null
      process.standardError = .null
      try process.run()
      try Ports.waitUntilOpen(port, in: "tcp")
    }

    deinit { process.destroy() }

    func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }

    /// Cuts a stream into segments of a second, and returns their lines in a playlist.
    func cut(_ stream: String, as name: String) throws -> String {
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", stream, "-c", "copy", "-f", "hls", "-hls_time", "1",
          "-hls_list_size", "0", "-hls_segment_filename", "\(folder)/\(name)%d.ts",
          "\(folder)/\(name).m3u8",
        ])
      return try String(contentsOfFile: "\(folder)/\(name).m3u8", encoding: .utf8)
        .split(separator: "\n").filter { !$0.hasPrefix("#") || $0.hasPrefix("#EXTINF") }
        .joined(separator: "\n")
    }
  }

  private let folder: TemporaryDirectory
  private let server: FileServer
  private let studio: RecordingStudio

  init() throws {
    folder = try TemporaryDirectory()
    server = try FileServer(in: folder)
    studio = try RecordingStudio(in: folder, sources: [server.origin])
  }

  private func names(_ frames: Range<Int>, of source: Int) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  private func waitUntilEnded(_ id: String) throws -> [String: Any] {
    var status: [String: Any] = [:]
    try blockUntil("the recording ends") {
      status = try studio.status(id)
      return ["finished", "failed"].contains(status["state"] as? String)
    }
    return status
  }

  @Test func `all segments of the best variant are recorded, across a discontinuity`() throws {
    let first = try server.cut(
      RecordingStudio.stream(3, frames: 96, in: folder), as: "first")
    let second = try server.cut(
      RecordingStudio.stream(4, frames: 48, in: folder), as: "second")
    let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:7\n"
    try server.write(
      head + "\(first)\n#EXT-X-DISCONTINUITY\n\(second)\n#EXT-X-ENDLIST\n", to: "high.m3u8")
    try server.write(head + "#EXT-X-ENDLIST\n", to: "low.m3u8")
    try server.write(
      """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.42c01e,mp4a.40.2"
      low.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.64001f,mp4a.40.2"
      high.m3u8
      """, to: "all.m3u8")
    let id = try studio.begin(source: "\(server.origin)/all.m3u8")
    let status = try waitUntilEnded(id)
    #expect(status["state"] as? String == "finished", "\(status)")
    #expect((status["gaps"] as? [Any])?.count == 0)
    #expect((status["parts"] as? [Any])?.count == 2)
    let path = try studio.finish(id)
    #expect(try FrameNameReader.names(in: path) == names(0..<96, of: 3) + names(0..<48, of: 4))
    // The second part follows without a pause.
    let length = try Tool.run(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
    let text = String(decoding: length, as: UTF8.self).trimmingCharacters(in: .newlines)
    #expect(abs((Double(text) ?? 0) - 6) < 0.1)
  }

  @Test func `a live playlist is followed until it ends`() throws {
    let stream = try RecordingStudio.stream(5, frames: 24 * 9, in: folder)
    let sender = Subprocess(
      "/usr/bin/env",
      [
        "ffmpeg", "-v", "error", "-re", "-i", stream, "-c", "copy", "-f", "hls", "-hls_time", "1",
        "-hls_list_size", "4", "-hls_flags", "delete_segments",
        "\(server.folder)/live.m3u8",
      ])
    try sender.run()
    defer { sender.destroy() }
    try blockUntil("the playlist is there") {
      FileManager.default.fileExists(atPath: "\(server.folder)/live.m3u8")
    }
    let id = try studio.begin(source: "\(server.origin)/live.m3u8")
    let status = try waitUntilEnded(id)
    #expect(status["state"] as? String == "finished", "\(status)")
    #expect((status["gaps"] as? [Any])?.count == 0)
    let found = try FrameNameReader.names(in: studio.finish(id))
    let start = try #require(found.first ?? nil).frame
    #expect(start < 24 * 3 && found == names(start..<24 * 9, of: 5))
  }

  @Test(arguments: [
    ("#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF:1,\na.ts\n", "encrypted"),
    ("#EXT-X-MAP:URI=\"a.mp4\"\n#EXTINF:1,\na.m4s\n", "fragmented MP4"),
    ("#EXTINF:1,\nhttp://other.example.com/a.ts\n", "not allowed"),
  ])
  func `a stream that cannot be recorded fails with its address and the reason`(
    content: String, reason: String
  ) throws {
    try server.write("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(content)#EXT-X-ENDLIST\n", to: "a.m3u8")
    let id = try studio.begin(source: "\(server.origin)/a.m3u8")
    let status = try waitUntilEnded(id)
    let failure = try #require(status["failure"] as? [String: Any])
    #expect((failure["message"] as? String)?.contains(reason) == true, "\(failure)")
    #expect((failure["message"] as? String)?.contains("/a.m3u8") == true)
  }

  @Test func `a missing playlist fails the recording with source-unreachable`() throws {
    let id = try studio.begin(source: "\(server.origin)/none.m3u8")
    let failure = try #require(try waitUntilEnded(id)["failure"] as? [String: Any])
    #expect(failure["code"] as? String == "source-unreachable")
  }

  @Test func `a segment that is missing leaves a gap, and the rest is recorded in its place`()
    throws
  {
    let lines = try server.cut(
      RecordingStudio.stream(3, frames: 144, in: folder), as: "first")
    // The third segment is gone.
    try FileManager.default.removeItem(atPath: "\(server.folder)/first2.ts")
    try server.write(
      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(lines)\n#EXT-X-ENDLIST\n", to: "a.m3u8")
    let id = try studio.begin(source: "\(server.origin)/a.m3u8")
    let status = try waitUntilEnded(id)
    #expect(status["state"] as? String == "finished", "\(status)")
    let found = try FrameNameReader.names(in: studio.finish(id))
    #expect(found == names(0..<48, of: 3) + names(72..<144, of: 3))
    #expect((status["gaps"] as? [Any])?.isEmpty == false)
    let times = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
        folder.path("take.mp4"),
      ])
    let sorted = String(decoding: times, as: UTF8.self).split(separator: "\n")
      .compactMap { Double($0) }.sorted()
    #expect(abs(sorted[48] - 3) < 0.001, "frame 72 of 24 a second")
  }
}
