import Crypto
import FarmAPI
import Processes
import Recording
import Threads

extension MediaChildren {
  package func record(
    _ beginning: RecordingBeginning, from descriptors: [Int32]
  ) async throws -> any SourceRecording {
    // A recorder must not wait for other work, or its socket overflows.
    let recording = RecordingChild(
      child: ChildDialogue(
        process("record", answerSize: Self.factsSize, niceness: 0), subject: beginning.name,
        remedy: "check what the source sends"))
    for (index, descriptor) in descriptors.enumerated() {
      let request = index == 0 ? RecordingRequest.begin(beginning) : .attach
      _ = try await recording.child.ask(FarmCoding.encode(request), passing: descriptor)
    }
    return recording
  }

  package func join(_ request: JoiningRequest) async throws -> [WrittenContent] {
    let fragments = request.parts.flatMap(\.fragments)
    let child = ChildDialogue(
      process("join", answerSize: Self.factsSize), subject: request.name,
      remedy: "check the disk of the coordinator's host")
    let encoded = try await LongCoding.run(byteCount: fragments.count << 9) {
      try FarmCoding.encode(request)
    }
    let files = request.parts.flatMap { part in
      part.fragments.map { "\(part.folder)/\($0.fileName)" }
    }
    let answer = try await child.ask(encoded, reading: files)
    // The process ends before its files are used, so that it cannot change them any more.
    await child.end()
    guard case .joined(let contents) = answer else {
      throw JobError(
        .mediaProcessFailed, "\(request.name): the media process returned no result")
    }
    return contents
  }
}

/// A recorder in a child process that lives as long as this object.
struct RecordingChild: SourceRecording {
  let child: ChildDialogue

  /// How long a request waits for events, in milliseconds. A request to stop has to wait that long, too.
  private static let wait = 500

  func next() async throws -> RecordingNews {
    let request = RecordingRequest.next(milliseconds: Self.wait)
    guard case .recorded(let news) = try await child.ask(FarmCoding.encode(request)) else {
      throw JobError(
        .mediaProcessFailed, "\(child.subject): the media process returned no result")
    }
    return news
  }

  func stop() async throws { _ = try await child.ask(FarmCoding.encode(RecordingRequest.stop)) }

  func abandon() async { await child.end() }
}
