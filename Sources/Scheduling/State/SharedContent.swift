import Planning

/// What a segment shows, and whose jobs share its chunk. Only segments for which both are equal are rendered once.
struct SharedContent: Hashable, Sendable {
  let content: SegmentContent
  let audience: ReuseAudience
}
