import FarmAPI
import Foundation
import Recording
import SQL
import Timeline

/// Recordings, their parts and their fragments.
extension Ledger {
  func write(_ change: RecordingChange, of id: String) throws {
    switch change {
    case .accepted(let submission, let submitter, let key, let date):
      try database.run(
        """
        INSERT INTO recordings (id, submission, submitter, key, state, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """, id, FarmCoding.encode(submission), submitter, key, RecordingState.preparing.rawValue,
        date.timeIntervalSince1970)
    case .finishing(let failure):
      try forgetPassphrase(of: id)
      try database.run(
        "UPDATE recordings SET state = 'finishing', failure = ?2, ended_at = NULL WHERE id = ?1",
        id, try failure.map { try FarmCoding.encode($0.shortened) })
    case .partBegan(let part):
      try database.run(
        "INSERT INTO recording_parts (recording, number, part) VALUES (?1, ?2, ?3)", id,
        part.number, FarmCoding.encode(part))
      try database.run(
        "UPDATE recordings SET state = 'recording' WHERE id = ?1 AND state = 'preparing'", id)
    case .fragmentWritten(let part, let fragment):
      try database.run(
        """
        INSERT INTO recording_fragments (recording, part, number, bytes, has_gaps, fragment)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """, id, part, fragment.number, fragment.byteCount, fragment.gaps.isEmpty ? 0 : 1,
        FarmCoding.encode(fragment))
    case .excerptMade(let excerpt):
      try database.run(
        """
        INSERT INTO recording_excerpts (recording, part, first_fragment, excerpt)
        VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (recording, part, first_fragment) DO UPDATE SET excerpt = excluded.excerpt
        """, id, excerpt.range.part, excerpt.range.first, FarmCoding.encode(excerpt))
    case .partEnded(let number, let losses):
      try database.run(
        "UPDATE recording_parts SET losses = ?3 WHERE recording = ?1 AND number = ?2", id, number,
        FarmCoding.encode(losses))
    case .streamIgnored(let reason):
      let ignored = try recording(id)?.ignored ?? []
      guard !ignored.contains(reason) else { return }
      try database.run(
        "UPDATE recordings SET ignored = ?2 WHERE id = ?1", id,
        FarmCoding.encode(ignored + [reason]))
    case .ended(let outputs, let failure, let date):
      try forgetPassphrase(of: id)
      let state: RecordingState = failure == nil ? .finished : .failed
      try database.run(
        """
        UPDATE recordings SET state = ?2, outputs = ?3, failure = ?4, ended_at = ?5 WHERE id = ?1
        """, id, state.rawValue, FarmCoding.encode(outputs),
        try failure.map { try FarmCoding.encode($0.shortened) }, date.timeIntervalSince1970)
    case .deleted:
      try database.run("DELETE FROM recordings WHERE id = ?1", id)
    }
  }

  /// Removes the passphrase from a recording's submission.
  private func forgetPassphrase(of id: String) throws {
    guard var submission = try submission(of: id), submission.passphrase != nil else { return }
    submission.passphrase = nil
    try database.run(
      "UPDATE recordings SET submission = ?2 WHERE id = ?1", id, FarmCoding.encode(submission))
  }

  private func submission(of id: String) throws -> RecordingSubmission? {
    try database.first("SELECT submission FROM recordings WHERE id = ?1", id) {
      try FarmCoding.decode(RecordingSubmission.self, from: $0.get("submission"))
    }
  }

  package func passphrase(ofRecording id: String) throws -> RecordingPassphrase? {
    try submission(of: id)?.passphrase
  }

  package func recordings(of submitter: String?) throws -> [RecordingStatus] {
    try database.rows(
      """
      SELECT * FROM recordings WHERE submitter = ?1 OR ?1 IS NULL ORDER BY number DESC LIMIT 1000
      """, submitter
    ) { try Self.status($0) }.map { try completed($0, hasGaps: false) }
  }

  package func unfinishedRecordings() throws -> [RecordingStatus] {
    try database.rows(
      "SELECT * FROM recordings WHERE state NOT IN ('finished', 'failed') ORDER BY number"
    ) { try Self.status($0) }.map { try completed($0, hasGaps: false) }
  }

  package func recording(_ id: String) throws -> RecordingStatus? {
    try database.first("SELECT * FROM recordings WHERE id = ?1", id) { try Self.status($0) }
      .map { try completed($0, hasGaps: true) }
  }

