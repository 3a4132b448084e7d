import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct AudioEncoderTests {
  private let folder: TemporaryDirectory
  private let path: String
  private static let clicks = [0, 10_000, 55_555, 99_990]
  private static let count = 100_000

  /// Encodes 100,000 samples with clicks, sent in runs of different lengths, as an audio-only MP4 file.
  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("mix.m4a")
    let encoder = try AudioEncoder(AudioEncoder.Settings(bitRate: 256_000))
    let muxer = try Muxer(path: path, format: "mp4")
    let stream = try muxer.addStream(encoder.parameters, timeBase: encoder.timeBase)
    try muxer.start()
    let samples = ClickTrack(sampleCount: Self.count, clicks: Self.clicks).samples
    var first = 0
    while first < Self.count {
      let run = Array(samples[first..<min(first + 3331, Self.count)])
      try encoder.encode([run, run]) { try muxer.write($0, to: stream) }
      first += run.count
    }
    try encoder.finish { try muxer.write($0, to: stream) }
    try muxer.finish()
  }

  @Test func `the container signals exactly the samples that were sent`() throws {
    let stream = try Footage.index(of: path).audio[0]
    #expect(try stream.timeBase * (stream.end - stream.start) == RationalTime(100_000, 48000))
    #expect(stream.start == 0)
    #expect(stream.encoderDelay == 1024)
  }

  @Test func `clicks are decoded at their exact samples`() throws {
    let samples = try PCM.read(path, channels: 2)[0]
    for click in Self.clicks {
      let nearby = max(0, click - 50)..<min(samples.count, click + 50)
      let loudest = nearby.max { abs(samples[$0]) < abs(samples[$1]) }
      #expect(loudest == click)
    }
  }

  @Test func `a sample rate that AAC does not support is rejected`() throws {
    let error = try #require(throws: MediaError.self) {
      try AudioEncoder(AudioEncoder.Settings(sampleRate: 1))
    }
    #expect(error.code == .invalidSettings)
  }
}
