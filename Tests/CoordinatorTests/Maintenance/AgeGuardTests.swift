import Foundation
import Support
import Testing
import sheaf_coordinator

/// When ages are reliable enough to delete something because of them.
@Suite(.mayBlock) struct AgeGuardTests {
  private let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let hour = 3600.0

  /// A guard that has allowed deletions until `start`.
  private func steady() -> AgeGuard {
    var ages = AgeGuard()
    for hours in stride(from: -48.0, through: 0, by: 1) {
      _ = ages.allowsDeletion(at: start + hours * hour)
    }
    return ages
  }

  private func allowed(_ ages: inout AgeGuard, _ now: Date) -> Bool {
    ages.allowsDeletion(at: now)
  }

  @Test func `nothing is deleted on the first day`() {
    var ages = AgeGuard()
    for hours in 0..<24 { #expect(!allowed(&ages, start + Double(hours) * hour)) }
    #expect(allowed(&ages, start + 24 * hour))
  }

  @Test func `an hourly cleanup deletes, also after a pause of a day`() {
    var ages = steady()
    #expect(allowed(&ages, start + hour))
    #expect(allowed(&ages, start + 25 * hour))
  }

  @Test(arguments: [24.1, 24.0 * 365, -2])
  func `after a leap of the clock nothing is deleted for a day`(leap: Double) {
    var ages = steady()
    let after = start + leap * hour
    for hours in 0..<24 { #expect(!allowed(&ages, after + Double(hours) * hour)) }
    #expect(allowed(&ages, after + 24 * hour))
  }

  @Test func `a clock that is set right again extends the wait by no more than a day`() {
    var ages = steady()
    #expect(!allowed(&ages, start + 9000 * hour))
    #expect(!allowed(&ages, start + hour))
    #expect(!allowed(&ages, start + 24 * hour))
    #expect(allowed(&ages, start + 25 * hour))
  }

  @Test func `the guard survives a restart`() throws {
    var ages = steady()
    #expect(!allowed(&ages, start + 9000 * hour))
    let scratch = try TemporaryDirectory()
    let file = AgeGuardFile(data: scratch.path("data"))
    try file.update { $0 = [ages] }
    var later = try #require(try file.records().last)
    #expect(later == ages)
    #expect(!allowed(&later, start + 9001 * hour))
  }
}
