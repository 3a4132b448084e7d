import FarmAPI
import Foundation
import Preparation
import Scheduling

/// A job's record in the ledger.
package struct JobRow: Sendable {
  package let id: JobID
  package let number: Int
  package let fingerprint: String?
  /// The part of the job's status that the ledger knows: everything except the segments and the speed.
  package var status: JobStatus
  /// The finished file of a job that was completed and has failed since, because the file is damaged or missing.
  package var lostOutput: OutputFile?
  /// Whether the ledger keeps the job's record from before a retry, so that ``lostOutput`` can complete the job again.
  package let hasRecord: Bool
  /// The job's progress when it ended.
  package let finalProgress: FinalProgress?
  /// The limits that it was accepted under, as JSON. Lists of jobs do not need them.
  private let limitsText: Data?

  /// Creates a job's record.
  ///
  /// - Parameters:
  ///   - output: the file of the job's last completion, even if the file is lost or the job was retried since.
  ///   - limitsText: the limits that the job was accepted under, as JSON.
  package init(
    id: JobID, number: Int, fingerprint: String?, status: JobStatus, output: OutputFile?,
    hasRecord: Bool, finalProgress: FinalProgress?, limitsText: Data?
  ) {
    self.id = id
    self.number = number
    self.fingerprint = fingerprint
    self.status = status
    self.hasRecord = hasRecord
    self.finalProgress = finalProgress
    self.limitsText = limitsText
    if status.state == .completed { self.status.output = output }
    let isLost =
      hasRecord
      ? [.failed, .cancelled].contains(status.state)
      : status.state == .failed && status.failure?.code == .damagedOutput
    lostOutput = isLost ? output : nil
  }

  /// The limits that it was accepted under, if they were recorded.
  package var limits: JobLimits? {
    get throws { try limitsText.map { try FarmCoding.decode(JobLimits.self, from: $0) } }
  }
}

/// A job's progress when it ended. It is stored, so that a list of jobs need not count segments.
package struct FinalProgress: Hashable, Codable, Sendable {
  package var segments: SegmentCounts
  package var framesRendered: Int
  package var segmentsReused: Int
  /// The drawing of its segments; `nil` if it was never planned or an earlier version recorded it.
  package var drawing: SegmentDrawing?

  package init(
    segments: SegmentCounts, framesRendered: Int, segmentsReused: Int,
    drawing: SegmentDrawing? = nil
  ) {
    self.segments = segments
    self.framesRendered = framesRendered
    self.segmentsReused = segmentsReused
    self.drawing = drawing
  }
}
