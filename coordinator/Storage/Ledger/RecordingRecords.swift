import FarmAPI
import Foundation
import Recording

/// A change of a recording, as the ledger records it.
package enum RecordingChange: Hashable, Sendable {
  /// The recording was accepted, under a key if the client sent one.
  case accepted(RecordingSubmission, by: String?, key: String?, at: Date)
  /// Its source is closed, and its files are being made. The ledger forgets its passphrase. If it failed, the failure
  /// states the reason.
  case finishing(JobFailure?)
  case partBegan(RecordedPart)
  /// A fragment of a part is complete on the disk.
  case fragmentWritten(part: Int, RecordedFragment)
  /// An excerpt was made, and is stored as an asset.
  case excerptMade(RecordedExcerpt)
  /// The part with this number ended, with these losses.
  case partEnded(Int, RecordingLosses)
  /// A stream of the source is not recorded, for this reason.
  case streamIgnored(String)
  /// The recording ended with these files. The ledger forgets its passphrase. If it failed, the failure states the
  /// reason.
  case ended([OutputFile], JobFailure?, at: Date)
  case deleted
}

/// A fragment and the part that it belongs to.
package struct StoredFragment: Hashable, Sendable {
  /// The part's ``RecordedPart/number``.
  package var part: Int
  package var fragment: RecordedFragment

  package init(part: Int, fragment: RecordedFragment) {
    self.part = part
    self.fragment = fragment
  }
}

/// The ledger's records of recordings.
package protocol RecordingRecords {
  /// The latest 1,000 recordings, newest first, without their gaps.
  ///
  /// - Parameter submitter: only those of this submitter; `nil` for all.
  func recordings(of submitter: String?) throws -> [RecordingStatus]

  /// The recordings that have not ended, oldest first.
  func unfinishedRecordings() throws -> [RecordingStatus]

  /// A recording; `nil` if there is none.
  func recording(_ id: String) throws -> RecordingStatus?

  /// The passphrase of a recording whose source is still open; `nil` if it has none.
  func passphrase(ofRecording id: String) throws -> RecordingPassphrase?

  /// The id of the recording that a submitter started under a key; `nil` if there is none.
  func recording(under key: String, by submitter: String?) throws -> String?

  /// The fragments of a recording, in order.
  func fragments(ofRecording id: String) throws -> [StoredFragment]

  /// The fragments of a recording, in order, from the one with this number in this part on.
  func fragments(ofRecording id: String, from part: Int, _ number: Int) throws -> [StoredFragment]

  /// The excerpts of a recording that were made, in order.
  func excerpts(ofRecording id: String) throws -> [RecordedExcerpt]

  /// A fragment of a part of a recording, by its number; `nil` if there is none.
  func fragment(_ number: Int, ofPart part: Int, ofRecording id: String) throws -> RecordedFragment?
}
