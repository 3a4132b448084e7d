import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct DeinterlacingTests {
  static let size = (width: 96, height: 64)

  /// An interlaced clip of frames whose rows are those of two instants: a bright bar, 32 columns wide, that moves by 4
  /// columns a field. Lossless.
  static func movingBar(
    in folder: TemporaryDirectory, topFirst: Bool, frames: Int = 24
  ) throws -> String {
    let path = folder.path(topFirst ? "top.mkv" : "bottom.mkv")
    let bar = "if(lt(mod(X-4*N+960\\,96)\\,32)\\,200\\,40)"
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=\(size.width)x\(size.height):r=50:d=\(Double(frames) / 25),format=yuv420p,"
          + "geq=lum='\(bar)':cb=128:cr=128,tinterlace=\(topFirst ? "interleave_top" : "interleave_bottom")",
        "-c:v", "libx264", "-qp", "0", "-preset", "ultrafast", "-g", "6", "-flags", "+ildct+ilme",
        "-top", topFirst ? "1" : "0", "-pix_fmt", "yuv420p", path,
      ])
    return path
  }

  static func reader(_ path: String) throws -> FrameReader {
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: path)
    return try FrameReader(
      source: source, named: path, stream: try #require(index.video.first))
  }

  static func rows(_ frame: Frame) -> [[UInt8]] {
    frame.withUnsafePlanes { planes in
      (0..<planes[0].height).map { y in
        (0..<planes[0].width).map { planes[0].base[y * planes[0].stride + $0] }
      }
    }
  }

  @Test(arguments: [true, false])
  func `the rows of the first field stay as they are, and a moving edge shows no combing`(
    topFirst: Bool
  ) throws {
    let folder = try TemporaryDirectory()
    let reader = try Self.reader(try Self.movingBar(in: folder, topFirst: topFirst))
    for (number, time) in reader.stream.frames.times.enumerated() {
      let frame = try reader.frame(at: time)
      #expect(frame.time == time && !frame.isInterlaced)
      let rows = Self.rows(frame)
      // The first field shows the bar at its position for twice the frame's number.
      let wanted = (0..<Self.size.width).map { x -> UInt8 in
        (x - 8 * number + 9600) % 96 < 32 ? 200 : 40
      }
      for (y, row) in rows.enumerated() {
        let isKept = y % 2 == (topFirst ? 0 : 1)
        let tolerance = isKept ? 0 : 40
        let far = zip(row, wanted).filter { abs(Int($0) - Int($1)) > tolerance }.count
        #expect(far == 0, "frame \(number), row \(y)")
      }
    }
  }

  @Test func `a static picture is unchanged`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("rest.mkv")
    // Rows change slowly, so that interpolated rows match the original ones.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=96x64:r=25:d=0.5,format=yuv420p,"
          + "geq=lum='60+X+Y/2':cb=128:cr=128",
        "-c:v", "libx264", "-qp", "0", "-preset", "ultrafast", "-flags", "+ildct+ilme",
        "-top", "1", "-pix_fmt", "yuv420p", path,
      ])
    let reader = try Self.reader(path)
    for time in reader.stream.frames.times.dropFirst(2).dropLast(2) {
      for (y, row) in Self.rows(try reader.frame(at: time)).enumerated() {
        for (x, value) in row.enumerated() {
          let wanted = 60 + x + y / 2
          let tolerance = y % 2
          #expect(abs(Int(value) - wanted) <= tolerance, "\(x), \(y)")
        }
      }
    }
  }

  @Test func `a frame is the same wherever reading began`() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.movingBar(in: folder, topFirst: true)
    let reader = try Self.reader(path)
    let times = reader.stream.frames.times
    let inOrder = try times.map { Self.rows(try reader.frame(at: $0)) }
    for number in [23, 0, 12, 6, 7, 5, 18, 17, 22, 1] {
      #expect(Self.rows(try reader.frame(at: times[number])) == inOrder[number], "again \(number)")
      let fresh = try Self.reader(path)
      #expect(Self.rows(try fresh.frame(at: times[number])) == inOrder[number], "only \(number)")
    }
    for step in [2, 3, 5] {
      let fresh = try Self.reader(path)
      for number in stride(from: 1, to: 24, by: step) {
        #expect(Self.rows(try fresh.frame(at: times[number])) == inOrder[number])
      }
    }
  }

  @Test func `the previous frame is known when a stream becomes interlaced`() throws {
    let folder = try TemporaryDirectory()
    let bar = "geq=lum='if(lt(mod(X-4*N\\,96)\\,32)\\,200\\,40)':cb=128:cr=128"
    for (name, flags) in [("whole", "0"), ("fields", "+ildct+ilme")] {
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-f", "lavfi", "-i",
          "color=black:s=96x64:r=25:d=0.4,format=yuv420p,\(bar)",
          "-c:v", "mpeg2video", "-q:v", "1", "-bf", "0", "-g", "5", "-flags", flags,
          folder.path("\(name).m2v"),
        ])
    }
    let path = folder.path("both.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-fflags", "+genpts", "-r", "25", "-i",
        "concat:\(folder.path("whole.m2v"))|\(folder.path("fields.m2v"))", "-c", "copy", path,
      ])
    let reader = try Self.reader(path)
    let times = reader.stream.frames.times
    #expect(times.count == 20)
    for number in times.indices {
      let inOrder = Self.rows(try reader.frame(at: times[number]))
      #expect(inOrder == Self.rows(try Self.reader(path).frame(at: times[number])), "\(number)")
    }
  }

  @Test func `a reader that has only a segment's frames yields the same pictures`() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.movingBar(in: folder, topFirst: true)
    let reader = try Self.reader(path)
    let times = reader.stream.frames.times
    let wanted = try [12, 13].map { Self.rows(try reader.frame(at: times[$0])) }
    var stream = reader.stream
    // As in a segment's description: the frames shown, and two keyframes up to the first of them.
    stream.frames = FrameTable(
      times: Array(times[12...13]), end: times[14],
      keyframes: stream.frames.keyframes.filter { $0.time == times[6] || $0.time == times[12] })
    let segment = try FrameReader(
      source: try FileByteSource(path: path), named: path, stream: stream)
    #expect(try [12, 13].map { Self.rows(try segment.frame(at: times[$0])) } == wanted)
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      ("fc_dv_pal_interlaced.mov", "dvvideo"), ("fc_hdv_1080i60.mov", "mpeg2video"),
      ("fc_xdcam_ex_1080i50.mov", "mpeg2video"),
    ])
  func `real interlaced footage is the same from the start and from the middle`(
    name: String, codec: String
  ) throws {
    let path = SharedMedia.path(name)
    let reader = try Self.reader(path)
    #expect(reader.stream.codec == codec)
    let times = Array(reader.stream.frames.times.prefix(40))
    var wanted: [Int64: [[UInt8]]] = [:]
    for time in times {
      let frame = try reader.frame(at: time)
      #expect(!frame.isInterlaced)
      if let number = times.firstIndex(of: time), [0, 11, 12, 13, 25].contains(number) {
        wanted[time] = Self.rows(frame)
      }
    }
    for (time, rows) in wanted {
      let fresh = try Self.reader(path)
      #expect(Self.rows(try fresh.frame(at: time)) == rows, "tick \(time)")
    }
  }
}
