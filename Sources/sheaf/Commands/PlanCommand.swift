import Arguments
import FarmAPI
import Planning
import Timeline

/// `sheaf plan`: prints the segments of a project.
struct PlanCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "plan", summary: "Print the segments that a project is split into",
    operand: Operand("PROJECT", kind: .file, help: "The project file"),
    options: [
      Option.root.declaration, Flag("json", help: "Print the whole plan as JSON").declaration,
    ],
    examples: [
      Example(
        "sheaf plan cut.json",
        "Print each segment with its memory and sources, and why it is encoded")
    ]
  )

  private let project: String
  private let roots: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    project = arguments.operand
    roots = try arguments.values(.root)
    printsJSON = arguments.has(.json)
  }

  func run(on console: Console) async throws {
    let plan = try await LocalProject.read(project, roots: roots).plan()
    if printsJSON { return try console.print(json: StatedPlan(plan: plan)) }
    let size = "\(plan.renderSize.width)x\(plan.renderSize.height)"
    let sound = plan.mix.map(Self.sound) ?? "no sound"
    let frames =
      plan.frameCount > 0
      ? "\(TimeText.frames(plan.frameCount, of: plan.frameDuration)) long, \(plan.frameCount) frames at "
        + "\(TimeText.rate(1 / plan.frameDuration.seconds)), \(size), " : ""
    try console.print(
      prose: "\(frames)\(sound), about \(ByteCount(Int64(plan.estimatedFileLength))),"
        + " plan \(console.shown(try plan.hash()))")
    for line in plan.formatLines + (plan.frameRate?.lines ?? []) {
      try console.print(prose: line)
    }
    var table = Table(
      Table.Column("SEGMENT", importance: 9), Table.Column("FRAMES", importance: 4),
      Table.Column("START", importance: 8), Table.Column("END", importance: 5),
      Table.Column("KIND", importance: 7, shortest: 8), Table.Column("MEMORY", importance: 3),
      Table.Column("SOURCES", importance: 6, shortest: 8),
      Table.Column("REASON", importance: 2, shortest: 12))
    for (number, segment) in plan.segments.enumerated() {
      table.add(
        "\(number)", "\(segment.first)..<\(segment.end)",
        TimeText.frames(segment.first, of: segment.frameDuration),
        TimeText.frames(segment.end, of: segment.frameDuration), segment.kind,
        "\(ByteCount(Int64(segment.peakMemory)))",
        segment.sources.map(\.name).joined(separator: ", "),
        plan.methods.flatMap { $0.indices.contains(number) ? $0[number].reason : nil } ?? "-")
    }
    try console.print(table)
  }

  /// Says how much of a mix is copied at most. Whether its packets allow that is known only when it is made.
  private static func sound(of mix: MixDescription) -> String {
    guard mix.copied == nil else { return "copied sound" }
    guard let ranges = mix.copiedParts?.ranges else { return "\(mix.sampleCount) samples of sound" }
    let copied = ranges.reduce(0) { $0 + $1.sampleCount }
    return "\(mix.sampleCount) samples of sound, at most \(copied) of them copied"
  }
}

/// A plan with the expected peak memory of each segment in bytes, as a member of its own.
private struct StatedPlan: Encodable {
  let plan: Plan

  private enum CodingKeys: String, CodingKey { case peakMemory }

  func encode(to encoder: any Encoder) throws {
    try plan.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(plan.segments.map(\.peakMemory), forKey: .peakMemory)
  }
}

extension SegmentDescription {
  /// The kinds of the segment's slices.
  fileprivate var kind: String {
    if copy != nil { return "copied" }
    var kinds: [String] = []
    for slice in slices {
      let kind =
        switch slice.layers.count {
        case 0: "background"
        case 1: "pass-through"
        default: "transition"
        }
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    return kinds.joined(separator: " + ")
  }
}
