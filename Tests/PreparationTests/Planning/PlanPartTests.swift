import Crypto
import FarmAPI
import Foundation
import Preparation
import Support
import Testing

/// The errors of reading a part of a plan.
@Suite(.mayBlock) struct PlanPartTests {
  private let scratch: TemporaryDirectory
  private let bytes = Data("a segment".utf8)

  init() throws { scratch = try TemporaryDirectory() }

  private func failure(of path: String) -> FailureCode? {
    let part = PlanPart(offset: 0, length: bytes.count, digest: .of(bytes))
    do {
      _ = try part.read(from: path)
      return nil
    } catch {
      return error.failure.code
    }
  }

  @Test func `a plan that is missing, cut short or changed is damaged`() throws {
    let plan = scratch.path("plan")
    #expect(failure(of: plan) == .damagedPlan)
    for (content, code) in [
      (bytes, nil), (bytes.dropLast(), .damagedPlan), (Data(count: 9), .damagedPlan),
    ] as [(Data, FailureCode?)] {
      try content.write(to: URL(fileURLWithPath: plan))
      #expect(failure(of: plan) == code)
    }
  }

  @Test func `a plan that has become a folder or a link to itself is damaged`() throws {
    #expect(failure(of: scratch.path) == .damagedPlan)
    let loop = scratch.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(failure(of: loop) == .damagedPlan)
    #expect(failure(of: "\(loop)/plan") == .damagedPlan)
  }

  @Test func `a plan that the system cannot read is not damaged`() {
    // The system refuses to look up a name of this length, so the error says nothing about the file.
    #expect(failure(of: scratch.path(String(repeating: "p", count: 300))) == "read-failed")
  }
}
