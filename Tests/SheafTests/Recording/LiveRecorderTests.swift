import Foundation
import Media
import Recording
import Sheaf
import Support
import Synchronization
import Testing
import Timeline

@Suite(.mayBlock) struct LiveRecorderTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static let encoding = FrameNamingClip.h264 + ["-sc_threshold", "0"]

  /// Writes a transport stream of frames that name themselves, 24 a second with a keyframe every 12, and sound.
  ///
  /// - Parameter offset: what is added to its times, in seconds.
  func stream(
    _ name: String, frames: Int = 192, source: Int = 5, width: Int = 320, offset: Double = 0,
    sound: [String] = ["-c:a", "aac"]
  ) throws -> String {
    let (pictures, path) = (folder.path("\(name).mp4"), folder.path("\(name).ts"))
    try FrameNamingClip(
      source: source, frameCount: frames, rate: "24", width: width, height: width * 9 / 16,
      encoding: Self.encoding
    ).write(to: pictures)
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", pictures, "-f", "lavfi", "-i", "sine=r=48000"] + ["-c:v", "copy"]
        + sound + ["-shortest", "-muxdelay", "0", "-output_ts_offset", "\(offset)", path])
    return path
  }

  /// The events of a recorder.
  struct Told: Sendable {
    var parts: [RecordedPart] = []
    var fragments: [Int: [RecordedFragment]] = [:]
    var losses: [Int: RecordingLosses] = [:]
    var ignored: [String] = []

    mutating func note(_ event: RecorderEvent) {
      switch event {
      case .began(let part): parts.append(part)
      case .wrote(let part, let fragment): fragments[part, default: []].append(fragment)
      case .ended(let part, let losses): self.losses[part] = losses
      case .ignored(let reason): ignored.append(reason)
      }
    }

    func gaps(of track: Int, part: Int = 1) -> [RecordingGap] {
      (fragments[part] ?? []).flatMap(\.gaps).filter { $0.track == track }
    }
  }

  private func record(_ source: LiveSource, while sending: (LiveRecorder) throws -> Void = { _ in })
    throws -> Told
  {
    let told = Mutex(Told())
    let recorder = LiveRecorder(
      source, at: LiveRecorder.Place(folder: folder.path("recording"))
    ) { event in told.withLock { $0.note(event) } }
    try sending(recorder)
    try recorder.run()
    return told.withLock { $0 }
  }

  /// Records the bytes of a file as a pipe would deliver them.
  func record(file path: String) throws -> Told {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    #expect(descriptor >= 0)
    return try record(LiveSource(taking: descriptor, named: "the source"))
  }

  /// Joins the parts, and returns the path of the file.
  func movie(_ told: Told) throws -> String {
    let path = folder.path("movie.mp4")
    try RecordedMovie.write(parts(told), to: path)
    let check = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(check.standardError == "")
    return path
  }

  private func parts(_ told: Told) -> [RecordedMovie.Part] {
    told.parts.map {
      RecordedMovie.Part(
        folder: folder.path("recording/\($0.folderName)"), start: $0.start,
        fragments: told.fragments[$0.number] ?? [])
    }
  }

  func names(_ frames: Range<Int>, source: Int = 5) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  /// The MD5 of every picture of a file, in order.
  private func pictures(of path: String) throws -> [Substring] {
    try checksums(["-i", path, "-map", "0:v", "-f", "framemd5", "-"])
  }

  /// The MD5 of every packet of sound, in order, without ADTS headers.
  func sound(of path: String, filter: [String] = []) throws -> [Substring] {
    try checksums(["-i", path, "-map", "0:a", "-c", "copy"] + filter + ["-f", "framemd5", "-"])
  }

  private func checksums(_ arguments: [String]) throws -> [Substring] {
    String(decoding: try Tool.run("ffmpeg", ["-v", "error"] + arguments), as: UTF8.self)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: ",")[5] }
  }

  /// Whether two lists are the same, without printing them.
  func areEqual(_ a: some Sequence<Substring>, _ b: some Sequence<Substring>) -> Bool {
    a.elementsEqual(b)
  }

  @Test func `every frame and every sample of a stream is in the recording`() throws {
    let path = try stream("clip", offset: 100)
    let told = try record(file: path)
    #expect(told.parts.count == 1)
    #expect(
      told.parts.first?.tracks.map(\.codec) == ["h264", "aac"])
    #expect(told.parts.first?.tracks.first?.width == 320)
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(told.gaps(of: 0) == [])
    #expect(told.gaps(of: 1) == [])
    let movie = try movie(told)
    #expect(try FrameNameReader.names(in: movie) == names(0..<192))
    #expect(areEqual(try pictures(of: movie), try pictures(of: path)))
    let recorded = try sound(of: movie)
    let sent = try sound(of: path, filter: ["-bsf:a", "aac_adtstoasc"])
    // Packets of sound before the first picture are dropped.
    let dropped = told.losses[1]?.beforeStart ?? 0
    #expect(dropped <= 2)
    #expect(recorded.count == sent.count - dropped)
    #expect(areEqual(recorded, sent.dropFirst(dropped)))
  }

  @Test func `a recording continues when timestamps start again at zero`() throws {
    let turn = Double(1 << 33) / 90_000
    let path = try stream("clip", offset: turn - 3)
    let told = try record(file: path)
    #expect(told.parts.count == 1)
    #expect(told.gaps(of: 0) == [])
    #expect(told.gaps(of: 1) == [])
    #expect(try FrameNameReader.names(in: movie(told)) == names(0..<192))
  }

  @Test func `a lost packet costs the rest of its group, and the gap has the right times`() throws {
    let path = try stream("clip")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The second packet of a keyframe.
    let place = try position(of: 36, in: path)
    bytes.removeSubrange(place + 188..<place + 2 * 188)
    try bytes.write(to: URL(fileURLWithPath: path))
    let told = try record(file: path)
    let frame = { (number: Int64) in try RationalTime(number, 24) }
    #expect(
      told.gaps(of: 0) == [RecordingGap(track: 0, start: try frame(36), end: try frame(48))])
    #expect(told.losses[1]?.damagedSamples == 12)
    #expect(
      try FrameNameReader.names(in: movie(told)) == names(0..<36) + names(48..<192))
  }

  /// The offset of the packet of the elementary stream that begins with a frame, by its number.
  private func position(of frame: Int, in path: String) throws -> Int {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts,pos", "-of",
          "csv=p=0", path,
        ]), as: UTF8.self)
    let packets = text.split(separator: "\n").map { line in
      line.split(separator: ",").compactMap { Int($0) }
    }
    let sorted = packets.filter { $0.count == 2 }.sorted { $0[0] < $1[0] }
    return sorted[frame][1]
  }

  @Test func `a stream that is cut off ends with its last whole frame`() throws {
    let path = try stream("clip")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try position(of: 144, in: path)
    try bytes.prefix(place + 188 + 50).write(to: URL(fileURLWithPath: path))
    let told = try record(file: path)
    let names = try FrameNameReader.names(in: movie(told))
    #expect(names == self.names(0..<144))
  }

  @Test func `a clock that jumps begins another part`() throws {
    let (first, second) = (
      try stream("first", frames: 48, offset: 500),
      try stream("second", frames: 48, source: 6, offset: 20)
    )
    let both = folder.path("both.ts")
    try
      (Data(contentsOf: URL(fileURLWithPath: first))
      + Data(contentsOf: URL(fileURLWithPath: second))).write(to: URL(fileURLWithPath: both))
    let told = try record(file: both)
    #expect(told.parts.map(\.number) == [1, 2])
    // Both arrived at once, so the second part begins where the first one ends: with its first packet of sound, which
    // comes just before its first picture.
    #expect((1...2).allSatisfy { told.gaps(of: 0, part: $0) + told.gaps(of: 1, part: $0) == [] })
    let start = try #require(told.parts.last).start
    #expect(try start >= RationalTime(2) && start < RationalTime(205, 100))
    #expect(
      try FrameNameReader.names(in: movie(told)) == names(0..<48) + names(0..<48, source: 6))
  }

  @Test func `pictures of another size begin another part`() throws {
    let (first, second) = (
      try stream("first", frames: 48), try stream("second", frames: 48, width: 640, offset: 2)
    )
    let both = folder.path("both.ts")
    try
      (Data(contentsOf: URL(fileURLWithPath: first))
      + Data(contentsOf: URL(fileURLWithPath: second))).write(to: URL(fileURLWithPath: both))
    let told = try record(file: both)
    #expect(told.parts.map { $0.tracks.first?.width } == [320, 640])
    let runs = try RecordedMovie.runs(of: parts(told))
    #expect(runs.map(\.count) == [1, 1])
    for (run, width) in zip(runs, [320, 640]) {
      let path = folder.path("movie-\(width).mp4")
      try RecordedMovie.write(run, to: path)
      #expect(try FrameNameReader.size(of: path).width == width)
      #expect(try FrameNameReader.names(in: path) == names(0..<48))
    }
  }

  @Test(arguments: [
    ["-c:a", "mp2"], ["-c:a", "ac3"], ["-c:a", "libopus"],
    ["-c:a", "libmp3lame"], ["-c:a", "libmp3lame", "-ar", "24000", "-b:a", "32k"],
    ["-c:a", "mp2", "-ar", "32000", "-b:a", "96k", "-ac", "2"],
  ])
  func `sound of other codecs is copied`(_ sound: [String]) throws {
    let path = try stream("clip", frames: 96, sound: sound)
    let told = try record(file: path)
    #expect(told.parts.first?.tracks.count == 2)
    #expect(told.gaps(of: 1) == [])
    let movie = try movie(told)
    let (recorded, sent) = (try self.sound(of: movie), try self.sound(of: path))
    #expect(recorded.count > 90)
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(areEqual(recorded, sent.suffix(recorded.count)))
    #expect(sent.count - recorded.count == told.losses[1]?.beforeStart)
  }

  /// Writes a stream with some of its packets changed.
  private func changed(_ path: String, _ change: ([Data]) -> [Data]) throws -> String {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let packets = stride(from: 0, to: bytes.count, by: 188).map { bytes[$0..<$0 + 188] }
    let result = folder.path("changed.ts")
    try Data(change(packets).joined()).write(to: URL(fileURLWithPath: result))
    return result
  }

  @Test func `packets that arrive twice are recorded once`() throws {
    let path = try stream("clip", frames: 96)
    let twice = try changed(path) { packets in
      stride(from: 0, to: packets.count, by: 7).flatMap { start in
        let datagram = packets[start..<min(start + 7, packets.count)]
        return datagram + datagram
      }
    }
    let told = try record(file: twice)
    #expect(told.parts.count == 1)
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(told.gaps(of: 0) + told.gaps(of: 1) == [])
    #expect(try FrameNameReader.names(in: movie(told)) == names(0..<96))
  }

  @Test(arguments: [["-c:a", "aac"], ["-c:a", "mp2"], ["-c:a", "ac3"]])
  func `what remains after many losses decodes without a message`(_ sound: [String]) throws {
    let path = try stream("clip", sound: sound)
    let thinned = try changed(path) { packets in
      packets.enumerated().filter { $0.offset % 61 != 60 }.map(\.element)
    }
    let told = try record(file: thinned)
    let names = try FrameNameReader.names(in: movie(told)).compactMap(\.self)
    #expect(names.count > 20 && names.count < 192)
    #expect(names.map(\.frame) == Array(Set(names.map(\.frame))).sorted())
    // Every missing frame is in a gap.
    let gaps = told.gaps(of: 0)
    for frame in Set(0..<192).subtracting(names.map(\.frame)) where frame <= names.last?.frame ?? 0
    {
      let time = try RationalTime(Int64(frame), 24)
      #expect(gaps.contains { $0.start <= time && time < $0.end }, "frame \(frame)")
    }
  }

  @Test func `pictures at a varying rate have no gaps`() throws {
    let (pictures, path) = (folder.path("vfr.mp4"), folder.path("vfr.ts"))
    let times = (0..<80).map { $0 * 40 + ($0 % 5 == 0 ? 15 : 0) + $0 / 20 * 300 }
    try FrameNamingClip(
      source: 5, frameCount: 80, rate: "25", encoding: Self.encoding, milliseconds: times
    ).write(to: pictures)
    try Tool.run("ffmpeg", ["-v", "error", "-i", pictures, "-c", "copy", path])
    let told = try record(file: path)
    #expect(told.gaps(of: 0) == [])
    #expect(told.fragments[1]?.reduce(0) { $0 + $1.sampleCounts[0] } == 80)
  }

  @Test func `a source without media fails by name`() throws {
    let path = folder.path("noise.ts")
    var random = SeededRandom(seed: 4)
    try Data((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) })
      .write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: MediaError.self) { try record(file: path) }
    #expect(error?.subject == "the source")
    #expect(error?.code == .notMedia)
  }

  @Test func `datagrams are recorded as ffmpeg sends them`() throws {
    let path = try stream("clip", frames: 96)
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
    }
    #expect(isBound == 0)
    var length = size
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    let port = UInt16(bigEndian: address.sin_port)
    let told = try record(LiveSource(taking: socket, named: "the source")) { recorder in
      // An empty datagram does not end the stream.
      var target = address
      _ = withUnsafePointer(to: &target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(socket, nil, 0, 0, $0, size) }
      }
      let sender = Thread {
        _ = try? Tool.run(
          "ffmpeg",
          [
            "-v", "error", "-re", "-i", path, "-c", "copy", "-f", "mpegts",
            "udp://127.0.0.1:\(port)?pkt_size=1316",
          ])
        recorder.stop()
      }
      sender.start()
    }
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(try FrameNameReader.names(in: movie(told)) == names(0..<96))
  }
}
