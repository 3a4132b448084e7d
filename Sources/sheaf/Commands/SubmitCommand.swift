import Arguments
import FarmAPI
import Preparation

/// `sheaf submit`: submits a project to a coordinator.
struct SubmitCommand: Command {
  private static let watch = Flag("watch", help: "Follow the job until it ends")
  private static let sharesMedia = Flag(
    "shared-media",
    help: "Do not upload media: the coordinator reads it at the same paths, under its --media-root")
  private static let priority = Option<Int>(
    "priority", value: "N", in: JobSubmission.priorities,
    help: "The job's priority, from -100 to 100; higher ones are rendered first (default: 0)")
  private static let notify = Option<String>(
    "notify", value: "URL",
    help: "Send the job's events to URL, which the coordinator's operator must allow")
  private static let pool = Option<String>(
    "pool", value: "NAME", expecting: PoolName.contents,
    help: "Render only on workers of this pool (sheaf-worker --pool NAME)"
  ) { PoolName($0)?.description }
  private static let rerenders = Flag(
    "rerender", help: "Render every segment again, without reusing chunks of earlier jobs")
  private static let inOrder = Flag(
    "in-order",
    help: "Render segments in timeline order, so that playback can start earlier")

  private static let key = Option<IdempotencyKey>(
    "idempotency-key", value: "KEY",
    help: "The key of an earlier, interrupted run, so that the project is not submitted twice")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "submit",
    summary: "Submit a project to a coordinator, and print the job's id",
    operand: Operand("PROJECT", kind: .file, help: "The project file"),
    options: [
      watch.declaration, Option.output.declaration, Flag.overwrite.declaration,
      sharesMedia.declaration, priority.declaration, rerenders.declaration, inOrder.declaration,
      notify.declaration,
      pool.declaration, key.declaration,
      Option.root.declaration,
    ] + FarmConnection.options + [Flag.json.declaration, Flag.quiet.declaration],
    examples: [
      Example("sheaf submit cut.json --watch -o out.mp4", "Submit, wait, and save the file"),
      Example(
        "sheaf submit cut.json", "Submit only; continue with `sheaf watch` and `sheaf fetch`"),
    ])

  private let farm: FarmConnection
  private let project: String
  private let roots: [String]
  private let watches: Bool
  private let output: String?
  private let mayReplace: Bool
  private let sharesMedia: Bool
  private let priority: Int?
  private let rerenders: Bool
  private let inOrder: Bool
  private let notify: String?
  private let pool: String?
  private let key: IdempotencyKey
  /// Whether the command generated the key, so that the user does not know it yet.
  private let isNewKey: Bool
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    farm = try FarmConnection(arguments)
    project = arguments.operand
    roots = try arguments.values(.root)
    output = try arguments.value(.output)
    watches = arguments.has(Self.watch) || output != nil
    mayReplace = arguments.has(.overwrite)
    sharesMedia = arguments.has(Self.sharesMedia)
    priority = try arguments.value(Self.priority)
    rerenders = arguments.has(Self.rerenders)
    inOrder = arguments.has(Self.inOrder)
    notify = try arguments.value(Self.notify)
    pool = try arguments.value(Self.pool)
    let givenKey = try arguments.value(Self.key)
    key = givenKey ?? .random()
    isNewKey = givenKey == nil
    if isNewKey {
      farm.resume(with: "\(farm.contact.resumption) --idempotency-key \(key.value)")
    }
    format = ResultFormat(arguments)
    // Rejects an invalid output path before the project is read.
    if let output { _ = try OutputPath(output, mayReplace: mayReplace) }
  }

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    let (job, output) = try await Interruption.guarding {
      try await submit(showing: display, on: console)
    }
    display.clear()
    guard watches else {
      return format == .json ? try console.print(json: job) : try console.print(job.id)
    }
    // Printed before the command can lose the job. Standard output is for the result only.
    if output == nil, format != .json {
      try console.print(job.id)
    } else if format != .none {
      console.report("job \(job.id)")
    }
    try await Interruption.guarding(
      on: console, saying: "the job continues: \(farm.command("watch", job.id))"
    ) {
      try await follow(job, to: output, showing: display, on: console)
    }
  }

  /// Reads and submits the project.
  private func submit(
    showing display: ProgressDisplay, on console: Console
  ) async throws -> (JobStatus, OutputPath?) {
    let draft = try await ProjectFile.read(project)
    let files = try await draft.files(under: roots)
    // This process may hold a token, and opens no file before it is known to be media.
    let hashed = HashedMedia(
      Set(files.values), waiting: true, listingBlocks: false, cache: await MediaCache.opened())
    do {
      return try await submit(draft, hashed, showing: display, on: console)
    } catch {
      await hashed.cancel()
      throw error
    }
  }

  private func submit(
    _ draft: ProjectFile, _ hashed: HashedMedia, showing display: ProgressDisplay,
    on console: Console
  ) async throws -> (JobStatus, OutputPath?) {
    let project = try await draft.checked(roots: roots, mayLackFonts: true, hashed: hashed)
    console.report(project.warnings)
    let output = try output.map { try OutputPath($0, for: project, mayReplace: mayReplace) }
    if isNewKey {
      // If the command is killed after it has sent the submission, only this line has the key.
      console.report("if this is interrupted, continue with: \(farm.contact.resumption)")
    }
    display.show(.hashing)
    hashed.begin()
    let job = try await Submission(project, to: farm, display: display).submit(
      sharingMedia: sharesMedia, hashed: hashed.assets(), priority: priority,
      rerenders: rerenders, inOrder: inOrder, notify: notify, pool: pool, under: key)
    return (job, output)
  }

  /// Follows the job to its end, and saves its file.
  private func follow(
    _ job: JobStatus, to output: OutputPath?, showing display: ProgressDisplay, on console: Console
  ) async throws {
    farm.resume(
      with: farm.command("watch", job.id)
        + (output.map { " && \(farm.command("fetch", job.id, "-o", $0.path))" } ?? ""))
    let finished = try await farm.listingConcealed(
      Submission.finish(job, at: farm, showing: display))
    guard let output else {
      display.clear()
      if format == .json { return try console.print(json: finished) }
      if format == .text, console.isForPeople { try console.print(summaryOf: finished, at: farm) }
      return
    }
    farm.resume(with: farm.command("fetch", job.id, "-o", output.path))
    try await OutputFetch(from: farm, display: display).fetch(finished, to: output)
    display.clear()
    try await console.print(FinishedFile(finished, at: output), in: format)
  }
}

extension IdempotencyKey: ArgumentValue {
  package static var expectation: String { "1 to 128 visible ASCII characters" }

  package init?(argument: String) { self.init(argument) }
}