  package func recording(under key: String, by submitter: String?) throws -> String? {
    try database.first(
      "SELECT id FROM recordings WHERE key = ?1 AND coalesce(submitter, '') = coalesce(?2, '')",
      key, submitter
    ) { try $0.get("id") }
  }

  package func fragments(ofRecording id: String) throws -> [StoredFragment] {
    try database.rows(
      "SELECT part, fragment FROM recording_fragments WHERE recording = ?1 ORDER BY part, number",
      id
    ) { try Self.fragment($0) }
  }

  package func fragments(
    ofRecording id: String, from part: Int, _ number: Int
  ) throws -> [StoredFragment] {
    try database.rows(
      """
      SELECT part, fragment FROM recording_fragments
      WHERE recording = ?1 AND (part, number) >= (?2, ?3) ORDER BY part, number
      """, id, part, number
    ) { try Self.fragment($0) }
  }

  package func excerpts(ofRecording id: String) throws -> [RecordedExcerpt] {
    try database.rows(
      """
      SELECT excerpt FROM recording_excerpts WHERE recording = ?1 ORDER BY part, first_fragment
      """, id
    ) { try FarmCoding.decode(RecordedExcerpt.self, from: $0.get("excerpt")) }
  }

  package func fragment(
    _ number: Int, ofPart part: Int, ofRecording id: String
  ) throws -> RecordedFragment? {
    try database.first(
      """
      SELECT part, fragment FROM recording_fragments
      WHERE recording = ?1 AND part = ?2 AND number = ?3
      """, id, part, number
    ) { try Self.fragment($0).fragment }
  }

  private static func fragment(_ row: borrowing Row) throws -> StoredFragment {
    StoredFragment(
      part: try row.get("part"),
      fragment: try FarmCoding.decode(RecordedFragment.self, from: row.get("fragment")))
  }

  /// Reads a row, without the parts and fragments.
  private static func status(_ row: borrowing Row) throws -> RecordingStatus {
    var status = RecordingStatus(
      id: try row.get("id"),
      submission: try FarmCoding.decode(
        RecordingSubmission.self, from: row.get("submission")),
      submitter: try row.get("submitter"),
      createdAt: Date(timeIntervalSince1970: try row.get("created_at")))
    status.state = RecordingState(rawValue: try row.get("state")) ?? .failed
    status.endedAt = (try row.get("ended_at") as Double?).map(Date.init(timeIntervalSince1970:))
    status.ignored =
      try (try row.get("ignored") as Data?).map {
        try FarmCoding.decode([String].self, from: $0)
      } ?? []
    status.failure = try (try row.get("failure") as Data?).map {
      try FarmCoding.decode(JobFailure.self, from: $0)
    }
    status.outputs =
      try (try row.get("outputs") as Data?).map {
        try FarmCoding.decode([OutputFile].self, from: $0)
      } ?? []
    return status
  }

  /// Adds the parts, and the sums over fragments.
  private func completed(_ row: RecordingStatus, hasGaps: Bool) throws -> RecordingStatus {
    var status = row
    let parts = try database.rows(
      "SELECT part, losses FROM recording_parts WHERE recording = ?1 ORDER BY number", row.id
    ) { part in
      (
        try FarmCoding.decode(RecordedPart.self, from: part.get("part")),
        try (try part.get("losses") as Data?).map {
          try FarmCoding.decode(RecordingLosses.self, from: $0)
        }
      )
    }
    status.parts = parts.map(\.0)
    for losses in parts.compactMap(\.1) { status.losses.add(losses) }
    status.byteCount =
      try database.first(
        "SELECT sum(bytes) AS bytes FROM recording_fragments WHERE recording = ?1", row.id
      ) { try $0.get("bytes") as Int64? ?? 0 } ?? 0
    let last = try database.first(
      """
      SELECT part, fragment FROM recording_fragments WHERE recording = ?1
      ORDER BY part DESC, number DESC LIMIT 1
      """, row.id
    ) { try Self.fragment($0) }
    if let last, let start = status.parts.first(where: { $0.number == last.part })?.start {
      status.duration = try start + last.fragment.end
    }
    guard hasGaps else { return status }
    status.gaps = try database.rows(
      """
      SELECT part, fragment FROM recording_fragments WHERE recording = ?1 AND has_gaps = 1
      ORDER BY part, number LIMIT 1000
      """, row.id
    ) { try Self.fragment($0) }
    .flatMap { stored in
      stored.fragment.gaps.map { RecordingStatus.PartGap(part: stored.part, gap: $0) }
    }
    .prefix(1000).map(\.self)
    return status
  }
}
