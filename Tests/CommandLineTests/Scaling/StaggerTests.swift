import Support
import Testing
import sheaf

/// The differences between the workers of one start.
@Suite(.mayBlock) struct StaggerTests {
  @Test(arguments: [1, 19, 20, 60, 61, 599, 1200, 3600, 82_800])
  func `no worker lives longer than its lifetime, or shorter by more than a tenth`(lifetime: Int) {
    let stagger = Stagger(lifetime: lifetime)
    for index in 0..<1000 {
      let seconds = stagger.lifetime(at: index)
      #expect(index % stagger.steps + seconds <= lifetime)
      #expect(seconds * 10 >= lifetime * 9)
    }
  }

  @Test(arguments: [(60, 3), (600, 30), (1200, 60), (3600, 60), (82_800, 60)])
  func `so many workers begin and end at different times`(lifetime: Int, count: Int) {
    let stagger = Stagger(lifetime: lifetime)
    let delays = (0..<count).map { $0 % stagger.steps }
    let ends = (0..<count).map { $0 % stagger.steps + stagger.lifetime(at: $0) }
    #expect(Set(delays).count == count && Set(ends).count == count)
  }
}
