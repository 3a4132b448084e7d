import Media
import Planning
import Rendering
import Support
import Timeline

/// Chunks of a frame-naming clip, cut at the places that a test chooses.
struct TestChunks {
  let folder: TemporaryDirectory
  let clip: String
  var frameDuration = RationalTime.second(over: 30)
  var size = PixelSize(width: 160, height: 96)
  var video = VideoSettings(crf: 28, encoderPreset: "veryfast")

  /// A clip of `frameCount` frames from which chunks are made.
  init(frameCount: Int) throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try FrameNamingClip(source: 9, frameCount: frameCount, width: 160, height: 96).write(to: clip)
  }

  /// The chunk with the clip's frames in a range.
  func chunk(_ range: Range<Int>, named name: String = "chunk") throws -> (path: String, count: Int)
  {
    let path = folder.path("\(name)-\(range.lowerBound)-\(range.upperBound).mp4")
    let scene = TestScene(
      paths: [clip], size: size, first: range.lowerBound, frameDuration: frameDuration,
      video: video, layers: [.init(source: 0, frames: Array(range))])
    try scene.render(to: path)
    return (path, range.count)
  }

  /// A mix of `sampleCount` samples of a click track.
  func mix(sampleCount: Int, settings: AudioSettings = AudioSettings()) throws -> String {
    let (wave, path) = (folder.path("clicks.wav"), folder.path("mix\(sampleCount).m4a"))
    try ClickTrack(
      sampleCount: sampleCount, clicks: Array(stride(from: 100, to: sampleCount, by: 9600))
    )
    .write(to: wave)
    try TestMix(path: wave, sampleCount: Int64(sampleCount), settings: settings).mixer()
      .mix(to: path)
    return path
  }

  func facts(frameCount: Int, audio: String? = nil, named name: String = "out.mp4")
    -> AssemblyFacts
  {
    AssemblyFacts(
      frameCount: frameCount, frameDuration: frameDuration, renderSize: size, codec: video.codec,
      fileType: name.split(separator: ".").last.flatMap { FileType(rawValue: String($0)) } ?? .mp4,
      optimizeForNetworkUse: true, audioPath: audio, outputPath: folder.path(name))
  }

  /// Appends the chunks, and finishes the file.
  func assemble(_ chunks: [(path: String, count: Int)], _ facts: AssemblyFacts) throws {
    let assembler = try Assembler(facts)
    for chunk in chunks { try assembler.append(chunk: chunk.path, expecting: chunk.count) }
    try assembler.finish()
  }
}
