import Arguments
import Planning
import Preparation
import Timeline

/// `sheaf contact-sheet`: saves a sheet of a film's frames with their times.
struct ContactSheetCommand: Command {
  private static let picture = Option(
    "output", letter: "o", value: "FILE", expecting: "a path",
    help: "Where to save the sheet: a name ending in .png or .jpg"
  ) { $0 }
  private static let columns = Option<Int>(
    "columns", value: "N", in: 1...100, help: "The number of frames in a row (default: 5)")
  private static let count = Option<Int>(
    "frames", value: "N", in: 1...mostFrames,
    help: "The number of evenly spaced frames (default: 20)")
  private static let interval = Option<TimeArgument>(
    "every", value: "TIME",
    help: "Show the first frame and one after every TIME, e.g. 10 or 00:00:01:12, instead of "
      + "--frames")
  private static let width = Option<Int>(
    "width", value: "PIXELS", in: 100...16_384,
    help: "The width of the sheet in pixels (default: 1600)")

  /// The greatest number of frames of a sheet.
  private static let mostFrames = 1000

  static let syntax = CommandSyntax(
    program: "sheaf", name: "contact-sheet",
    summary: "Save a sheet of a film's frames with their times",
    operand: Operand(
      "INPUT", kind: .file, help: "A project file ending in .json, or a media file"),
    options: [
      picture.declaration.required(), Flag.overwrite.declaration, columns.declaration,
      count.declaration, interval.declaration, width.declaration, Option.root.declaration,
      Flag("json", help: "Print the frames' numbers and exact times as JSON").declaration,
    ],
    examples: [
      Example("sheaf contact-sheet cut.json -o sheet.png", "Show 20 frames of a project"),
      Example(
        "sheaf contact-sheet film.mp4 --every 10 --columns 4 -o sheet.jpg",
        "Show a frame of a finished film for every ten seconds"),
    ])

  private let input: String
  private let output: PicturePath
  private let mayReplace: Bool
  private let columns: Int
  private let count: Int
  private let interval: TimeArgument?
  private let width: Int
  private let roots: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    input = arguments.operand
    mayReplace = arguments.has(.overwrite)
    columns = try arguments.value(Self.columns) ?? 5
    count = try arguments.value(Self.count) ?? 20
    interval = try arguments.value(Self.interval)
    width = try arguments.value(Self.width) ?? 1600
    roots = try arguments.values(.root)
    printsJSON = arguments.has(.json)
    if interval != nil, arguments.has(Self.count.declaration) {
      throw UsageError(
        "use either --frames or --every", on: "--every", command: Self.syntax.invocation)
    }
    output = try PicturePath(
      arguments.required(Self.picture), inputs: [input], mayReplace: mayReplace)
  }

  private struct Report: Encodable {
    struct Frame: Encodable {
      var frame: Int
      var time: RationalTime
    }
    var path: String
    var width: Int
    var height: Int
    var frames: [Frame]
  }

  func run(on console: Console) async throws {
    let report = try await Interruption.guarding {
      let stills = try await ProjectStills.read(input, roots: roots) { files in
        _ = try PicturePath(output.path, inputs: files, mayReplace: mayReplace)
      }
      let numbers = try numbers(of: stills)
      let layout = try layout(of: numbers.count, showing: stills.plan.display.size)
      try await stills.write(
        numbers, as: .sheet(layout, labels: numbers.map(stills.timeText(of:))), to: output)
      return Report(
        path: output.path, width: layout.size.width, height: layout.size.height,
        frames: numbers.map { .init(frame: $0, time: stills.time(of: $0)) })
    }
    if printsJSON { return try console.print(json: report) }
    let noun = report.frames.count == 1 ? "frame" : "frames"
    try console.print(
      prose: "\(OutputPath.shown(output.path)): \(report.frames.count) \(noun), "
        + "\(report.width)x\(report.height)")
  }

  private func numbers(of stills: ProjectStills) throws -> [Int] {
    let plan = stills.plan
    guard let interval else {
      return try FrameChoice.count(count).numbers(
        of: plan.frameCount, frameDuration: plan.frameDuration)
    }
    let subject = "--every \(interval.text)"
    let time = try interval.time(
      at: stills.frameRate, for: "--every", or: "use a time such as 1.5")
    guard time > .zero else {
      throw CommandFailure(.usage, "the interval must be above 0", on: subject)
    }
    let length = Double(plan.frameCount) * plan.frameDuration.seconds
    guard length / time.seconds <= Double(Self.mostFrames) else {
      throw CommandFailure(
        .usage, "the sheet would have more than \(Self.mostFrames) frames", on: subject,
        remedy: "use a longer interval: the film is \(stills.timeText(of: plan.frameCount)) long")
    }
    return try FrameChoice.every(time).numbers(
      of: plan.frameCount, frameDuration: plan.frameDuration)
  }

  private func layout(of count: Int, showing frame: PixelSize) throws -> SheetLayout {
    do throws(SheetError) {
      return try SheetLayout(of: count, columns: columns, width: width, showing: frame)
    } catch {
      switch error {
      case .narrow:
        throw CommandFailure(
          .usage, "the frames would be narrower than \(SheetLayout.leastWidth) pixels",
          on: "--width \(width)", remedy: "use a larger width or fewer --columns")
      case .high(let height):
        throw CommandFailure(
          .usage,
          "the sheet would be \(height) pixels high, more than \(SheetLayout.greatestHeight)",
          on: "--width \(width)", remedy: "use more --columns, fewer frames or a smaller width")
      }
    }
  }
}
