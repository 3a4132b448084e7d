import Crypto
import Foundation
import Support
import Testing

/// One job on a farm of its own, and the faults that strike until it has ended.
struct ChaosRound {
  private struct Answer: Decodable {
    let job: Job
  }

  private struct Job: Decodable {
    struct Failure: Decodable {
      let message: String
    }
    let state: String
    let failure: Failure?
  }

  private let farm: ChaosFarm
  private let job: String
  private let digest: Digest
  private let folder: TemporaryDirectory

  /// Starts the farm and submits the project.
  init(_ footage: ChaosFootage, workerCount: Int, hasDisks: Bool) throws {
    folder = try TemporaryDirectory()
    digest = footage.digest
    farm = try ChaosFarm(workerCount: workerCount, hasDisks: hasDisks)
    let url = try #require(farm.url)
    let outcome = try Program.sheaf.run(["submit", footage.project, "--coordinator", url])
    try #require(outcome.status == 0, "\(outcome.standardError)")
    job = outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The end of what the farm's processes said.
  var lastWords: String { farm.lastWords }

  /// Lets the faults strike one after the other until the job has ended or none is left; then waits for the job's end,
  /// and compares the file.
  func run(_ faults: inout ArraySlice<ScheduledFault>, _ report: inout ChaosReport) throws {
    var next = ContinuousClock.now
    var lastLook = ContinuousClock.now
    // Far beyond what the slowest host takes: a job that hangs is to end the test.
    let giveUp = ContinuousClock.now + .seconds(300 + 5 * faults.count)
    while true {
      try farm.mend()
      if let fault = faults.first, next <= .now {
        faults.removeFirst()
        report.drawn[fault.fault, default: 0] += 1
        try farm.strike(fault)
        next = .now + .milliseconds(faults.first?.pause ?? 0)
      }
      if lastLook + .seconds(1) < .now {
        lastLook = .now
        if let job = try look(), ["completed", "failed", "cancelled"].contains(job.state) {
          try conclude(job, &report)
          return
        }
        if giveUp < lastLook {
          report.problems.append("the job has not ended: \(try look()?.state ?? "unreachable")")
          return
        }
      }
      usleep(50_000)
    }
  }

  private func look() throws -> Job? {
    guard let url = farm.url else { return nil }
    let outcome = try Program.sheaf.run(["job", job, "--json", "--coordinator", url])
    guard outcome.status == 0 else { return nil }
    return try JSONDecoder().decode(Answer.self, from: Data(outcome.standardOutput.utf8)).job
  }

  private func conclude(_ end: Job, _ report: inout ChaosReport) throws {
    try farm.mend(all: true)
    while !farm.isWhole { try farm.mend(all: true) }
    report.problems += farm.problems
    report.met.merge(farm.faultsMet, uniquingKeysWith: +)
    guard end.state == "completed", let url = farm.url else {
      report.problems.append("the job is \(end.state): \(end.failure?.message ?? "")")
      return
    }
    report.completed += 1
    let outcome = try Program.sheaf.run(
      ["fetch", job, "-o", "out.mp4", "--coordinator", url], in: folder.path)
    guard outcome.status == 0 else {
      report.problems.append("the file cannot be fetched: \(outcome.standardError)")
      return
    }
    if try Digest.of(file: folder.path("out.mp4")) == digest {
      report.equal += 1
    } else {
      report.problems.append("the file is another one")
    }
  }
}
