import Planning
import Rendering
import Support
import Testing
import Timeline

/// Animation layers are placed over and around the video exactly according to their transforms.
@Suite(.mayBlock) struct OverlayTests {
  private let clip: OverlaidClip

  init() throws { clip = try OverlaidClip() }

  /// A layer that stretches a picture of 1 × 1 pixels over a rectangle.
  private static func layer(_ transform: Ramps<AffineTransform>, source: Int = 1, count: Int)
    -> LayerSlice
  {
    var layer = LayerSlice(
      source: source, frames: [FrameRun(time: 0, step: 0, count: count)], opacity: Ramps(),
      transform: transform, crop: Ramps())
    layer.isSmooth = true
    return layer
  }

  private static func step(_ transform: AffineTransform) -> Ramps<AffineTransform> {
    Ramps([.step(at: .zero, value: transform)])
  }

  /// The transform that maps one pixel to a rectangle.
  private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double)
    -> AffineTransform
  {
    AffineTransform(a: width, b: 0, c: 0, d: height, tx: x, ty: y)
  }

  @Test func `a static overlay changes only its own rectangle`() throws {
    let white = try clip.picture("white")
    let frame = try clip.frames(
      [Self.layer(Self.step(Self.box(10, 20, 32, 16)), count: 1)], sources: [white])[0]
    for y in 0..<64 {
      for x in 0..<96 {
        let isInside = (10..<42).contains(x) && (20..<36).contains(y)
        #expect(frame.row(y)[x] == (isInside ? 235 : 60), "(\(x), \(y))")
      }
    }
    let (inside, outside) = (frame.cb[730], frame.cb[250])
    #expect(inside == 128)
    #expect(outside == 110)
  }

  @Test func `an edge between pixels is mixed by the covered area`() throws {
    let white = try clip.picture("white")
    let frame = try clip.frames(
      [Self.layer(Self.step(Self.box(10.25, 20, 20, 10)), count: 1)], sources: [white])[0]
    let row = frame.row(25)
    #expect((190...192).contains(row[10]))
    #expect([row[9], row[11]] == [60, 235])
    #expect((103...105).contains(row[30]))
  }

  @Test func `motion by fractions of a pixel is smooth`() throws {
    let white = try clip.picture("white")
    let way = Ramps<AffineTransform>([
      .ramp(
        timeRange: try .frames(0, count: 12), from: Self.box(10, 20, 20, 10),
        to: Self.box(13, 20, 20, 10))
    ])
    let shown = try clip.frames([Self.layer(way, count: 12)], sources: [white], count: 12)
    for (number, frame) in shown.enumerated() {
      let weights = frame.row(25).map { Double($0) - 60 }
      let sum = weights.reduce(0, +)
      var moment = 0.0
      for (column, weight) in weights.enumerated() { moment += weight * (Double(column) + 0.5) }
      let (middle, wanted) = (moment / sum, 20 + 0.25 * Double(number))
      #expect(abs(sum - 3500) <= 2, "frame \(number)")
      #expect(abs(middle - wanted) < 0.01, "frame \(number)")
    }
  }

  @Test func `a rotated clip cuts by area`() throws {
    let white = try clip.picture("white")
    var layer = Self.layer(Self.step(Self.box(0, 0, 96, 64)), count: 1)
    // A square of 20 × 20 pixels that stands on its corner, around (48, 32).
    let turn = AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 48, ty: 32)
    layer.clips = [
      LayerClip(
        rect: Ramps([.step(at: .zero, value: PixelRect(x: -10, y: -10, width: 20, height: 20))]),
        transform: Self.step(turn))
    ]
    let frame = try clip.frames([layer], sources: [white])[0]
    let area = frame.luma.reduce(0.0) { $0 + (Double($1) - 60) / 175 }
    #expect(abs(area - 400) < 2)
    #expect([48, 70].map { frame.row(32)[$0] } == [235, 60])
  }

  @Test func `two clips show their intersection`() throws {
    let white = try clip.picture("white")
    var layer = Self.layer(Self.step(Self.box(0, 0, 96, 64)), count: 1)
    layer.clips = [
      PixelRect(x: 0, y: 0, width: 40, height: 64), PixelRect(x: 20, y: 10, width: 60, height: 20),
    ]
    .map {
      LayerClip(rect: Ramps([.step(at: .zero, value: $0)]), transform: Self.step(.identity))
    }
    let frame = try clip.frames([layer], sources: [white])[0]
    let shown = frame.luma.filter { $0 == 235 }
    #expect(shown.count == 400)
  }

  @Test func `a tint replaces the color and keeps the alpha`() throws {
    let half = try clip.picture("0x00ff00@0.5")
    var layer = Self.layer(Self.step(Self.box(10, 20, 32, 16)), count: 1)
    layer.tint = Ramps([
      .step(at: .zero, value: BlendedColor(Color(red: 255, green: 255, blue: 255)))
    ])
    let frame = try clip.frames([layer], sources: [half])[0]
    #expect((147...149).contains(frame.row(25)[20]))
  }

  @Test(arguments: [2.0, 0.6])
  func `corners keep their size when a picture is stretched`(stretch: Double) throws {
    // A white frame of 8 pixels around gray, 40 pixels wide.
    let path = clip.folder.path("frame.png")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "color=c=white:s=40x40,drawbox=x=8:y=8:w=24:h=24:color=black:t=fill,format=rgba",
        "-frames:v", "1", path,
      ])
    var layer = Self.layer(
      Self.step(AffineTransform(a: stretch, b: 0, c: 0, d: 1, tx: 10, ty: 10)), count: 1)
    layer.corners = LayerCorners(
      length: LayerPoint(x: 10, y: 10),
      stretch: Ramps([.step(at: .zero, value: LayerPoint(x: stretch, y: 1))]))
    let row = try clip.frames([layer], sources: [path])[0].row(30)
    let width = Int(40 * stretch)
    #expect((10..<17).allSatisfy { row[$0] == 235 })
    #expect((19..<(width - 1)).allSatisfy { row[$0] == 16 })
    #expect(((width + 3)..<(width + 10)).allSatisfy { row[$0] == 235 })
    #expect(row[width + 10] == 60)
  }

  @Test func `the video as a layer is scaled and placed on black`() throws {
    var video = Self.layer(
      Self.step(AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 24, ty: 16)), source: -1, count: 1)
    let frame = try clip.frames([video], isOverVideo: false, sources: [])[0]
    for y in 0..<64 {
      for x in 0..<96 {
        let isInside = (24..<72).contains(x) && (16..<48).contains(y)
        #expect(frame.row(y)[x] == (isInside ? 60 : 16), "(\(x), \(y))")
      }
    }
    video.opacity = Ramps([.step(at: .zero, value: 0.5)])
    let faded = try clip.frames([video], isOverVideo: false, sources: [])[0]
    #expect(faded.row(32)[48] == 38)
  }

  @Test func `layers lie beneath and above the video`() throws {
    let white = try clip.picture("white")
    let video = Self.layer(
      Self.step(AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 0, ty: 0)), source: -1, count: 1)
    let (above, below) = (
      Self.layer(Self.step(Self.box(0, 0, 10, 10)), count: 1),
      Self.layer(Self.step(Self.box(40, 0, 20, 10)), count: 1)
    )
    let frame = try clip.frames([above, video, below], isOverVideo: false, sources: [white])[0]
    let row = frame.row(5)
    #expect([5, 20, 44, 52, 70].map { row[$0] } == [235, 60, 60, 235, 16])
  }

  @Test func `an enlarged or rotated picture stays within its outline`() throws {
    let white = try clip.picture("white", "8x8")
    let turn = AffineTransform(a: 2.4, b: 1.8, c: -1.8, d: 2.4, tx: 48, ty: 10)
    let frame = try clip.frames([Self.layer(Self.step(turn), count: 1)], sources: [white])[0]
    let area = frame.luma.reduce(0.0) { $0 + (Double($1) - 60) / 175 }
    #expect(abs(area - 576) < 3)
  }
}
