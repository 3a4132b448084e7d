import ProjectFormat
import Support
import Testing
import Timeline

/// The fit of portrait clips in a landscape frame of 1920×1080.
@Suite(.mayBlock) struct FitTests {
  private func layer(
    _ fit: Fit?, standard: Fit = .contain, size: PixelSize = PixelSize(width: 1080, height: 1920),
    orientation: Orientation = .identity
  ) throws -> LayerInstruction {
    let sequence = ClipSequence(
      items: [
        .clip(SequenceClip(path: "wide")), .clip(SequenceClip(path: "tall", fit: fit)),
      ], fit: standard)
    let project = try sequence.expanded(indexes: [
      "wide": try MediaIndex.clip(seconds: RationalTime(4)),
      "tall": try MediaIndex.clip(
        seconds: RationalTime(4), size: size, orientation: orientation),
    ])
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    return try #require(project.videoComposition?.instructions[1].layers.first)
  }

  @Test func `contain fits a clip into the frame`() throws {
    let layer = try layer(.contain)
    #expect(
      layer.transform.finalValue
        == AffineTransform(a: 608.0 / 1080, b: 0, c: 0, d: 0.5625, tx: 656, ty: 0))
    #expect(layer.crop.pieces.isEmpty)
    #expect(layer.backdrop == nil)
  }

  @Test func `cover fills the frame and cuts off the rest`() throws {
    let layer = try layer(.cover)
    // 1080×1920 becomes 1920×3414, of which rows 1168 to 2248 are visible.
    let scale = 3414.0 / 1920
    #expect(
      layer.transform.finalValue
        == AffineTransform(a: 1920.0 / 1080, b: 0, c: 0, d: scale, tx: 0, ty: -1168))
    let crop = try #require(layer.crop.finalValue)
    #expect((crop.x, crop.width) == (0, 1080))
    #expect(abs(crop.y * scale - 1168) < 1e-9)
    #expect(abs(crop.height * scale - 1080) < 1e-9)
    #expect(layer.backdrop == nil)
  }

  @Test func `blur fits a clip over a blurred copy of itself`() throws {
    let layer = try layer(.blur)
    #expect(layer.transform == (try self.layer(.contain)).transform)
    let backdrop = try #require(layer.backdrop)
    let scale = (x: 608.0 / 1080, y: 0.5625)
    #expect(abs(backdrop.rect.x * scale.x + 656) < 1e-9)
    #expect(abs(backdrop.rect.width * scale.x - 1920) < 1e-9)
    #expect((backdrop.rect.y, backdrop.rect.height) == (0, 1920))
    guard case .blur(let sigma) = backdrop.fill else {
      Issue.record("the backdrop is a color")
      return
    }
    #expect(abs(sigma * 0.5625 - 1920.0 / 48) < 1e-9)
  }

  @Test(arguments: Fit.allCases) func `a clip with the frame's aspect ratio is unchanged`(fit: Fit)
    throws
  {
    let same = try layer(fit, size: PixelSize(width: 1920, height: 1080))
    #expect(same == LayerInstruction(track: 2))
    let half = try layer(fit, size: PixelSize(width: 960, height: 540))
    #expect(half.crop.pieces.isEmpty && half.backdrop == nil)
  }

  @Test func `clips without a fit use the sequence's fit`() throws {
    #expect(try layer(nil, standard: .cover) == layer(.cover))
    #expect(try layer(.contain, standard: .cover) == layer(.contain))
    let text =
      #"{"version": 1, "fit": "blur", "sequence": [{"clip": "a", "fit": "cover"}, {"clip": "b"}]}"#
    guard case .sequence(let sequence) = try ProjectText.parse(text) else {
      Issue.record("the project is a composition")
      return
    }
    #expect(sequence.fit == .blur)
    let fits = sequence.items.map { item -> Fit? in
      if case .clip(let clip) = item { clip.fit } else { .contain }
    }
    #expect(fits == [.cover, nil])
  }

  @Test func `a phone's clip is rotated upright before it is fitted`() throws {
    let layer = try layer(
      .cover, size: PixelSize(width: 1920, height: 1080),
      orientation: Orientation(quarterTurns: 1, isMirrored: false))
    let transform = try #require(layer.transform.finalValue)
    // Stored column x becomes row x, and stored row y becomes column 1080 − y.
    #expect((transform.a, transform.d) == (0, 0))
    #expect(abs(transform.b - 3414.0 / 1920) < 1e-12)
    #expect(abs(transform.c + 1920.0 / 1080) < 1e-12)
    let crop = try #require(layer.crop.finalValue)
    #expect(abs(crop.x * 3414 / 1920 - 1168) < 1e-9)
    #expect(abs(crop.width * 3414 / 1920 - 1080) < 1e-9)
    #expect((crop.y, crop.height) == (0, 1080))
  }

  @Test func `the cut-off part of a clip stays hidden during a push`() throws {
    let sequence = ClipSequence(
      items: [
        .clip(SequenceClip(path: "wide")),
        .transition(SequenceTransition(kind: .push, duration: RationalTime(1), direction: .up)),
        .clip(SequenceClip(path: "tall")),
      ], fit: .cover)
    let project = try sequence.expanded(indexes: [
      "wide": try MediaIndex.clip(seconds: RationalTime(4)),
      "tall": try MediaIndex.clip(
        seconds: RationalTime(4), size: PixelSize(width: 1080, height: 1920)),
    ])
    let coming = try #require(project.videoComposition?.instructions[1].layers[1])
    #expect(coming.crop.pieces.count == 1)
    let start = try #require(coming.transform.value(at: RationalTime(3)))
    #expect(abs(start.ty - (1080 - 1168)) < 1e-9)
  }
}
