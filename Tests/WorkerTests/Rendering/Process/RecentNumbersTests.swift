import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct RecentNumbersTests {
  @Test func `the number that was used least recently falls out when there are too many`() {
    var recent = RecentNumbers(limit: 2)
    #expect([7, 8, 7, 7, 9, 7, 8].map { recent.use($0) } == [nil, nil, nil, nil, 8, nil, 9])
  }
}
