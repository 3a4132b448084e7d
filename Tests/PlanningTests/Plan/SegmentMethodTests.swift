import Planning
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct SegmentMethodTests {
  private func methods(_ plan: Plan, isPassthrough: Bool = true) -> [SegmentMethod] {
    plan.segments.map { SegmentMethod(of: $0, isPassthrough: isPassthrough) }
  }

  @Test func `the parts of a copied timeline say why they are not copied`() throws {
    let plan = try Copied.plan(
      ["a": Copied.clip(), "b": Copied.clip()],
      #"{"clip": "a", "in": "1/5"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#)
    #expect(methods(plan) == [.cut, .copied, .blended, .copied])
    #expect(methods(plan, isPassthrough: false) == [.preset, .copied, .preset, .copied])
  }

  @Test func `only a copied segment has no reason`() {
    for method in SegmentMethod.allCases {
      #expect((method.reason == nil) == method.isCopied)
    }
  }
}
