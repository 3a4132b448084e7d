import Media
import Support
import Testing

/// The lists of references of slices, and the references that they release (ITU-T H.264, 8.2.4 and 8.2.5).
@Suite(.mayBlock) struct ReferenceBufferTests {
  /// A buffer with pictures, whose ids count from 0.
  private func buffer(_ pictures: [(number: Int, order: Int)]) -> ReferenceBuffer {
    var buffer = ReferenceBuffer()
    for (id, picture) in pictures.enumerated() {
      buffer.update(
        releasing: [], adding: .init(id: id, number: picture.number, order: picture.order))
    }
    return buffer
  }

  /// The ids in a slice's lists.
  private func lists(
    of slice: HandmadeSlice, at order: Int, in buffer: ReferenceBuffer
  ) throws -> [[Int?]]? {
    let header = try #require(slice.header)
    return buffer.lists(for: header, numbered: slice.number, at: order)?.map { $0.map { $0?.id } }
  }

  @Test func `a P slice refers to the pictures decoded last, also after numbers begin again at 0`()
    throws
  {
    // Numbers have 4 bits. For frame 1, the numbers 14 and 15 count as −2 and −1.
    let buffer = buffer([(14, 0), (15, 2), (0, 4)])
    let slice = HandmadeSlice(kind: 0, number: 1)
    #expect(try lists(of: slice, at: 6, in: buffer) == [[2, 1, 0]])
    #expect(
      try lists(of: HandmadeSlice(kind: 0, number: 1, activeReferences: 2), at: 6, in: buffer)
        == [[2, 1]])
    #expect(
      try lists(of: HandmadeSlice(kind: 0, number: 1, activeReferences: 5), at: 6, in: buffer)
        == [[2, 1, 0, nil, nil]])
    #expect(try lists(of: HandmadeSlice(number: 1), at: 6, in: buffer) == [])
  }

  @Test func `a B slice refers to the nearest pictures before and after it`() throws {
    let buffer = buffer([(0, 0), (1, 8), (2, 4), (3, 16)])
    let slice = HandmadeSlice(kind: 1, number: 4, activeReferences: 4)
    #expect(try lists(of: slice, at: 6, in: buffer) == [[2, 0, 1, 3], [1, 3, 2, 0]])
    // Two equal lists differ in the order of the first two pictures (8.2.4.2.3).
    #expect(try lists(of: slice, at: 20, in: buffer) == [[3, 1, 2, 0], [1, 3, 2, 0]])
    #expect(
      try lists(of: slice, at: 20, in: self.buffer([(3, 16)]))
        == [[0, nil, nil, nil], [0, nil, nil, nil]])
  }

  @Test func `references are moved to the front in order`() throws {
    let buffer = buffer([(14, 0), (15, 2), (0, 4)])
    func moved(_ moves: [(Bool, Int)], active: Int = 3) throws -> [Int?]? {
      try lists(
        of: HandmadeSlice(
          kind: 0, number: 1, activeReferences: active,
          moves: moves.map { (isUpward: $0.0, distance: $0.1) }), at: 6, in: buffer)?[0]
    }
    // From 1 down by 3 is −2, which is 14. From there up by 2 is 0.
    #expect(try moved([(false, 3)]) == [0, 2, 1])
    #expect(try moved([(false, 3), (true, 2)]) == [0, 2, 1])
    #expect(try moved([(false, 3), (true, 1)]) == [0, 1, 2])
    // Up by 14 is 15.
    #expect(try moved([(true, 14)]) == [1, 2, 0])
    // A picture that a short list leaves out pushes out the last one.
    #expect(try moved([(false, 3)], active: 2) == [0, 2])
    // A picture may be in two places.
    #expect(try moved([(false, 1), (false, 16)]) == [2, 2, 1])
    #expect(try moved([(false, 5)]) == nil)
    #expect(try moved([(false, 3), (true, 2), (false, 1), (true, 1)]) == nil)
  }

  @Test func `the oldest reference is released when there are too many, or those that are named`()
    throws
  {
    let buffer = buffer([(14, 0), (15, 2), (0, 4)])
    func released(_ slice: HandmadeSlice) throws -> Set<Int>? {
      buffer.released(by: try #require(slice.header), numbered: slice.number)
    }
    #expect(try released(HandmadeSlice(number: 1, mostReferences: 4)) == [])
    #expect(try released(HandmadeSlice(number: 1, mostReferences: 3)) == [0])
    #expect(try released(HandmadeSlice(number: 1, releases: [])) == [])
    #expect(try released(HandmadeSlice(number: 1, releases: [2, 1])) == [1, 2])
    #expect(try released(HandmadeSlice(number: 1, releases: [4])) == nil)
    var updated = buffer
    updated.update(releasing: [0, 2], adding: .init(id: 3, number: 1, order: 6))
    #expect(updated.pictures.map(\.id) == [1, 3])
  }
}
