import Recording
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct FragmentTests {
  @Test func `a fragment ends when it is long enough, or too large, or before a gap`() throws {
    var cutter = FragmentCutter(length: RationalTime(1), byteLimit: 1000)
    let half = try RationalTime(1, 2)
    #expect(!cutter.endsFragment(beforeGroupAfterDrop: true))
    #expect(cutter.add(from: .zero, to: half, byteCount: 10) == false)
    #expect(cutter.endsFragment(beforeGroupAfterDrop: true))
    #expect(!cutter.endsFragment(beforeGroupAfterDrop: false))
    #expect(cutter.add(from: half, to: RationalTime(1), byteCount: 10) == true)
    cutter.begin()
    #expect(
      cutter.add(from: RationalTime(1), to: try RationalTime(3, 2), byteCount: 1000) == true)
  }

  @Test func `a gap is a time without samples that exceeds the tolerance`() throws {
    var gaps = GapTracker()
    let tolerance = try RationalTime(1, 50)
    let frame = try RationalTime(1, 25)
    #expect(gaps.add(track: 0, from: .zero, to: RationalTime(1), tolerance: tolerance) == nil)
    #expect(
      gaps.add(track: 0, from: RationalTime(1), to: RationalTime(2), tolerance: tolerance) == nil)
    #expect(
      gaps.add(track: 1, from: frame, to: RationalTime(2), tolerance: tolerance)
        == RecordingGap(track: 1, start: .zero, end: frame))
    #expect(
      gaps.add(track: 0, from: RationalTime(3), to: RationalTime(4), tolerance: tolerance)
        == RecordingGap(track: 0, start: RationalTime(2), end: RationalTime(3)))
    // An overlap does not move the end back.
    #expect(
      gaps.add(track: 0, from: RationalTime(3), to: try RationalTime(7, 2), tolerance: tolerance)
        == nil)
    #expect(
      gaps.add(track: 0, from: RationalTime(4), to: RationalTime(5), tolerance: tolerance) == nil)
  }
}
