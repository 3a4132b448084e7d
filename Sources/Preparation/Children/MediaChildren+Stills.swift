import FarmAPI
import Threads

extension MediaChildren {
  /// The processor time that a frame may take on an idle host, in seconds: decoding from the keyframe before it, and
  /// compositing.
  private static let stillSeconds = 30

  /// Writes a picture of output frames.
  ///
  /// - Throws: ``JobError``.
  package func makeStills(_ request: StillsRequest) async throws {
    try await gate.enter()
    defer { gate.leave() }
    let child = ChildDialogue(
      process("stills", answerSize: Self.factsSize), subject: "the project's frames",
      remedy: "render the project, which shows the part that causes this")
    let answer = try await child.ask(
      FarmCoding.encode(request), reading: request.files.values.map(\.path),
      computing: .seconds(60 + request.frameCount * Self.stillSeconds))
    // The process ends before its file is used, so that it cannot change it any more.
    await child.end()
    guard case .done = answer else {
      throw JobError(
        .mediaProcessDied, "the project's frames: the media process returned no answer")
    }
  }
}
