import Arguments
import Foundation
import Planning
import Timeline

/// `sheaf probe`: prints the contents of a media file.
struct ProbeCommand: Command {
  static let syntax = CommandSyntax(
    program: "sheaf", name: "probe", summary: "Print the contents of a media file",
    operand: Operand("FILE", help: "The media file"),
    options: [
      Flag("json", help: "Print the whole media index as JSON").declaration,
      verification.declaration,
    ],
    examples: [
      Example("sheaf probe beach.mp4", "Print the streams with their frames and keyframes"),
      Example(
        "sheaf probe --verify beach.mp4",
        "Decode it from the start and from each keyframe; exit with 1 on a problem"),
    ])

  private static let verification = Flag(
    "verify", help: "Decode the whole file; report damage, and frames that differ after a seek")

  private let file: String
  private let printsJSON: Bool
  private let verifies: Bool

  init(_ arguments: ParsedArguments) throws {
    file = arguments.operand
    printsJSON = arguments.has(.json)
    verifies = arguments.has(Self.verification)
  }

  func run(on console: Console) async throws {
    let index: MediaIndex
    switch try await LocalMedia().index(of: file) {
    case .success(let found): index = found
    case .failure(let error): throw error.commandFailure
    }
    if verifies { return try await verify(index, on: console) }
    if printsJSON { return try console.print(json: index) }
    let length =
      index.isStillImage
      ? "still image" : TimeText.time(index.duration, at: index.video.first?.nominalFrameRate)
    try console.print(prose: "\(file): \(index.format), \(length)")
    for (number, stream) in index.video.enumerated() {
      try console.print(prose: "video \(number): \(describe(stream))")
    }
    for (number, stream) in index.audio.enumerated() {
      try console.print(prose: "audio \(number): \(describe(stream))")
    }
  }

  /// Decodes the entire file and reports problems.
  private func verify(_ index: MediaIndex, on console: Console) async throws {
    let streams = try await LocalMedia().verify(file, index: index)
    if printsJSON {
      try console.print(json: streams)
    } else {
      for stream in streams {
        for line in stream.lines { try console.print(line) }
      }
    }
    if streams.contains(where: { !$0.damaged.isEmpty || !$0.differing.isEmpty }) {
      throw CommandFailure(.failed, lines: ["\(file): damaged; see above"])
    }
    guard !streams.isEmpty, streams.allSatisfy(\.isSound) else {
      throw CommandFailure(.failed, lines: ["\(file): not verified; see above"])
    }
  }

  private func describe(_ stream: VideoStream) -> String {
    var parts = [
      stream.codec, "\(stream.size.width)x\(stream.size.height)", stream.pixelFormat,
      "\(stream.frames.times.count) frames", "\(stream.frames.keyframes.count) keyframes",
    ]
    if let rate = stream.nominalFrameRate { parts.append(TimeText.rate(rate)) }
    if stream.pixelAspectRatio != RationalTime(1) {
      parts.append("pixel aspect ratio \(stream.pixelAspectRatio)")
    }
    if stream.orientation.quarterTurns != 0 {
      parts.append("rotated \(stream.orientation.quarterTurns * 90)°")
    }
    if stream.orientation.isMirrored { parts.append("mirrored") }
    if stream.fieldOrder != "progressive", stream.fieldOrder != "unknown" {
      parts.append("interlaced \(stream.fieldOrder)")
    }
    if let reason = stream.unreadable { parts.append("not usable: it \(reason)") }
    return parts.joined(separator: ", ")
  }

  private func describe(_ stream: AudioStream) -> String {
    var parts = [
      stream.codec, "\(stream.sampleRate) Hz", stream.layout,
      "\(stream.channels) channel\(stream.channels == 1 ? "" : "s")",
    ]
    if let reason = stream.unreadable { parts.append("not usable: it \(reason)") }
    return parts.joined(separator: ", ")
  }
}
