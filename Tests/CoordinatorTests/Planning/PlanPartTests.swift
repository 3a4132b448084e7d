import Crypto
import FarmAPI
import Foundation
import Preparation
import Support
import Testing

/// The errors of reading a part of a plan.
struct PlanPartTests {
  private let scratch: TemporaryDirectory
  private let bytes = Data("a segment".utf8)

  init() throws { scratch = try TemporaryDirectory() }

  private func failure(of path: String) -> String? {
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
    #expect(failure(of: plan) == "damaged-plan")
    for (content, code) in [
      (bytes, nil), (bytes.dropLast(), "damaged-plan"), (Data(count: 9), "damaged-plan"),
    ] {
      try content.write(to: URL(fileURLWithPath: plan))
      #expect(failure(of: plan) == code)
    }
  }

  @Test func `a plan that the system cannot read is not damaged`() throws {
    // A folder can be opened, but not read.
    #expect(failure(of: scratch.path) == "read-failed")
    let loop = scratch.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(failure(of: loop) == "read-failed")
  }
}
