import Crypto
import FarmAPI
import Foundation
import Preparation
import ProjectFormat
import Recording
import Timeline

/// Makes the finished files of a recording.
extension RecordingRun {
  /// The folder in which the finished files are made.
  nonisolated var joining: String { "\(shop.recordings.folder(of: id))/joining" }

  /// Joins the fragments. If the process is killed from outside, which says nothing about the recording, another one
  /// tries again.
  private func join(_ request: JoiningRequest) async throws -> [WrittenContent] {
    for _ in 1..<Self.patience {
      do {
        return try await shop.tools.join(request)
      } catch let error as JobError where error.failure.code == .mediaProcessKilled {
        shop.log.error("\(error): trying again", fields)
        try await Task.sleep(for: Self.pause)
      }
    }
    return try await shop.tools.join(request)
  }

  /// Makes the finished files of everything that was committed.
  ///
  /// - Parameter failure: why the recording ended early; set if there are no files.
  func finish(_ failure: inout JobFailure?) async throws -> [OutputFile] {
    let (fragments, known) = try await shop.persist("read the ledger", fields) {
      (
        try await shop.farm.fragments(ofRecording: id), try await shop.farm.recording(id).parts
      )
    }
    guard !fragments.isEmpty else {
      failure =
        failure
        ?? JobFailure(
          code: .nothingRecorded,
          message:
            "nothing was recorded: \(source): check that the source sends a keyframe")
      return []
    }
    let output = "\(joining)/files"
    try await shop.threads.run { [joining] in
      try? FileManager.default.removeItem(atPath: joining)
      try RecordingStore.makeFolder(output)
    }
    let byteCount = fragments.reduce(0) { $0 + Int64($1.fragment.byteCount) }
    let folder: String
    do {
      try await shop.assureRoom(toJoin: byteCount)
      folder = try await shop.lend(fragments, ofRecording: id, at: "\(joining)/parts")
    } catch let error as StorageError where error.code == .full {
      throw JobError(.diskFull, remedied(error))
    }
    let request = JoiningRequest(
      recording: id, parts: known, fragments, in: folder, splitEvery: splitLength, to: output)
    let contents = try await join(request)
    var outputs: [OutputFile] = []
    for (number, content) in contents.enumerated() {
      let name = contents.count > 1 ? "\(name) \(number + 1)" : name
      outputs.append(
        OutputFile(
          fileName: JobRun.fileName(name, .mp4), byteCount: content.byteCount,
          sha256: try await shop.persist("store the file of the recording", fields) {
            try await shop.outputs.take(
              "\(request.output)/\(number).mp4", writtenAs: content,
              as: .output(number, ofRecording: id))
          }))
    }
    return outputs
  }
}

extension JobFailure {
  /// The failure of a recording whose fragments are missing.
  static let recordedFilesMissing = JobFailure(
    code: .coordinator,
    message: "what was recorded is missing: restore the recording's files, then run `sheaf stop`")
}
