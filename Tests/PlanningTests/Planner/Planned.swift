import Crypto
import Planning
import ProjectFormat
import Testing
import Timeline

/// Plans of small projects, and the frames that they show.
enum Planned {
  /// A digest that stands for an asset.
  static func digest(_ number: UInt8) throws -> Digest {
    try #require(Digest(bytes: [UInt8](repeating: number, count: Digest.byteCount)))
  }

  /// The plan of one range of one clip.
  static func plan(
    _ index: MediaIndex, source: TimeRange, target: TimeRange, frameDuration: RationalTime,
    options: PlanOptions = PlanOptions()
  ) throws -> Plan {
    let segment = TrackSegment(asset: "clip", trackIndex: 0, source: source, target: target)
    return try plan(index, segments: [segment], frameDuration: frameDuration, options: options)
  }

  /// The plan of several ranges of one clip.
  static func plan(
    _ index: MediaIndex, segments: [TrackSegment], frameDuration: RationalTime,
    options: PlanOptions = PlanOptions()
  ) throws -> Plan {
    let whole = try TimeRange(start: .zero, end: segments.last?.target.end ?? .zero)
    let project = Project(
      assets: ["clip": Asset(path: "clip.mp4")],
      composition: Composition(tracks: [
        Track(id: 1, mediaType: .video, segments: segments)
      ]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), frameDuration: frameDuration,
        instructions: [Instruction(timeRange: whole, layers: [LayerInstruction(track: 1)])]))
    return try Planner.plan(
      project, indexes: ["clip": index], digests: ["clip": digest(1)], options: options)
  }

  /// The plan of a sequence of clips named a, b, c…
  static func plan(
    _ sequence: ClipSequence, _ indexes: [String: MediaIndex], options: PlanOptions = PlanOptions()
  ) throws -> Plan {
    var digests: [String: Digest] = [:]
    for (number, name) in indexes.keys.sorted().enumerated() {
      digests[name] = try digest(UInt8(number + 1))
    }
    let document = ProjectDocument.sequence(sequence).choosingFormat(indexes: indexes)
    return try Planner.plan(
      document.project(indexes: indexes), indexes: indexes, digests: digests, options: options)
  }

  /// The time of the frame that each output frame's topmost layer shows, in ticks; `nil` if there is no layer.
  static func shown(_ plan: Plan) throws -> [Int64?] {
    plan.segments.flatMap(\.slices).flatMap { slice -> [Int64?] in
      guard let layer = slice.layers.first else {
        return Array(repeating: nil, count: slice.end - slice.first)
      }
      return times(of: layer).map { $0 }
    }
  }

  /// The source frames of a layer, one for each output frame.
  static func times(of layer: LayerSlice) -> [Int64] {
    layer.frames.flatMap { run in (0..<run.count).map { run.time + run.step * Int64($0) } }
  }

  /// Fails if segments or slices omit a frame, show one twice, or lack a frame that they show.
  ///
  /// - Parameter first: the first frame of the exported time range.
  static func check(
    _ plan: Plan, from first: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var next = first
    for segment in plan.segments {
      #expect(segment.first == next, sourceLocation: sourceLocation)
      for slice in segment.slices {
        #expect(slice.first == next, sourceLocation: sourceLocation)
        #expect(slice.end > slice.first, sourceLocation: sourceLocation)
        for layer in slice.layers {
          let times = times(of: layer)
          #expect(times.count == slice.end - slice.first, sourceLocation: sourceLocation)
          let carried = Set(segment.sources[layer.source].stream.frames.times)
          #expect(times.allSatisfy(carried.contains), sourceLocation: sourceLocation)
        }
        next = slice.end
      }
      #expect(segment.end == next, sourceLocation: sourceLocation)
    }
    #expect(next == first + plan.frameCount, sourceLocation: sourceLocation)
  }
}
