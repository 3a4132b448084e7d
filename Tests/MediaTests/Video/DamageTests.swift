import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct DamageTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Writes a clip of 60 frames with a keyframe every 12, and overwrites one packet of a stream from its middle on.
  private func damaged(packet number: Int, audio: Bool = false) throws -> String {
    let path = folder.path("damaged.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-f", "lavfi", "-i",
        "sine=440:r=48000", "-t", "2.4", "-c:v", "libx264", "-g", "12", "-bf", "0", "-pix_fmt",
        "yuv420p", "-c:a", "aac", "-bitexact", path,
      ])
    try PacketPlaces.overwrite([number], of: path, stream: audio ? "a:0" : "v:0")
    return path
  }

  private func stream(of path: String) throws -> (source: FileByteSource, stream: VideoStream) {
    let source = try FileByteSource(path: path)
    return (source, try MediaProber.index(of: source, named: path).video[0])
  }

  @Test func `a damaged frame and all frames that may be predicted from it are errors`() throws {
    let (source, stream) = try stream(of: damaged(packet: 17))
    let reader = try FrameReader(source: source, named: "beach.mp4", stream: stream)
    let times = stream.frames.times
    #expect(try reader.frame(at: times[16]).time == times[16])
    for number in [17, 18, 23] {
      let error = try #require(throws: MediaError.self) { try reader.frame(at: times[number]) }
      #expect(error.code == .frameDamaged)
      #expect(error.subject == "beach.mp4")
    }
    #expect(
      throws: MediaError(
        .frameDamaged, "the frame at 0.680 s is damaged", on: "beach.mp4",
        remedy: "copy the file again, or set export.onDamage to \"conceal\"")
    ) { try reader.frame(at: times[17]) }
    #expect(try reader.frame(at: times[24]).time == times[24])
    #expect(try reader.frame(at: times[2]).time == times[2])
  }

  @Test func `concealed frames are the same wherever reading began, and each is reported`() throws {
    let (source, stream) = try stream(of: damaged(packet: 17))
    let times = stream.frames.times
    var noted: Set<Int64> = []
    func reader() throws -> FrameReader {
      try FrameReader(
        source: source, named: "beach.mp4", stream: stream, onDamage: .conceal
      ) { noted.insert($0) }
    }
    let forward = try reader()
    let linear = try times.map { try forward.frame(at: $0).digest }
    #expect(noted == Set(times[17..<24]))
    let scattered = try reader()
    for step in times.indices {
      let number = step * 37 % times.count
      #expect(try scattered.frame(at: times[number]).digest == linear[number], "frame \(number)")
    }
    for number in [17, 20, 23, 24] {
      #expect(try reader().frame(at: times[number]).digest == linear[number])
    }
  }

  @Test(arguments: [["libx264", "-x264-params", "b-adapt=0"], ["mpeg2video"], ["mpeg4"]])
  func `a frame that is predicted from a damaged one is damaged even if it is shown earlier`(
    encoder: [String]
  ) throws {
    let path = folder.path("whole.mp4")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "2.4", "-c:v"]
        + encoder + ["-g", "12", "-bf", "2", "-q:v", "4", "-pix_fmt", "yuv420p", "-bitexact", path])
    let whole = try stream(of: path)
    let sound = try FrameReader(source: whole.source, named: "whole.mp4", stream: whole.stream)
    let times = whole.stream.frames.times
    let digests = try times.map { try sound.frame(at: $0).digest }
    // The first P picture of a group. The two B pictures that follow it in the file are shown before it.
    let packets = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts", "-of", "csv=p=0",
        path,
      ])
    let order = String(decoding: packets, as: UTF8.self).split(separator: "\n").compactMap {
      Int64($0.prefix { $0 != "," })
    }
    let number = try #require(order.indices.first { $0 > 24 && order[$0] > order[$0 + 2] })
    let damaged = try #require(times.firstIndex(of: order[number]))
    try PacketPlaces.overwrite([number], of: path, stream: "v:0")

    let source = try FileByteSource(path: path)
    var noted: Set<Int64> = []
    let reader = try FrameReader(
      source: source, named: "damaged.mp4", stream: whole.stream, onDamage: .conceal
    ) { noted.insert($0) }
    let differing = try times.indices.filter {
      try reader.frame(at: times[$0]).digest != digests[$0]
    }
    let first = try #require(differing.first)
    #expect(first < damaged)
    #expect(noted.isSuperset(of: differing.map { times[$0] }), "\(differing) \(noted)")
    let strict = try FrameReader(source: source, named: "damaged.mp4", stream: whole.stream)
    let error = try #require(throws: MediaError.self) { try strict.frame(at: times[first]) }
    #expect(error.code == .frameDamaged)
  }

  @Test(arguments: [13, 18, 22, 23, 24, 25])
  func `a reader that goes on past damage finds the same frames as a new reader`(packet: Int) throws
  {
    let path = folder.path("whole.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "2.4", "-c:v",
        "libx264", "-g", "12", "-bf", "2", "-pix_fmt", "yuv420p", "-bitexact", path,
      ])
    let whole = try stream(of: path).stream
    try PacketPlaces.overwrite([packet], of: path, stream: "v:0")
    let source = try FileByteSource(path: path)
    func part(_ range: Range<Int>) -> VideoStream {
      var part = whole
      part.frames = FrameTable(
        times: Array(whole.frames.times[range]), end: whole.frames.times[range.upperBound],
        keyframes: whole.frames.keyframes.filter { $0.time == whole.frames.times[range.lowerBound] }
      )
      return part
    }
    func frames(_ range: Range<Int>, by reader: FrameReader) -> [Int?] {
      whole.frames.times[range].map { try? reader.frame(at: $0).digest }
    }
    let fresh = try FrameReader(source: source, named: "a.mp4", stream: part(24..<36))
    let expected = frames(24..<36, by: fresh)
    var compared: [Int] = []
    for end in 13...24 {
      let reader = try FrameReader(source: source, named: "a.mp4", stream: part(12..<end))
      // A segment that shows damage fails, and its readers with it.
      guard !frames(12..<end, by: reader).contains(nil), reader.isReusable else { continue }
      reader.goOn(with: part(24..<36).frames, origin: .zero)
      #expect(frames(24..<36, by: reader) == expected, "after frame \(end - 1)")
      compared.append(end)
    }
    // A decoder that shows a frame has already read some packets after it, and the damage among them.
    if packet == 13 { #expect(compared == []) } else { #expect(compared.contains(13)) }
  }

  @Test func `a file that is cut short is read up to the cut`() throws {
    let whole = folder.path("whole.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25", "-f", "lavfi", "-i",
        "sine=440:r=48000", "-t", "4", "-c:v", "libx264", "-g", "12", "-bf", "0", "-pix_fmt",
        "yuv420p", "-c:a", "aac", "-movflags", "faststart", whole,
      ])
    let all = try Footage.index(of: whole)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
    let cut = folder.path("cut.mp4")
    try bytes.prefix(bytes.count * 7 / 10).write(to: URL(fileURLWithPath: cut))
    let index = try Footage.index(of: cut)
    #expect(index.video[0].frames.times == all.video[0].frames.times)
    let damage = try #require(index.video[0].damage?.first)
    #expect(damage.kind == .missing)
    #expect(damage.end == all.video[0].frames.end)
    let times = index.video[0].frames.times
    let first = try #require(times.firstIndex(of: damage.start))
    #expect((20..<90).contains(first))
    let sound = try #require(index.audio[0].damage?.first)
    #expect(sound.end == all.audio[0].end)

    let source = try FileByteSource(path: cut)
    let strict = try FrameReader(source: source, named: "cut", stream: index.video[0])
    #expect(try strict.frame(at: times[first - 1]).time == times[first - 1])
    #expect(throws: MediaError.self) { try strict.frame(at: times[first]) }
    var noted: [Int64] = []
    let lenient = try FrameReader(
      source: source, named: "cut", stream: index.video[0], onDamage: .conceal
    ) { noted.append($0) }
    let last = try lenient.frame(at: times[first - 1]).digest
    for number in [first, first + 1, times.count - 1] {
      #expect(try lenient.frame(at: times[number]).digest == last)
    }
    #expect(noted == [first, first + 1, times.count - 1].map { times[$0] })
  }

  @Test func `damaged sound is an error, or silence that is reported`() throws {
    let path = try damaged(packet: 40, audio: true)
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: path)
    func reader(_ policy: DamagePolicy, _ note: @escaping (Range<Int64>) -> Void = { _ in })
      throws -> AudioReader
    {
      try AudioReader(
        source: source, named: "beach.mp4", stream: index.audio[0], origin: index.start,
        rate: 48_000, channels: 1, onDamage: policy, noteConcealed: note)
    }
    #expect(try reader(.fail).read(from: 0, count: 30_000)[0].count == 30_000)
    let error = try #require(throws: MediaError.self) {
      try reader(.fail).read(from: 0, count: 96_000)
    }
    #expect(error.code == .soundDamaged)
    var noted: [Range<Int64>] = []
    _ = try reader(.conceal) { noted.append($0) }.read(from: 0, count: 96_000)
    // Packet 40, at 1024 samples per packet. The first packet is the encoder's delay.
    #expect(noted.contains { $0.contains(39 * 1024 + 512) })
    #expect(noted.allSatisfy { $0.lowerBound >= 37 * 1024 && $0.upperBound <= 42 * 1024 })
  }

  @Test func `encrypted tracks are reported`() throws {
    let path = folder.path("encrypted.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25:d=1", "-c:v", "libx264",
        "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
        "00112233445566778899aabbccddeeff", "-encryption_kid", "112233445566778899aabbccddeeff00",
        path,
      ])
    #expect(try Footage.index(of: path).video[0].unreadable == "is encrypted (encv)")
  }

  @Test func `units that do not add up to their packet are recognized as damage without decoding`()
    throws
  {
    let path = try damaged(packet: 0)
    #expect(try Footage.index(of: path).video[0].damage == nil)
    let packet = try PacketPlaces.of(path, stream: "v:0")[30]
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[packet.position] = 0x7F
    try bytes.write(to: URL(fileURLWithPath: path))
    let stream = try Footage.index(of: path).video[0]
    #expect(
      stream.damage == [
        DamagedRange(
          kind: .broken, start: stream.frames.times[30], end: stream.frames.times[36])
      ])
    #expect(stream.copying == nil)
  }

  @Test
  func `a broken packet damages the frames that may be predicted from it, even earlier ones`()
    throws
  {
    let path = folder.path("reordered.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "2.4", "-c:v",
        "libx264", "-g", "12", "-bf", "2", "-x264-params", "b-adapt=0:scenecut=0", "-pix_fmt",
        "yuv420p", "-bitexact", path,
      ])
    let times = try Footage.index(of: path).video[0].frames.times
    let packets = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts", "-of", "csv=p=0",
        path,
      ])
    let order = String(decoding: packets, as: UTF8.self).split(separator: "\n")
      .compactMap { Int64($0.prefix { $0 != "," }) }
    // A P picture within the third group. Two B pictures follow it and are shown before it.
    let number = try #require((26..<34).first { order[$0] > order[$0 + 1] })
    let place = try PacketPlaces.of(path, stream: "v:0")[number]
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[place.position] = 0x7F
    try bytes.write(to: URL(fileURLWithPath: path))
    let stream = try Footage.index(of: path).video[0]
    let first = try #require(order[number..<36].min())
    #expect(first < order[number])
    #expect(stream.damage == [DamagedRange(kind: .broken, start: first, end: times[36])])
  }

  @Test func `an error gives the time of damaged sound relative to the start of the file`() throws {
    let path = folder.path("late.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=1.5:r=48000:a=0.3", "-c:a", "flac",
        "-output_ts_offset", "10", path,
      ])
    let packet = try PacketPlaces.of(path)[6]
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[packet.position + packet.size / 2] ^= 4
    try bytes.write(to: URL(fileURLWithPath: path))
    let index = try Footage.index(of: path)
    #expect(index.start > RationalTime(9))
    let reader = try AudioReader(
      source: FileByteSource(path: path), named: "late.mkv", stream: index.audio[0],
      origin: index.start, rate: 48_000, channels: 1)
    let error = try #require(throws: MediaError.self) {
      try reader.read(from: 0, count: 72_000)
    }
    let words = error.problem.split(separator: " ")
    let time = try #require(words.first { $0.contains(".") })
    #expect(error.problem == "the sound at \(time) s is damaged or missing")
    #expect(time.split(separator: ".").last?.count == 3)
    let seconds = try #require(Double(time))
    #expect((0.3...1.5).contains(seconds))
  }

  @Test func `damage in a picture that was left out affects only its own frame`() throws {
    let path = folder.path("whole.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "1", "-c:v",
        "libx264", "-g", "12", "-bf", "2", "-x264-params", "b-adapt=0:b-pyramid=none", "-pix_fmt",
        "yuv420p", "-bitexact", path,
      ])
    let whole = try stream(of: path)
    let times = whole.stream.frames.times
    let sound = try FrameReader(source: whole.source, named: "whole.mp4", stream: whole.stream)
    let digests = try times.map { try sound.frame(at: $0).digest }
    // In the file, the second group has the frames 12, 15, 13, 14, 18, 16 and so on.
    try PacketPlaces.overwrite([17], of: path, stream: "v:0")
    let source = try FileByteSource(path: path)
    func frame(_ number: Int) throws -> Int {
      try FrameReader(source: source, named: "damaged.mp4", stream: whole.stream)
        .frame(at: times[number]).digest
    }
    let error = try #require(throws: MediaError.self) { try frame(16) }
    #expect(error.code == .frameDamaged)
    for number in times.indices where number != 16 {
      #expect(try frame(number) == digests[number], "frame \(number)")
    }
  }

  @Test func `no picture is left out if a file counts those that no other refers to`() throws {
    let path = folder.path("counting.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=320x192:r=25", "-t", "0.48", "-c:v",
        "libx264", "-bf", "1", "-threads", "1", "-x264-params",
        "b-adapt=0:b-pyramid=none:weightp=0",
        "-pix_fmt", "yuv420p", "-bitexact", path,
      ])
    // A set of parameters of MP4 has its length before it, in the eight bytes before the unit.
    let record = try stream(of: path).stream.parameterSets
    let set = record[8..<8 + Int(record[6]) << 8 + Int(record[7])]
    let numberBits = try #require(SequenceParameters(Array(set))).numberBits
    // Numbers each picture, whereas H.264 repeats the number of one that nothing refers to. In a P or B slice with the
    // parameter set 0, the number begins at the eighth bit after the unit's header.
    var bytes = try Data(contentsOf: URL(filePath: path))
    for (number, place) in try PacketPlaces.of(path, stream: "v:0").enumerated() where number > 0 {
      for bit in 0..<numberBits {
        let (byte, mask) = (place.position + 5 + (7 + bit) / 8, UInt8(0x80) >> ((7 + bit) % 8))
        let isSet = number >> (numberBits - 1 - bit) & 1 == 1
        bytes[byte] = isSet ? bytes[byte] | mask : bytes[byte] & ~mask
      }
    }
    try bytes.write(to: URL(filePath: path))
    let (source, stream) = try stream(of: path)
    let times = stream.frames.times
    let inOrder = try FrameReader(source: source, named: path, stream: stream)
    let expected = try times.map { try inOrder.frame(at: $0).digest }
    #expect(Set(expected).count == 12)
    for number in times.indices {
      let reader = try FrameReader(source: source, named: path, stream: stream)
      #expect(try reader.frame(at: times[number]).digest == expected[number], "frame \(number)")
      #expect(reader.isReusable)
    }
  }
}
