import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct VideoEncoderTests {
  static let durations = ["1/24", "1/25", "1/30", "1/60", "1001/24000", "1001/30000"]

  @Test(arguments: durations)
  func `a chunk starts at zero and all its samples last one frame`(text: String) throws {
    let folder = try TemporaryDirectory()
    let frameDuration = try RationalTime(text)
    try NamedPictures.writeChunk(
      0..<40, to: folder.path("chunk.mp4"), frameDuration: frameDuration)
    let packets = try NamedPictures.packets(of: folder.path("chunk.mp4"))
    let index = try Footage.index(of: folder.path("chunk.mp4"))
    let step = try frameDuration.ticks(of: index.video[0].timeBase)
    #expect(try index.video[0].timeBase * step == frameDuration)
    #expect(packets.map { $0[0] }.sorted() == (0..<40).map { Int64($0) * step })
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1[1] - $0[1] == step })
  }

  @Test func `the same pictures yield the same bytes`() throws {
    let folder = try TemporaryDirectory()
    for name in ["a.mp4", "b.mp4"] {
      try NamedPictures.writeChunk(
        0..<40, to: folder.path(name), frameDuration: RationalTime(1, 30))
    }
    #expect(
      FileManager.default.contentsEqual(atPath: folder.path("a.mp4"), andPath: folder.path("b.mp4"))
    )
  }

  @Test func `parameter sets are in band before the first picture and out of band`() throws {
    let encoder = try VideoEncoder(NamedPictures.settings(RationalTime(1, 30)))
    #expect(encoder.parameterSets.starts(with: [0, 0, 0, 1, 0x67]))
    try encoder.send(try NamedPictures.picture(source: 1, frame: 0))
    try encoder.send(nil)
    let packet = try Packet()
    #expect(try encoder.receive(into: packet) == .packet)
    let bytes = packet.withUnsafeBytes { [UInt8]($0) }
    let parameterSets = encoder.parameterSets
    #expect(bytes.firstRange(of: parameterSets) != nil)
  }

  @Test func `AV1 encoders can be opened and closed at the same time`() async throws {
    var settings = NamedPictures.settings(try RationalTime(1, 30))
    settings.codec = .av1
    settings.preset = "12"
    try await withThrowingTaskGroup { [settings] group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<10 { _ = try VideoEncoder(settings) } }
      }
      try await group.waitForAll()
    }
  }

  @Test func `content does not change the parameter sets`() throws {
    let settings = NamedPictures.settings(try RationalTime(1, 30))
    let sets = try [1, 60].map { count in
      let encoder = try VideoEncoder(settings)
      let packet = try Packet()
      for number in 0..<count {
        try encoder.send(
          try NamedPictures.picture(source: count, frame: number), number: Int64(number))
        while try encoder.receive(into: packet) == .packet {}
      }
      return encoder.parameterSets
    }
    #expect(sets[0] == sets[1])
  }

  @Test(arguments: [1, 2, 3])
  func `decoding times start before zero by the same delay even in the shortest chunk`(
    count: Int
  ) throws {
    let encoder = try VideoEncoder(NamedPictures.settings(RationalTime(1, 30)))
    for frame in 0..<count {
      try encoder.send(
        try NamedPictures.picture(source: 1, frame: frame), number: Int64(frame))
    }
    try encoder.send(nil)
    let packet = try Packet()
    var times: [Int64?] = []
    while try encoder.receive(into: packet) == .packet { times.append(packet.decodingTime) }
    #expect(times == (0..<count).map { Int64($0) - 2 })
  }

  @Test func `a picture of another size is rejected`() throws {
    let encoder = try VideoEncoder(NamedPictures.settings(RationalTime(1, 30)))
    let picture = try Frame(width: 64, height: 64, pixelFormat: .yuv420p)
    #expect(throws: MediaError.self) { try encoder.send(picture) }
  }

  @Test(arguments: [0, 15, 101, 100_000])
  func `a width that H.264 does not support is rejected`(side: Int) throws {
    var settings = NamedPictures.settings(try RationalTime(1, 30))
    settings.size = PixelSize(width: side, height: 180)
    let error = try #require(throws: MediaError.self) { try VideoEncoder(settings) }
    #expect(error.code == .invalidSettings)
  }
}
