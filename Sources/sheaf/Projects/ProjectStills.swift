import Crypto
import Foundation
import Planning
import Preparation
import Processes
import ProjectFormat
import Timeline

/// A project, or a movie, whose output frames can be made one by one, as the farm would render them.
struct ProjectStills: Sendable {
  /// The plan of its segments.
  let plan: Plan
  /// The project's files by the digests that the plan has for them.
  private let files: [String: String]
  /// The folder with the pictures of its layers.
  private let layers: TemporaryFolder

  /// Reads, checks and plans a project file, whose name ends in `.json`, or a media file.
  ///
  /// - Parameters:
  ///   - roots: the directories that may contain a project's files. If empty, files may be anywhere.
  ///   - check: called with the paths of the files that are read.
  /// - Throws: ``CommandFailure``, also if there are no frames.
  static func read(
    _ input: String, roots: [String], checking check: ([String]) throws -> Void
  ) async throws -> ProjectStills {
    let layers = try TemporaryFolder.forLayers()
    let local: LocalProject =
      if input.lowercased().hasSuffix(".json") {
        try await LocalProject.read(input, roots: roots, keepingLayersIn: layers)
      } else {
        try await CommandFailure.reporting(naming: ["assets.input": input]) {
          try await LocalProject.check(
            MovieProject.file(of: input), roots: roots, keepingLayersIn: layers)
        }
      }
    let files = Array(local.file.files.values)
    try check(files)
    guard let plan = local.provisionalPlan, plan.frameCount > 0 else {
      throw CommandFailure(
        .failed, "the project has no video", on: input,
        remedy: "its export settings make a file with sound only")
    }
    return ProjectStills(
      plan: plan,
      files: Dictionary(
        files.map { (LocalProject.provisionalDigest(ofFile: $0).description, $0) }
      ) { first, _ in first }, layers: layers)
  }

  /// Frames per second.
  var frameRate: RationalTime? { try? RationalTime(1) / plan.frameDuration }

  /// The time of a frame, from 0, as people read it.
  func timeText(of frame: Int) -> String { TimeText.frames(frame, of: plan.frameDuration) }

  /// The exact time of a frame, from 0, in seconds.
  func time(of frame: Int) -> RationalTime {
    (try? plan.frameDuration * Int64(frame)) ?? .zero
  }

  /// The number, from 0, of the frame that is shown at a time.
  ///
  /// - Throws: ``CommandFailure`` if the film is shorter.
  func frame(at argument: TimeArgument, for option: String) throws -> Int {
    let time = try argument.time(
      at: frameRate, for: option, or: "use a time such as 1.5")
    if time >= .zero, let number = try? time.ticks(of: plan.frameDuration, rounding: .down),
      number < plan.frameCount
    {
      return Int(number)
    }
    throw CommandFailure(
      .usage, "no frame is shown at this time", on: "\(option) \(argument.text)",
      remedy: "the film is \(timeText(of: plan.frameCount)) long, and its last frame is at "
        + timeText(of: plan.frameCount - 1))
  }

  /// Writes a picture of frames, whose numbers count from 0 and ascend.
  ///
  /// - Throws: ``CommandFailure``.
  func write(_ numbers: [Int], as form: StillsRequest.Form, to output: PicturePath) async throws {
    let offset = plan.segments.first?.first ?? 0
    var rest = numbers.map { $0 + offset }[...]
    var frames: [StillsRequest.Frames] = []
    for segment in plan.segments {
      let own = rest.prefix { $0 < segment.end }
      rest = rest.dropFirst(own.count)
      if !own.isEmpty { frames.append(.init(segment: segment, numbers: Array(own))) }
    }
    let folder = try TemporaryFolder.forLayers()
    defer { withExtendedLifetime((folder, layers)) {} }
    let picture = "\(folder.path)/picture"
    try await LocalMedia().makeStills(
      StillsRequest(
        frames: frames, display: plan.display, files: assets(of: frames), form: form,
        format: output.format, output: picture))
    try output.take(picture)
  }

  /// The files of segments' sources, by digest: the project's own, and the pictures of layers.
  private func assets(of frames: [StillsRequest.Frames]) -> [String: AssetFile] {
    var assets: [String: AssetFile] = [:]
    for source in frames.flatMap(\.segment.sources) {
      let digest = source.asset.description
      assets[digest] = AssetFile(
        path: files[digest].map { LocalMedia.resolved($0) } ?? "\(layers.path)/\(digest)")
    }
    return assets
  }
}
