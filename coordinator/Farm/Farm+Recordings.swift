import FarmAPI
import Foundation
import Recording

/// Recordings, whose state the farm keeps in its ledger.
extension Farm {
  /// The maximum number of recordings that run at a time.
  static let recordingLimit = 32

  /// Accepts a recording, or returns the one that the caller submitted under the same key.
  ///
  /// - Throws: ``FarmError`` if too many recordings are running.
  func accept(
    _ submission: RecordingSubmission, under key: IdempotencyKey?, by caller: Caller
  ) throws -> (status: RecordingStatus, isNew: Bool) {
    if let key, let earlier = try ledger.recording(under: key.value, by: caller.name) {
      let status = try recording(earlier)
      var known = status.submission
      // The ledger forgets the passphrase once the source is closed.
      known.passphrase =
        status.state.isOpen ? try ledger.passphrase(ofRecording: earlier) : submission.passphrase
      guard known == submission else {
        throw FarmError(
          .keyReused,
          "recording '\(earlier)' was begun under this key with a different body: use another key")
      }
      return (status, isNew: false)
    }
    let running = try unfinishedRecordings()
    guard running.count < Self.recordingLimit else {
      throw FarmError(
        .limitReached,
        "\(running.count) recordings are running, which is the maximum: stop one of them first")
    }
    makeRoom()
    try space.assure()
    let id = Self.newID()
    try write([
      .recording(id, .accepted(submission, by: caller.name, key: key?.value, at: clock.date()))
    ])
    var fields: LogFields = ["recording": id, "source": submission.source.description]
    fields.add("caller", caller.name)
    log.info("recording \(submission.name) accepted", fields)
    return (try recording(id), isNew: true)
  }

  /// Records in the ledger that a recording is to end, so that it ends even if the coordinator crashes first.
  ///
  /// - Returns: the recording; `nil` if it has ended. A recording that failed without files, for example because the
  ///   disk was full, ends again, because its fragments still exist.
  func beginEnd(ofRecording id: String, for caller: Caller) throws -> RecordingStatus? {
    let status = try recording(id, for: caller)
    let isRevived = status.state == .failed && status.outputs.isEmpty && status.byteCount > 0
    guard !status.state.isFinal || isRevived else { return nil }
    try note([.finishing(status.failure)], ofRecording: id)
    return try recording(id)
  }

  /// The recordings that a caller may see, newest first.
  func recordings(for caller: Caller) throws -> [RecordingStatus] {
    try ledger.recordings(of: caller.confinement)
  }

  /// A recording.
  ///
  /// - Throws: ``FarmError`` if it does not exist or the caller may not see it.
  func recording(_ id: String, for caller: Caller = .local) throws -> RecordingStatus {
    guard let status = try ledger.recording(id),
      caller.confinement == nil || caller.confinement == status.submitter
    else { throw FarmError.notFound("recording", id) }
    return status
  }

  /// The recordings that have not ended.
  func unfinishedRecordings() throws -> [RecordingStatus] { try ledger.unfinishedRecordings() }

  /// Whether there is a recording with an id.
  func knows(recording id: String) throws -> Bool { try ledger.recording(id) != nil }

  /// The fragments of a recording, in order.
  func fragments(ofRecording id: String) throws -> [StoredFragment] {
    try ledger.fragments(ofRecording: id)
  }

  /// The fragments of a recording, in order, from one of a part on.
  func fragments(
    ofRecording id: String, from part: Int, _ number: Int
  ) throws -> [StoredFragment] {
    try ledger.fragments(ofRecording: id, from: part, number)
  }

  /// The excerpts of a recording that were made, in order.
  func excerpts(ofRecording id: String) throws -> [RecordedExcerpt] {
    try ledger.excerpts(ofRecording: id)
  }

  /// A fragment of a part of a recording, by its number; `nil` if there is none.
  func fragment(
    _ number: Int, ofPart part: Int, ofRecording id: String
  ) throws -> RecordedFragment? {
    try ledger.fragment(number, ofPart: part, ofRecording: id)
  }

  /// The passphrase of a recording whose source is still open; `nil` if it has none.
  func passphrase(ofRecording id: String) throws -> RecordingPassphrase? {
    try ledger.passphrase(ofRecording: id)
  }

  func note(_ changes: [RecordingChange], ofRecording id: String) throws {
    try write(changes.map { .recording(id, $0) })
  }
}
