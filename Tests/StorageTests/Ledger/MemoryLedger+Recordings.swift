import FarmAPI
import Foundation
import Recording
import Timeline
import sheaf_coordinator

extension MemoryLedger {
  func recordings(of submitter: String?) throws -> [RecordingStatus] {
    try records.recordings.reversed().filter { submitter == nil || $0.submitter == submitter }
      .map { try $0.status(hasGaps: false) }
  }

  func unfinishedRecordings() throws -> [RecordingStatus] {
    try records.recordings.filter { !$0.state.isFinal }.map { try $0.status(hasGaps: false) }
  }

  func recording(_ id: String) throws -> RecordingStatus? {
    try records.recordings.first { $0.id == id }?.status()
  }

  func recording(under key: String, by submitter: String?) -> String? {
    records.recordings.first { $0.key == key && $0.submitter == submitter }?.id
  }

  func fragment(_ number: Int, ofPart part: Int, ofRecording id: String) -> RecordedFragment? {
    fragments(ofRecording: id).first { $0.part == part && $0.fragment.number == number }?.fragment
  }

  func passphrase(ofRecording id: String) throws -> RecordingPassphrase? {
    records.recordings.first { $0.id == id }?.submission.passphrase
  }

  func fragments(ofRecording id: String, from part: Int, _ number: Int) -> [StoredFragment] {
    fragments(ofRecording: id).filter { ($0.part, $0.fragment.number) >= (part, number) }
  }

  func excerpts(ofRecording id: String) -> [RecordedExcerpt] {
    let made = records.recordings.first { $0.id == id }?.excerpts ?? []
    return made.sorted { ($0.range.part, $0.range.first) < ($1.range.part, $1.range.first) }
  }

  func fragments(ofRecording id: String) -> [StoredFragment] {
    records.recordings.first { $0.id == id }?.fragments ?? []
  }
}

/// A recording in memory.
struct MemoryRecording {
  let id: String
  var submission: RecordingSubmission
  let submitter: String?
  let key: String?
  let createdAt: Date
  var state = RecordingState.preparing
  var endedAt: Date?
  var parts: [(part: RecordedPart, losses: RecordingLosses?)] = []
  var fragments: [StoredFragment] = []
  var excerpts: [RecordedExcerpt] = []
  var ignored: [String] = []
  var failure: JobFailure?
  var outputs: [OutputFile] = []

  /// The recording as the farm reports it.
  func status(hasGaps: Bool = true) throws -> RecordingStatus {
    var status = RecordingStatus(
      id: id, submission: submission, submitter: submitter, createdAt: createdAt)
    status.state = state
    status.endedAt = endedAt
    status.parts = parts.map(\.part)
    for losses in parts.compactMap(\.losses) { status.losses.add(losses) }
    status.byteCount = fragments.reduce(0) { $0 + Int64($1.fragment.byteCount) }
    if let last = fragments.last, let part = parts.first(where: { $0.part.number == last.part }) {
      status.duration = try part.part.start + last.fragment.end
    }
    if hasGaps {
      status.gaps = fragments.flatMap { stored in
        stored.fragment.gaps.map { RecordingStatus.PartGap(part: stored.part, gap: $0) }
      }
    }
    status.ignored = ignored
    status.failure = failure
    status.outputs = outputs
    return status
  }

  mutating func apply(_ change: RecordingChange) {
    switch change {
    case .accepted, .deleted: break
    case .finishing(let failure):
      submission.passphrase = nil
      (state, self.failure, endedAt) = (.finishing, failure, nil)
    case .partBegan(let part):
      parts.append((part, nil))
      if state == .preparing { state = .recording }
    case .fragmentWritten(let part, let fragment):
      fragments.append(StoredFragment(part: part, fragment: fragment))
    case .excerptMade(let excerpt):
      excerpts.removeAll {
        ($0.range.part, $0.range.first) == (excerpt.range.part, excerpt.range.first)
      }
      excerpts.append(excerpt)
    case .partEnded(let number, let losses):
      for index in parts.indices where parts[index].part.number == number {
        parts[index].losses = losses
      }
    case .streamIgnored(let reason):
      if !ignored.contains(reason) { ignored.append(reason) }
    case .ended(let outputs, let failure, let date):
      submission.passphrase = nil
      state = failure == nil ? .finished : .failed
      (self.outputs, self.failure, endedAt) = (outputs, failure?.shortened, date)
    }
  }
}

extension MemoryRecords {
  mutating func apply(_ change: RecordingChange, toRecording id: String) {
    switch change {
    case .accepted(let submission, let submitter, let key, let date):
      recordings.append(
        MemoryRecording(
          id: id, submission: submission, submitter: submitter, key: key, createdAt: date))
    case .deleted: recordings.removeAll { $0.id == id }
    default:
      for index in recordings.indices where recordings[index].id == id {
        recordings[index].apply(change)
      }
    }
  }
}
