import Foundation
import Media
import Support
import Testing
import Timeline

struct FrameReaderTests {
  @Test(.needsSharedMedia, arguments: Footage.video)
  func `a frame read at random is the one that linear decoding yields`(name: String) throws {
    let source = try FileByteSource(path: SharedMedia.path(name))
    let stream = try MediaProber.index(of: source, named: name).video[0]
    let linear = try FrameReader(source: source, named: name, stream: stream)
    let times = Array(stream.frames.times.prefix(200))
    var digests: [Int64: Int] = [:]
    for time in times { digests[time] = try linear.frame(at: time).digest }

    let random = try FrameReader(source: source, named: name, stream: stream)
    for step in 0..<min(times.count, 40) {
      let time = times[(step * 7919 + 13) % times.count]
      #expect(try random.frame(at: time).digest == digests[time], "tick \(time)")
    }
  }
}

extension Frame {
  /// A hash over every sample of the picture.
  var digest: Int {
    withUnsafePlanes { planes in
      var hash: UInt64 = 14_695_981_039_346_656_037
      for plane in planes {
        for row in 0..<plane.height {
          for column in 0..<min(plane.width, plane.stride) {
            hash = (hash ^ UInt64(plane.base[row * plane.stride + column])) &* 1_099_511_628_211
          }
        }
      }
      return Int(truncatingIfNeeded: hash)
    }
  }
}
