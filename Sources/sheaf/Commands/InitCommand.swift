import Arguments
import Foundation
import ProjectFormat
import Timeline

/// `sheaf init`: writes a project with comments from the media in a folder.
struct InitCommand: Command {
  private static let project = Option(
    "output", letter: "o", value: "FILE", expecting: "a path",
    help: "Where to save the project (default: project.json in FOLDER)"
  ) { $0 }
  private static let overwrite = Flag.overwrite.also("force")

  static let syntax = CommandSyntax(
    program: "sheaf", name: "init",
    summary: "Write a commented project from the clips in a folder",
    operand: Operand(
      "FOLDER", .optional, kind: .directory,
      help: "The folder with clips, pictures and music (default: the current one)"),
    options: [project.declaration, overwrite.declaration, Flag.json.declaration],
    examples: [
      Example("sheaf init holiday", "Write holiday/project.json with all clips in holiday"),
      Example("sheaf init rushes -o cut.json", "Save the project elsewhere"),
    ])

  private let folder: String
  private let output: String
  private let mayReplace: Bool
  private let printsJSON: Bool

  init(_ arguments: ParsedArguments) throws {
    folder = arguments.operands.first ?? "."
    mayReplace = arguments.has(Self.overwrite)
    printsJSON = arguments.has(.json)
    output =
      try arguments.value(Self.project)
      ?? URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent("project.json")
      .relativePath
    guard output.lowercased().hasSuffix(".json") else {
      throw UsageError(
        "the name of a project must end in .json", on: "--output \(output)",
        command: Self.syntax.invocation)
    }
  }

  private struct Report: Encodable {
    var path: String
    var clips: [String]
    var music: [String]
    var skipped: [FolderMedia.Skipped]
  }

  func run(on console: Console) async throws {
    let path = URL(fileURLWithPath: output).standardizedFileURL.path
    let (media, sketch) = try await Interruption.guarding {
      try FolderMedia.check(folder)
      try OutputPath.checkPlace(
        URL(fileURLWithPath: output), as: output, mayReplace: mayReplace)
      var media = try await FolderMedia.read(folder, except: path)
      let sketch = try await usable(&media, at: path)
      return (media, sketch)
    }
    do {
      try Data(sketch.text.utf8).write(
        to: URL(fileURLWithPath: path), options: mayReplace ? .atomic : .withoutOverwriting)
    } catch {
      throw CommandFailure(
        .failed, "cannot write the output", on: output, remedy: error.localizedDescription)
    }
    if printsJSON {
      return try console.print(
        json: Report(
          path: path, clips: media.clips.map(\.name), music: media.sounds.map(\.name),
          skipped: media.skipped))
    }
    report(media, on: console)
    let shown = OutputPath.shown(path)
    try console.print(prose: "\(shown): \(Self.count(media.clips))")
    try console.print("check it:  sheaf validate \(Self.argument(shown))")
    try console.print(
      "render it: sheaf render \(Self.argument(shown)) -o \(Self.argument(sketch.title + ".mp4"))")
  }

  /// The project of all clips that pass validation. The others are moved to the skipped files.
  private func usable(_ media: inout FolderMedia, at path: String) async throws -> ProjectSketch {
    while true {
      guard !media.clips.isEmpty else { throw nothing(in: media) }
      let sketch = sketch(of: media, at: path)
      do {
        _ = try await LocalProject.check(
          ProjectFile(
            Array(sketch.text.utf8), name: sketch.name,
            directory: URL(fileURLWithPath: path).deletingLastPathComponent().path),
          roots: [])
        return sketch
      } catch let error as ProjectError {
        let findings = error.findings.compactMap { finding in
          media.clips.indices.first { finding.path.isWithin("sequence[\($0)]") }.map {
            (place: $0, finding: finding)
          }
        }
        guard !findings.isEmpty else { throw CommandFailure.invalidProject(error.lines) }
        for place in Set(findings.map(\.place)).sorted(by: >) {
          let item = media.clips.remove(at: place)
          let problem = findings.first { $0.place == place }?.finding.problem ?? ""
          media.skipped.append(.init(file: item.name, reason: problem))
        }
      }
    }
  }

  private func sketch(of media: FolderMedia, at path: String) -> ProjectSketch {
    let folder = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL
    let prefix = Self.relative(
      folder.path, to: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    func named(_ name: String) -> String {
      // A name with a colon could be taken for a protocol.
      let isPlain = prefix.isEmpty && !name.contains(":")
      return isPlain ? name : (prefix.isEmpty ? "./" : prefix) + name
    }
    return ProjectSketch(
      title: folder.lastPathComponent == "/" ? "film" : folder.lastPathComponent,
      name: URL(fileURLWithPath: path).lastPathComponent,
      clips: media.clips.map {
        .init(
          path: named($0.name), about: Self.description(of: $0.index),
          isStill: $0.index.isStillImage)
      }, sounds: media.sounds.map { named($0.name) })
  }

  /// The path of a folder as seen from another one, with a slash at the end; empty for the folder itself.
  private static func relative(_ folder: String, to other: String) -> String {
    let own = folder.split(separator: "/"), others = other.split(separator: "/")
    let common = zip(own, others).prefix { $0 == $1 }.count
    let parts =
      Array(repeating: "..", count: others.count - common) + own.dropFirst(common).map(String.init)
    return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
  }

  private static func description(of index: MediaIndex) -> String {
    guard let video = index.video.first else { return "" }
    let bounds = video.orientedBounds
    let size = "\(Int(bounds.width.rounded()))x\(Int(bounds.height.rounded()))"
    if index.isStillImage { return "picture, \(size)" }
    let rate = video.nominalFrameRate.map { ", \(TimeText.rate($0))" } ?? ""
    return "\(TimeText.seconds(index.duration.seconds)), \(size)\(rate)"
      + (index.audio.isEmpty ? ", no sound" : "")
  }

  private func nothing(in media: FolderMedia) -> CommandFailure {
    let sounds = media.sounds.isEmpty ? "" : ", only sound"
    let others = media.skipped.isEmpty ? "" : ", and no other file in it can be used"
    return CommandFailure(
      .failed, "there are no clips or pictures in the folder\(sounds)\(others)", on: folder,
      remedy: "copy some into it, or name another folder")
  }

  /// The number of notes about single files that are printed.
  private static let mostNotes = 20

  private func report(_ media: FolderMedia, on console: Console) {
    for item in media.sounds {
      console.report("sheaf: \(item.name): sound only, offered as music")
    }
    for item in media.skipped.prefix(Self.mostNotes) {
      console.report("sheaf: \(item.file): left out: \(item.reason)")
    }
    let more = media.skipped.count - Self.mostNotes
    if more > 0 { console.report("sheaf: \(more) more files were left out") }
  }

  private static func count(_ items: [FolderMedia.Item]) -> String {
    let pictures = items.count { $0.index.isStillImage }
    let clips = items.count - pictures
    return [(clips, "clip"), (pictures, "picture")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
  }

  /// A path as a shell reads it.
  private static func argument(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      byte > 0x7F || UnicodeScalar(byte).properties.isAlphabetic
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./".utf8.contains(byte)
    }
    return plain && !text.hasPrefix("-")
      ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
