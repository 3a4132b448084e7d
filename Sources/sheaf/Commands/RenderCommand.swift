import Arguments
import FarmAPI
import Foundation
import Timeline

/// `sheaf render`: renders a project or clips on a temporary farm on this machine.
struct RenderCommand: Command {
  private static let transition = Option<TransitionArgument>(
    "transition", value: "KIND:SECONDS[:DIRECTION|:COLOR|:IMAGE]", isRepeatable: true,
    help: "The transition between clips, e.g. dissolve:1, push:1/2:left or fade:1:#ffffff; give it "
      + "once for all joins, or once per join")
  private static let easing = Option<TimingFunction>(
    "easing", value: "CURVE",
    help: "Easing of transitions: linear, default, easeIn, easeOut, easeInEaseOut or x1,y1,x2,y2")
  private static let softness = Option<Double>(
    "softness", value: "N", in: 0...1, help: "The edge softness of wipes and irises, 0 to 1")
  private static let fit = Option<Fit>(
    "fit", choice: "MODE",
    help: "How to fit clips with a different aspect ratio: contain, cover or blur")
  private static let frameRate = Option<FrameRateArgument>(
    "frame-rate", value: "RATE",
    help:
      "Frames per second, e.g. 25 or 30000/1001 (default: a standard rate that shows every frame)")
  private static let size = Option<PixelSize>(
    "size", value: "WxH", help: "The output size in pixels, e.g. 1920x1080, 720p, 1080p or 4k")
  private static let stillDuration = Option<TimeArgument>(
    "still-duration", value: "TIME",
    help: "How long to show each still image, e.g. 2.5 or 00:00:05 (default: 5)")
  private static let preset = Option<ExportPreset>.preset(
    help: "The export preset for clips, e.g. 1080p or hevc1920x1080 (default: automatic, which "
      + "copies what it can; highestQuality with --crf or --encoder-preset)")
  private static let rateFactor = Option<Double>(
    "crf", value: "N", in: 0...51,
    help: "The libx264 CRF for clips, 0 to 51; lower is better quality")
  private static let encoderPreset = Option<String>(
    "encoder-preset", value: "NAME", kind: .choice(VideoSettings.encoderPresets),
    help: "The libx264 preset for clips, ultrafast to placebo")
  private static let workers = Option<Int>(
    "workers", value: "N", in: 1...1024,
    help: "Render N × --slots segments at a time: at most 256, and only as many as fit in memory "
      + "together (default: the number of CPUs)")
  private static let slots = Option<Int>(
    "slots", value: "N", in: 1...1024,
    help: "The factor by which --workers is multiplied (default: 1)")
  private static let memory = Option<Int>(
    "memory", value: "BYTES", in: (64 << 20)...(1 << 50), of: "bytes",
    help: "The maximum memory for all segments that are rendered at a time (default: the "
      + "machine's, minus 10% or 512 MiB, whichever is larger)")
  private static let assetURL = Option<AssetOrigin>(
    "asset-url", value: "ORIGIN", isRepeatable: true,
    help: "Allow assets from ORIGIN, e.g. https://media.example.com; may be repeated")
  private static let allowsPrivate = Flag(
    "allow-private-asset-addresses",
    help: "Also allow assets from private addresses, such as this machine's")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "render", summary: "Render a project or clips on this machine",
    operand: Operand(
      "INPUT", .oneOrMore, kind: .file,
      help: "A project file ending in .json, or clips and still images"),
    options: [
      Option.renderedOutput.declaration.required(), Flag.overwrite.declaration, workers.declaration,
      slots.declaration, memory.declaration, transition.declaration, easing.declaration,
      softness.declaration,
      fit.declaration, frameRate.declaration, size.declaration, stillDuration.declaration,
      preset.declaration, rateFactor.declaration, encoderPreset.declaration,
      Option.root.declaration, assetURL.declaration,
      allowsPrivate.declaration, Flag.json.declaration, Flag.quiet.declaration,
    ],
    examples: [
      Example("sheaf render cut.json -o out.mp4 --workers 2", "Render two segments at a time"),
      Example(
        "sheaf render a.mp4 b.mp4 --transition dissolve:1 -o out.mp4",
        "Render two clips with a one-second dissolve between them"),
    ])

  private enum Input: Sendable {
    case project(String)
    case clips(ClipList)
  }

  private let input: Input
  private let output: String
  private let mayReplace: Bool
  private let workers: Int
  private let slots: Int
  private let memory: Int?
  private let roots: [String]
  private let sources: [String]
  private let format: ResultFormat

  init(_ arguments: ParsedArguments) throws {
    output = try arguments.required(.renderedOutput)
    mayReplace = arguments.has(.overwrite)
    workers =
      try arguments.value(Self.workers) ?? ProcessInfo.processInfo.activeProcessorCount
    slots = try arguments.value(Self.slots) ?? 1
    memory = try arguments.value(Self.memory)
    roots = try arguments.values(.root)
    sources =
      try arguments.values(Self.assetURL).flatMap { ["--asset-url", $0.description] }
      + (arguments.has(Self.allowsPrivate) ? ["--allow-private-asset-addresses"] : [])
    format = ResultFormat(arguments)
    let inputs = arguments.operands
    let isProject = inputs.contains { $0.lowercased().hasSuffix(".json") }
    // The whole command line is checked before any file is accessed.
    var clips = try isProject ? nil : Self.clips(arguments)
    if isProject { try Self.checkProjectArguments(arguments) }
    let path = try OutputPath(output, inputs: inputs, mayReplace: mayReplace)
    clips?.fileType = path.fileType
    input = clips.map(Input.clips) ?? .project(inputs[0])
  }

  private static func clips(_ arguments: ParsedArguments) throws -> ClipList {
    let frameRate = try arguments.value(frameRate)?.value
    let stillDuration = try (arguments.value(Self.stillDuration) ?? TimeArgument(RationalTime(5)))
      .time(
        at: frameRate, for: "--\(Self.stillDuration.declaration.name)",
        or: "give --frame-rate, or a time such as 1.5")
    guard stillDuration > .zero else {
      throw UsageError(
        "--\(Self.stillDuration.declaration.name) must be above 0", on: "\"\(stillDuration)\"",
        command: syntax.invocation)
    }
    return try ClipList(
      clips: arguments.operands,
      transitions: arguments.values(transition).map { try $0.timed(at: frameRate) },
      style: ClipStyle(
        fit: arguments.value(fit), easing: arguments.value(easing),
        softness: arguments.value(softness)),
      renderSize: arguments.value(size), frameRate: frameRate,
      stillDuration: stillDuration, fileType: .mp4, preset: arguments.value(preset)?.name,
      rateFactor: arguments.value(rateFactor), encoderPreset: arguments.value(encoderPreset))
  }

  private static func checkProjectArguments(_ arguments: ParsedArguments) throws {
    if arguments.operands.count > 1 {
      throw UsageError(
        "a project file must be the only input", on: arguments.operands[1],
        command: syntax.invocation)
    }
    for option in clipOptions where arguments.has(option) {
      throw UsageError(
        "the option applies only to clips; set it in the project", on: "--\(option.name)",
        command: syntax.invocation)
    }
  }

  private static let clipOptions = [
    transition.declaration, easing.declaration, softness.declaration, fit.declaration,
    frameRate.declaration, size.declaration, stillDuration.declaration, preset.declaration,
    rateFactor.declaration, encoderPreset.declaration,
  ]

  func run(on console: Console) async throws {
    let display = ProgressDisplay(on: console, isQuiet: format == .none)
    do {
      let file = try await Interruption.guarding { try await render(showing: display) }
      let elapsed = display.elapsed
      display.clear()
      try await console.print(file, in: format, elapsed: elapsed)
    } catch {
      display.clear()
      throw error
    }
  }

  private func render(showing display: ProgressDisplay) async throws -> FinishedFile? {
    let draft = try await draft()
    let files = try await draft.files(under: roots)
    return try await LocalRendering(
      workers: workers, slots: slots, memory: memory, sources: sources
    )
    .render(
      files: files.values,
      to: OutputPath(output, inputs: Array(draft.paths.values), mayReplace: mayReplace),
      showing: display
    ) { hashed in
      let project = try await prepared(draft, Set(files.values), hashed)
      display.console.report(project.warnings)
      _ = try OutputPath(output, for: project, mayReplace: mayReplace)
      return project
    }
  }

  /// The project, whose media has not been read. Whether an image is a still is not known yet.
  private func draft() async throws -> ProjectFile {
    switch input {
    case .project(let file): try await ProjectFile.read(file)
    case .clips(let clips): try await sketch(of: clips)
    }
  }

  private func sketch(of clips: ClipList) async throws -> ProjectFile {
    try await ProjectFile.make(
      Array(clips.document().utf8), name: URL(fileURLWithPath: output).lastPathComponent,
      directory: FileManager.default.currentDirectoryPath, naming: clips.names)
  }

  /// Reads the media, and returns the project if it has no problems.
  ///
  /// - Parameter files: the files that may be read.
  private func prepared(
    _ draft: ProjectFile, _ files: Set<String>, _ hashed: HashedMedia
  ) async throws -> ProjectFile {
    switch input {
    case .project: return try await draft.checked(roots: roots, hashed: hashed)
    case .clips(var clips):
      let named = Set(clips.clips.filter(ClipList.isImage))
      let images = draft.paths.filter { named.contains($0.key) && files.contains($0.value) }
      let indexes = try await LocalMedia(hashed: hashed).indexes(of: images).indexes
      for (image, index) in indexes {
        if index.isStillImage { clips.stills.insert(image) } else { clips.stills.remove(image) }
      }
      return try await sketch(of: clips).checked(roots: roots, naming: clips.names, hashed: hashed)
    }
  }
}

extension AssetOrigin: ArgumentValue {
  package static var expectation: String {
    "a scheme and a host, such as https://media.example.com or https://*.example.com"
  }

  package init?(argument: String) { self.init(argument) }
}
