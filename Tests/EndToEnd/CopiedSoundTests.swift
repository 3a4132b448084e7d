import Foundation
import Support
import Testing

/// Sound that passthrough copies, checked with other tools: it decodes to the source's own samples.
@Suite(.mayBlock) struct CopiedSoundTests {
  /// The coding of the source's sound, and the containers of the source and the output.
  struct Coding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    let from: String
    let to: String
  }

  /// Without noise substitution, which makes decoders produce different samples if they start at different places.
  private static let aac = ["-c:a", "aac", "-aac_pns", "0", "-b:a", "96k"]

  private static let codings = [
    Coding(testDescription: "AAC", options: aac, from: "mp4", to: "mp4"),
    Coding(testDescription: "AAC of QuickTime", options: aac, from: "mov", to: "m4v"),
    Coding(testDescription: "AAC of Matroska", options: aac, from: "mkv", to: "mov"),
    Coding(
      testDescription: "Opus", options: ["-c:a", "libopus", "-ar", "48000"], from: "mp4", to: "mp4"),
    Coding(testDescription: "FLAC", options: ["-c:a", "flac"], from: "mp4", to: "mp4"),
    Coding(testDescription: "Apple Lossless", options: ["-c:a", "alac"], from: "mov", to: "mov"),
    Coding(testDescription: "PCM", options: ["-c:a", "pcm_s16le"], from: "mov", to: "mov"),
    Coding(
      testDescription: "PCM of 24 bits of Matroska", options: ["-c:a", "pcm_s24le"], from: "mkv",
      to: "mov"),
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A clip of 2 s, a keyframe every 12 frames, with a sweep at 44.1 kHz on the left and another on the right.
  private func write(_ name: String, sound: [String]) throws {
    try FrameNamingClip(
      source: 1, frameCount: 60, encoding: FrameNamingClip.h264 + ["-sc_threshold", "0"]
    ).write(to: folder.path("pictures.mp4"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("pictures.mp4"), "-f", "lavfi", "-i",
        "aevalsrc='0.5*sin(2000*t*t+200*t)|0.4*sin(900*t*t+3000*t)':s=44100:d=2", "-map", "0:v",
        "-map", "1:a", "-c:v", "copy", "-strict", "experimental",
      ] + sound + ["-bitexact", folder.path(name)])
  }

  private func transcode(_ input: String, to output: String, _ more: String...) throws {
    let outcome = try Program.sheaf.run(
      ["transcode", input, output, "--preset", "passthrough", "--overwrite"] + more,
      in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
  }

  /// Entries of the first audio stream, from ffprobe.
  private func sound(_ name: String, _ entries: String) throws -> String {
    String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "a:0", "-show_entries", "stream=\(entries)", "-of",
          "csv=p=0", folder.path(name),
        ]), as: UTF8.self
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A hash of all coded bytes of the first audio stream.
  private func codedBytes(_ name: String) throws -> String {
    String(
      decoding: try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", folder.path(name), "-map", "0:a:0", "-c", "copy", "-f", "streamhash",
          "-hash", "md5", "-",
        ]), as: UTF8.self)
  }

  @Test(arguments: codings)
  func `a part of a file has exactly the source's samples`(
    _ coding: Coding
  ) throws {
    let (input, output) = ("in.\(coding.from)", "out.\(coding.to)")
    try write(input, sound: coding.options)
    try transcode(input, to: output, "--start", "2/5", "--duration", "1")
    #expect(try sound(output, "codec_name,sample_rate") == sound(input, "codec_name,sample_rate"))
    let (source, heard) = (
      try PCM.read(folder.path(input), channels: 2), try PCM.read(folder.path(output), channels: 2)
    )
    let rate = coding.options.contains("48000") ? 48000 : 44100
    #expect(try sound(output, "duration_ts") == "\(rate)")
    let first = rate * 2 / 5
    // ffmpeg decodes the last packet whole. An Opus decoder converges to the samples of a continuous decoding.
    try #require(heard.allSatisfy { $0.count >= rate })
    let tolerance: Float = coding.options.contains("libopus") ? 1e-6 : 0
    #expect(
      zip(heard, source).allSatisfy { heard, source in
        zip(heard.prefix(rate), source[first..<first + rate]).allSatisfy {
          abs($0 - $1) <= tolerance
        }
      })
    let complaints = try Tool.output(
      of: "ffmpeg", ["-v", "error", "-i", folder.path(output), "-f", "null", "-"])
    #expect(complaints.standardError == "")
  }

  @Test(
    arguments: [
      ("mp4", "mov", aac), ("mp4", "mkv", aac), ("mkv", "mp4", aac),
      ("mp4", "mkv", ["-c:a", "libopus"]), ("mkv", "mkv", ["-c:a", "libopus"]),
      ("mkv", "mp4", ["-c:a", "libopus"]), ("mkv", "mkv", ["-c:a", "pcm_s16le"]),
    ])
  func `a whole file in another container keeps every byte of its sound`(
    from: String, to: String, coding: [String]
  ) throws {
    let (input, output) = ("in.\(from)", "out.\(to)")
    try write(input, sound: coding)
    try transcode(input, to: output)
    #expect(try codedBytes(output) == codedBytes(input))
    let (source, heard) = (
      try PCM.read(folder.path(input), channels: 2), try PCM.read(folder.path(output), channels: 2)
    )
    // Matroska signals AAC's encoder delay only by a packet's time.
    let delay = to == "mkv" && coding == Self.aac ? 1024 : 0
    if delay > 0 { #expect(try sound(output, "start_time") == "-0.023000") }
    let count = min(source[0].count, heard[0].count - delay)
    #expect(count >= 88_200)
    #expect(
      zip(heard, source).allSatisfy { $0.dropFirst(delay).prefix(count) == $1.prefix(count) })
  }

  @Test func `Apple Lossless with a shortened last packet is copied to its end`() throws {
    try write("in.mov", sound: ["-c:a", "alac"])
    let whole = try PCM.read(folder.path("in.mov"), channels: 2)
    let file = URL(fileURLWithPath: folder.path("in.mov"))
    var bytes = try Data(contentsOf: file)
    // The durations of 21 packets of 4096 samples and of one of 2184 samples, which becomes 100.
    let durations = try #require(
      bytes.range(of: Data([0, 0, 0, 21, 0, 0, 16, 0, 0, 0, 0, 1, 0, 0, 8, 136])))
    bytes.replaceSubrange(
      durations.upperBound - 4..<durations.upperBound, with: [0, 0, 0, 100])
    try bytes.write(to: file)
    try transcode("in.mov", to: "out.mov")
    #expect(try sound("out.mov", "codec_name,sample_rate,duration_ts") == "alac,44100,88200")
    #expect(try PCM.read(folder.path("out.mov"), channels: 2) == whole)
  }

  @Test func `a file with copied sound does not depend on the number of workers`() throws {
    try write("in.mp4", sound: Self.aac)
    let project =
      #"{"version": 1, "sequence": [{"clip": "in.mp4", "in": "1/2"}], "export": {"preset": "passthrough"}}"#
    let alone = try Rendered(project: project, in: folder, workers: 1, output: "one.mp4")
    let many = try Rendered(project: project, in: folder, workers: 3, output: "three.mp4")
    #expect(try alone.digest == many.digest)
    #expect(try sound("one.mp4", "sample_rate") == "44100")
  }

  @Test func `sound with other requested settings is mixed, not copied`() throws {
    try write("in.mp4", sound: Self.aac)
    try transcode("in.mp4", to: "out.mp4", "--audio-codec", "aac")
    #expect(try sound("out.mp4", "sample_rate") == "48000")
  }

  @Test func `sound with missing packets stays in sync`() throws {
    try write("in.mp4", sound: Self.aac)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("in.mp4"), "-c", "copy", "-bsf:a",
        "noise=drop='between(n,40,49)'", "-bitexact", folder.path("gap.mkv"),
      ])
    try transcode("gap.mkv", to: "out.mp4")
    #expect(try sound("out.mp4", "sample_rate") == "44100")
    let heard = try PCM.read(folder.path("out.mp4"), channels: 2)
    #expect(try sound("out.mp4", "duration_ts") == "91140")
    // Ten packets of 1024 samples from packet 40 on, one of them the encoder's delay.
    let silent = (41 * 1024)..<(47 * 1024)
    #expect(heard[0][silent].allSatisfy { abs($0) < 0.01 })
    #expect(heard[0][(silent.upperBound + 8000)...].contains { abs($0) > 0.4 })
  }
}
