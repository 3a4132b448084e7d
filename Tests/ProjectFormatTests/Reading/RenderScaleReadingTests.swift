import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct RenderScaleReadingTests {
  @Test func `a scale is read and written back`() throws {
    let text = ProjectText.composition(
      videoComposition: ProjectText.videoComposition(extra: #", "renderScale": "1/4""#))
    guard case .composition(let project) = try ProjectText.parse(text) else {
      Issue.record("the project is a sequence")
      return
    }
    #expect(project.videoComposition?.outputSize == PixelSize(width: 480, height: 270))
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }
}
