import Arguments
import FarmAPI
import Foundation

/// `sheaf logs`: prints what happened to a job's segments.
struct LogsCommand: Command {
  private static let follow = Flag(
    "follow", letter: "f", help: "Print further attempts as they end, until the job ends")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "logs", summary: "Print the attempts at a job's segments",
    details: [
      "For each attempt, it prints a line with the worker and the outcome, and then the lines that "
        + "were logged about the attempt. The oldest attempt comes first."
    ],
    operand: Operand(
      "JOB [SEGMENT]", .oneOrTwo,
      help: "The job's id, or a unique beginning of it, and the number of a segment for its "
        + "attempts only"),
    options: [follow.declaration] + FarmConnection.options + [
      Flag("json", help: "Print each attempt as JSON, one line each").declaration
    ],
    examples: [
      Example("sheaf logs 5f0c", "Print all attempts at the job's segments"),
      Example("sheaf logs 5f0c 12 --follow", "Print the attempts at segment 12 as they end"),
    ])

  private let farm: FarmConnection
  private let job: String
  private let segment: Int?
  private let follows: Bool
  private let printsJSON: Bool

  /// The time between two looks at a job that is followed.
  private static let pause = Duration.seconds(1)

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    job = arguments.operands[0]
    segment = try arguments.operands.dropFirst().first.map { text in
      guard let number = Int(text), number >= 0 else {
        throw UsageError(
          "SEGMENT must be the number of a segment, from 0", on: "\"\(text)\"",
          command: Self.syntax.invocation)
      }
      return number
    }
    follows = arguments.has(Self.follow)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    var job = try await farm.job(matching: job)
    var listing = AttemptListing()
    while true {
      // Asked first, so that no attempt ends after the last look.
      let isFinal = job.state.isFinal
      for attempt in listing.unprinted(try await attempts(of: job.id, listing), all: !follows) {
        if printsJSON { try console.print(json: attempt) } else { try print(attempt, on: console) }
      }
      guard follows, !isFinal else { return }
      try await Task.sleep(for: Self.pause)
      job = try await farm.job(job.id)
    }
  }

  /// The attempts to look at: all at the segment, or those that may have changed.
  private func attempts(of id: String, _ listing: AttemptListing) async throws -> [SegmentAttempt] {
    guard let segment else {
      return try await farm.attempts(of: id, skipping: listing.settled)
    }
    return try await farm.attempts(at: segment, of: id)
  }

  private func print(_ attempt: SegmentAttempt, on console: Console) throws {
    try console.print(prose: attempt.line)
    for line in (attempt.log ?? "").split(separator: "\n") { try console.print("  \(line)") }
  }
}

extension SegmentAttempt {
  fileprivate var line: String {
    var text =
      "segment \(segment), attempt \(number)\(isCopy == true ? " (a copy)" : "") on \(worker)"
    text += ": \(outcome ?? "running")"
    if let startedAt, let endedAt {
      text += " after \(TimeText.elapsed(max(0, endedAt.timeIntervalSince(startedAt))))"
    }
    if outcome != "completed", let framesRendered {
      text += ", \(framesRendered) of \(frameCount) frames"
    }
    if let code { text += ": \(code.rawValue)" }
    if let message { text += ": \(message.split(separator: "\n").first ?? "")" }
    return text
  }
}
