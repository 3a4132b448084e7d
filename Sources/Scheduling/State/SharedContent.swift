import Planning

/// The content of a segment, and the submitters whose jobs share its chunk. Segments are identical only if both are
/// equal.
struct SharedContent: Hashable, Sendable {
  let content: SegmentContent
  let audience: ReuseAudience
}
