import FarmAPI
import Planning

extension FailureReport {
  /// Creates the report on a segment whose list of concealments is too long to deliver. Returns `nil` if it is not.
  package init?(
    ofTooMany concealments: [Concealment], in segment: SegmentDescription
  ) throws {
    let byteCount = try ConcealmentList(concealments).encoded().count
    guard byteCount > ConcealmentList.byteLimit else { return nil }
    let names = Set(segment.sources.map(\.name)).sorted().joined(separator: ", ")
    self.init(
      code: .tooManyConcealments,
      message: "output frames \(segment.first) to \(segment.end - 1) would conceal "
        + "\(concealments.count) separate parts of damaged media, which is more than a job can "
        + "list: repair or replace the media: \(names)", isPermanent: true)
  }
}
