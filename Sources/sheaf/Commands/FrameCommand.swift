import Arguments
import Planning
import Preparation
import Timeline

/// `sheaf frame`: saves one frame of a project as a picture.
struct FrameCommand: Command {
  private static let time = Option<TimeArgument>(
    "at", value: "TIME",
    help: "The time in the finished film: seconds, 00:01:30, or 00:01:30:12 with frames")
  private static let picture = Option(
    "output", letter: "o", value: "FILE", expecting: "a path",
    help: "Where to save the picture: a name ending in .png or .jpg"
  ) { $0 }

  static let syntax = CommandSyntax(
    program: "sheaf", name: "frame", summary: "Save a frame of a project as a picture",
    operand: Operand(
      "INPUT", kind: .file, help: "A project file ending in .json, or a media file"),
    options: [
      time.declaration.required(), picture.declaration.required(), Flag.overwrite.declaration,
      Option.root.declaration,
      Flag("json", help: "Print the frame's number, exact time and size as JSON").declaration,
    ],
    examples: [
      Example(
        "sheaf frame cut.json --at 00:00:02 -o x.png",
        "Save the frame that is shown after two seconds")
    ])

  private let input: String
  private let time: TimeArgument
  private let output: PicturePath
  private let mayReplace: Bool
  private let roots: [String]
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    input = arguments.operand
    time = try arguments.required(Self.time)
    mayReplace = arguments.has(.overwrite)
    roots = try arguments.values(.root)
    printsJSON = arguments.has(.json)
    output = try PicturePath(
      arguments.required(Self.picture), inputs: [input], mayReplace: mayReplace)
  }

  private struct Report: Encodable {
    var path: String
    var frame: Int
    var time: RationalTime
    var width: Int
    var height: Int
  }

  func run(on console: Console) async throws {
    let (frame, stills) = try await Interruption.guarding {
      let stills = try await ProjectStills.read(input, roots: roots) { files in
        _ = try PicturePath(output.path, inputs: files, mayReplace: mayReplace)
      }
      let frame = try stills.frame(at: time, for: "--at")
      try await stills.write([frame], as: .picture, to: output)
      return (frame, stills)
    }
    let size = stills.plan.display.size
    if printsJSON {
      return try console.print(
        json: Report(
          path: output.path, frame: frame, time: stills.time(of: frame), width: size.width,
          height: size.height))
    }
    try console.print(
      prose: "\(OutputPath.shown(output.path)): frame \(frame) at \(stills.timeText(of: frame)), "
        + "\(size.width)x\(size.height)")
  }
}
