import Foundation
import Media
import Recording
import Sheaf
import Support
import Synchronization
import Testing
import Timeline

@Suite(.mayBlock) struct CapturedSourceTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private struct Told: Sendable {
    var parts: [RecordedPart] = []
    var fragments: [Int: [RecordedFragment]] = [:]
    var losses: [Int: RecordingLosses] = [:]

    mutating func note(_ event: RecorderEvent) {
      switch event {
      case .began(let part): parts.append(part)
      case .wrote(let part, let fragment): fragments[part, default: []].append(fragment)
      case .ended(let part, let losses): self.losses[part] = losses
      case .ignored: break
      }
    }

    var hasGaps: Bool { fragments.values.joined().contains { !$0.gaps.isEmpty } }
  }

  private final class News: Sendable {
    let told = Mutex(Told())
  }

  /// Records everything that the devices deliver.
  ///
  /// - Parameters:
  ///   - news: is told what the recorder tells.
  ///   - waits: whether the devices wait for the encoder.
  private func record(
    _ devices: CapturedDevices, encoding: LiveEncoder.Settings = LiveEncoder.Settings(),
    telling news: News = News(), waits: Bool = true
  ) throws -> Told {
    var place = LiveRecorder.Place(folder: folder.path("recording"), waitsForDisk: waits)
    place.encoding = encoding
    let source = CapturedSource(from: devices, named: "the devices")
    devices.isDone = { source.stop() }
    try LiveRecorder(recording: source, at: place) { event in news.told.withLock { $0.note(event) }
    }.run()
    #expect(devices.isClosed)
    return news.told.withLock { $0 }
  }

  private func movie(_ told: Told) throws -> String {
    let path = folder.path("movie.mp4")
    let parts = told.parts.map {
      RecordedMovie.Part(
        folder: folder.path("recording/\($0.folderName)"), start: $0.start,
        fragments: told.fragments[$0.number] ?? [])
    }
    try RecordedMovie.write(parts, to: path)
    let check = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(check.standardError == "")
    return path
  }

  private static let size = PixelSize(width: 320, height: 180)
  /// The first time that the devices state.
  private static let start = Duration.seconds(5000)

  private func format(
    _ codec: String, _ layout: String? = nil, field: VideoSettings.Field? = nil,
    size: PixelSize = size, rate: RationalTime = RationalTime(24)
  ) -> CapturedFormat {
    .pictures(
      CapturedFormat.Pictures(
        codec: codec, pixelFormat: layout, size: size, frameRate: rate,
        firstField: field,
        color: ColorTags(primaries: nil, transfer: nil, matrix: "smpte170m", range: "tv")))
  }

  /// A picture in the layout `yuyv422` that takes long to encode.
  private func noise(of size: PixelSize) -> [UInt8] {
    (0..<size.width * size.height * 2).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
  }

  /// Frames that name themselves, 24 a second, in an encoding of `ffmpeg`.
  private func pictures(
    _ count: Int, _ encoding: [String], dividedBy divide: ([UInt8]) -> [[UInt8]]
  ) throws -> [CapturedDevices.Sample] {
    let clip = folder.path("clip.mp4")
    try FrameNamingClip(
      source: 5, frameCount: count, rate: "24", width: Self.size.width, height: Self.size.height,
      encoding: FrameNamingClip.h264
    ).write(to: clip)
    let bytes = try Tool.run("ffmpeg", ["-v", "error", "-i", clip] + encoding + ["-"])
    let pictures = divide(Array(bytes))
    try #require(pictures.count == count)
    return pictures.enumerated().map { index, bytes in
      CapturedDevices.Sample(
        stream: 0, bytes: bytes, time: Self.start + .seconds(1) * index / 24,
        duration: .seconds(1) / 24)
    }
  }

  private func raw(_ count: Int, _ layout: String) throws -> [CapturedDevices.Sample] {
    try pictures(count, ["-pix_fmt", layout, "-f", "rawvideo"]) { bytes in
      let size = bytes.count / count
      return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<$0 + size]) }
    }
  }

  private func names(_ frames: some Sequence<Int>) -> [FrameName] {
    frames.map { FrameName(source: 5, frame: $0) }
  }

  /// A tone of a sound card whose clock differs from that of the host.
  ///
  /// - Parameter drift: the seconds by which a second of its samples is longer than a second of the host.
  private func tone(_ seconds: Int, drift: Double = 0, stream: Int = 1) -> [CapturedDevices.Sample]
  {
    // Four whole periods of 400 Hz, so each hundredth of a second has the same samples.
    let samples = (0..<480).flatMap { sample -> [UInt8] in
      let value = Int16(8000 * sin(2 * .pi * Double(sample) / 120)).littleEndian
      return withUnsafeBytes(of: value) { Array($0) + Array($0) }
    }
    return (0..<seconds * 100).map { index in
      CapturedDevices.Sample(
        stream: stream, bytes: samples,
        time: Self.start + .milliseconds(10) * index + .seconds(drift * Double(index) / 100)
          // Drivers state times that jitter.
          + (drift == 0 ? .zero : .microseconds(index * 7919 % 4000 - 2000)),
        duration: .milliseconds(10))
    }
  }

  private static let sound = CapturedFormat.sound(
    CapturedFormat.Sound(codec: "pcm_s16le", sampleRate: 48_000, channels: 2))

  private func probe(_ path: String, _ stream: String, _ entries: String) throws -> [String] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of", "csv=p=0", path,
      ])
    return String(decoding: text, as: UTF8.self).split { $0 == "\n" || $0 == "," }.map(String.init)
  }

  @Test(arguments: ["yuyv422", "uyvy422", "nv12", "yuv420p", "bgr24"])
  func `uncompressed pictures and sound are encoded, each in its place`(layout: String) throws {
    let told = try record(
      CapturedDevices([format("rawvideo", layout), Self.sound], try raw(96, layout) + tone(4)))
    #expect(told.parts.first?.tracks.map(\.codec) == ["h264", "aac"])
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(told.losses[1]?.droppedGroups == 0)
    #expect(told.fragments[1]?.flatMap(\.gaps).isEmpty == true)
    let movie = try movie(told)
    #expect(try FrameNameReader.names(in: movie) == names(0..<96))
    let times = try probe(movie, "v", "packet=pts_time").compactMap { Double($0) }
    #expect(times.count == 96)
    for (frame, time) in times.enumerated() { #expect(abs(time - Double(frame) / 24) < 0.001) }
    let heard = try probe(movie, "a", "packet=duration_time").compactMap { Double($0) }
    #expect(abs(heard.reduce(0, +) - 4) < 0.05)
  }

  @Test func `Motion JPEG is encoded, and a damaged picture is left out`() throws {
    var pictures = try pictures(48, ["-c:v", "mjpeg", "-q:v", "2", "-f", "mjpeg"]) { bytes in
      // Each picture begins with a start marker and an application segment.
      let starts = bytes.indices.dropLast(2).filter {
        bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF])
      }
      return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
    pictures[20].isDamaged = true
    // The device does not notice that this one is incomplete, and the kernel drops the one after 39.
    pictures[30].bytes = Array(pictures[30].bytes.prefix(12))
    pictures[41].followsLoss = true
    pictures.remove(at: 40)
    let told = try record(CapturedDevices([format("mjpeg")], pictures))
    #expect(told.parts.first?.tracks.map(\.codec) == ["h264"])
    #expect(told.losses[1]?.damagedSamples == 2)
    let movie = try movie(told)
    let missing = [20, 30, 40]
    #expect(
      try FrameNameReader.names(in: movie) == names((0..<48).filter { !missing.contains($0) }))
    let gaps = told.fragments[1]?.flatMap(\.gaps) ?? []
    #expect(gaps.map(\.start) == (try missing.map { try RationalTime(Int64($0), 24) }))
  }

  @Test func `H.264 of a camera is copied from its first keyframe on`() throws {
    let pictures = try pictures(
      48, ["-c", "copy", "-bsf:v", "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264"]
    ) { bytes in
      let mark: [UInt8] = [0, 0, 0, 1, 9]
      let starts = bytes.indices.dropLast(4).filter { bytes[$0...].starts(with: mark) }
      return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
    var changed = Array(pictures.dropFirst(5))
    // A unit that only separates pictures.
    changed[25].bytes = [0, 0, 0, 1, 9, 0xF0]
    let told = try record(CapturedDevices([format("h264")], changed))
    #expect(told.losses[1]?.beforeStart == 7)
    // The picture itself, and those up to the next keyframe.
    #expect(told.losses[1]?.damagedSamples == 6)
    #expect(
      try FrameNameReader.names(in: movie(told)) == names(Array(12..<30) + Array(36..<48)))
  }

  @Test func `interlaced pictures stay interlaced`() throws {
    let told = try record(
      CapturedDevices([format("rawvideo", "yuv420p", field: .top)], try raw(48, "yuv420p")))
    let movie = try movie(told)
    #expect(try probe(movie, "v", "stream=field_order") == ["tt"])
    #expect(
      Set(try probe(movie, "v", "frame=interlaced_frame,top_field_first"))
        == ["1"])
  }

  @Test(arguments: ["yuyv422", "bgr24"])
  func `the colors of the fields of an interlaced picture are not mixed`(layout: String) throws {
    let filter =
      "color=red:s=320x180:r=24[a];color=blue:s=320x180:r=24[b];[a][b]interleave,format=yuv444p,"
      + "tinterlace=interleave_top,format=\(layout)"
    let bytes = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-filter_complex", filter, "-frames:v", "8", "-f", "rawvideo", "-",
      ])
    let size = bytes.count / 8
    let pictures = (0..<8).map {
      CapturedDevices.Sample(
        stream: 0, bytes: Array(bytes[$0 * size..<($0 + 1) * size]),
        time: Self.start + .seconds(1) * $0 / 24, duration: .seconds(1) / 24)
    }
    let movie = try movie(
      record(CapturedDevices([format("rawvideo", layout, field: .top)], pictures)))
    for (field, red) in [("top", true), ("bottom", false)] {
      let shown = try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", movie, "-vf", "field=type=\(field),scale=1:1,format=rgb24",
          "-frames:v", "1", "-f", "rawvideo", "-",
        ])
      #expect(shown.count == 3)
      #expect(
        red ? shown[0] > 240 && shown[2] < 15 : shown[0] < 15 && shown[2] > 240, "\(Array(shown))")
    }
  }

  @Test func `the settings decide the bit rates and the keyframes`() throws {
    var settings = LiveEncoder.Settings()
    (settings.videoBitRate, settings.keyframeInterval) = (12_000, 8)
    settings.audioBitRate = 64_000
    let devices = CapturedDevices(
      [format("rawvideo", "yuv420p"), Self.sound], try raw(96, "yuv420p") + tone(4))
    let movie = try movie(try record(devices, encoding: settings))
    let flags = try probe(movie, "v", "packet=flags")
    #expect(
      flags.indices.filter { flags[$0].hasPrefix("K") } == Array(stride(from: 0, to: 96, by: 8)))
    let rates = try ["v", "a"].map { stream in
      try probe(movie, stream, "packet=size").compactMap { Double($0) }.reduce(0, +) * 8 / 4
    }
    #expect((4000...20_000).contains(rates[0]))
    #expect((40_000...80_000).contains(rates[1]))
  }

  @Test func `pictures that cannot be encoded in time are dropped, counted and listed as gaps`()
    throws
  {
    let size = PixelSize(width: 1920, height: 1080)
    let noise = noise(of: size)
    let format = format("rawvideo", "yuyv422", size: size, rate: try RationalTime(1, 2))
    let devices = CapturedDevices([format], [])
    let deadline = ContinuousClock.now + longestWait
    // As fast as possible, until a picture follows dropped ones.
    let news = News()
    var sent = 0
    devices.more = {
      guard !news.told.withLock(\.hasGaps), .now < deadline else { return nil }
      defer { sent += 1 }
      return CapturedDevices.Sample(
        stream: 0, bytes: noise, time: Self.start + .seconds(2) * sent, duration: .seconds(2))
    }
    var settings = LiveEncoder.Settings()
    settings.keyframeInterval = 1
    let told = try record(devices, encoding: settings, telling: news, waits: false)
    let recorded = (told.fragments[1] ?? []).reduce(0) { $0 + $1.sampleCounts[0] }
    let dropped = try #require(told.losses[1]?.droppedGroups)
    #expect(dropped > 0)
    #expect(recorded + dropped == sent)
    let gaps = told.fragments[1]?.flatMap(\.gaps) ?? []
    let missing = try gaps.reduce(RationalTime.zero) { try $0 + ($1.end - $1.start) }
    let end = try #require(told.fragments[1]?.last?.end)
    #expect(try missing + RationalTime(2) * Int64(recorded) == end)
    #expect(!gaps.isEmpty)
  }

  @Test func `sound waits for pictures, even if only one arrives each second`() throws {
    let pictures = try raw(30, "yuv420p").enumerated().map { index, picture in
      var picture = picture
      picture.time = Self.start + .seconds(index)
      picture.duration = .seconds(1)
      return picture
    }
    let format = format("rawvideo", "yuv420p", rate: RationalTime(1))
    let told = try record(CapturedDevices([format, Self.sound], pictures + tone(30)), waits: false)
    #expect(told.parts.count == 1)
    #expect(told.losses[1]?.damagedSamples == 0)
    #expect(told.losses[1]?.droppedGroups == 0)
    let movie = try movie(told)
    #expect(try FrameNameReader.names(in: movie) == names(0..<30))
    let starts = try ["v", "a"].map {
      try probe(movie, $0, "packet=pts_time").compactMap(Double.init)
    }
    #expect(abs(starts[0][0] - starts[1][0]) < 1024.0 / 48_000)
    #expect(abs(try #require(starts[1].last) - 30) < 0.1)
  }

  @Test func `sound waits for pictures while they are encoded, even if that takes long`() throws {
    // Eight seconds arrive at once, and a picture of this size takes longer than their sound.
    let size = PixelSize(width: 2560, height: 1440)
    let noise = noise(of: size)
    let pictures = (0..<8).map { second in
      CapturedDevices.Sample(
        stream: 0, bytes: noise, time: Self.start + .seconds(second), duration: .seconds(1))
    }
    let format = format("rawvideo", "yuyv422", size: size, rate: RationalTime(1))
    let told = try record(CapturedDevices([format, Self.sound], pictures + tone(8)), waits: false)
    let movie = try movie(told)
    let starts = try ["v", "a"].map {
      try #require(try probe(movie, $0, "packet=pts_time").compactMap(Double.init).first)
    }
    #expect(abs(starts[0] - starts[1]) < 1024.0 / 48_000)
  }

  @Test func `what was captured before a device fails is recorded`() throws {
    struct Unplugged: Error {}
    let devices = CapturedDevices(
      [format("rawvideo", "nv12"), Self.sound], try raw(48, "nv12") + tone(2))
    devices.more = { throw Unplugged() }
    let news = News()
    #expect(throws: Unplugged.self) { try record(devices, telling: news) }
    let movie = try movie(news.told.withLock { $0 })
    #expect(try FrameNameReader.names(in: movie) == names(0..<48))
    let heard = try probe(movie, "a", "packet=duration_time").compactMap { Double($0) }
    #expect(abs(heard.reduce(0, +) - 2) < 0.05)
  }

  @Test(arguments: [(1, 2), (48_000, 200)])
  func `sound that cannot be encoded fails the recording`(rate: Int, channels: Int) throws {
    let strange = CapturedFormat.sound(
      CapturedFormat.Sound(codec: "pcm_s16le", sampleRate: rate, channels: channels))
    #expect(throws: MediaError.self) {
      try record(CapturedDevices([strange], tone(2, stream: 0)))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("recording/part-1/00000001.m4s")))
  }

  @Test(arguments: [200e-6, -200e-6])
  func `a sound card whose clock drifts stays in sync without a gap`(drift: Double) throws {
    let seconds = 300
    let told = try record(CapturedDevices([Self.sound], tone(seconds, drift: drift, stream: 0)))
    #expect(told.fragments[1]?.flatMap(\.gaps).isEmpty == true)
    #expect(told.losses[1]?.damagedSamples == 0)
    let movie = try movie(told)
    let times = try probe(movie, "a", "packet=pts_time").compactMap { Double($0) }
    let last = try #require(times.last)
    let end = last + 1024.0 / 48_000
    // The encoder adds its delay of 1,024 samples, and fills its last packet.
    let expected = Double(seconds) * (1 + drift) + 1024.0 / 48_000
    #expect(abs(end - expected) < 0.025 + 1024.0 / 48_000)
    for (time, next) in zip(times, times.dropFirst()) {
      #expect(abs(next - time - 1024.0 / 48_000) < 1e-4)
    }
  }
}
