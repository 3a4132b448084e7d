import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct PicturePoolTests {
  @Test(.needsSharedMedia, arguments: Thoroughness.sample(Footage.video, every: 3))
  func `readers that share a pool yield the same frames as on their own`(name: String) throws {
    let source = try FileByteSource(path: SharedMedia.path(name))
    let stream = try MediaProber.index(of: source, named: name).video[0]
    let digests = try Footage.digests(of: source, stream: stream, count: 10)
    let pictures = PicturePool()
    let readers = try (0..<2).map { _ in
      try FrameReader(
        source: source, named: name, stream: stream, deinterlaces: false, pictures: pictures)
    }
    for index in digests.indices {
      // Half of the frames are kept while the other reader decodes.
      let first = try readers[0].frame(at: stream.frames.times[index])
      if index.isMultiple(of: 2) { readers[0].letGo() }
      let other = digests.count - 1 - index
      #expect(
        try readers[1].frame(at: stream.frames.times[other]).digest == digests[other],
        "frame \(other)")
      readers[1].letGo()
      #expect(first.digest == digests[index], "frame \(index)")
    }
  }

  @Test(.needsSharedMedia, arguments: ["mb_video-h265_1080p30.mp4", "fc_hdv_1080i60.mov"])
  func `a released frame can be read again`(name: String) throws {
    let source = try FileByteSource(path: SharedMedia.path(name))
    let stream = try MediaProber.index(of: source, named: name).video[0]
    let digests = try Footage.digests(of: source, stream: stream, count: 12)
    let reader = try FrameReader(source: source, named: name, stream: stream, deinterlaces: false)
    for index in digests.indices {
      for _ in 0..<2 {
        #expect(try reader.frame(at: stream.frames.times[index]).digest == digests[index])
        reader.letGo()
      }
    }
  }

  @Test func `a pool keeps memory for only a few picture sizes`() throws {
    let folder = try TemporaryDirectory()
    let pictures = PicturePool()
    var greatest = 0
    for number in 1...8 {
      let path = folder.path("\(number).mp4")
      try FrameNamingClip(source: number, frameCount: 3, width: 320, height: 160 + 32 * number)
        .write(to: path)
      let source = try FileByteSource(path: path)
      let stream = try MediaProber.index(of: source, named: path).video[0]
      let reader = try FrameReader(source: source, named: path, stream: stream, pictures: pictures)
      for (index, time) in stream.frames.times.enumerated() {
        #expect(try reader.frame(at: time).name == FrameName(source: number, frame: index))
      }
      greatest = max(greatest, pictures.sizeCount)
    }
    #expect(greatest > 2 && greatest <= PicturePool.sizeLimit)
  }
}
