import ProjectFormat
import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct ClipListTests {
  private func list(
    _ clips: [String], _ transitions: [String] = [], preset: String? = nil
  ) throws -> ClipList {
    try ClipList(
      clips: clips, transitions: transitions.compactMap(TransitionArgument.init(argument:)),
      stillDuration: try RationalTime(5, 2), fileType: .mov, preset: preset)
  }

  private func sequence(_ list: ClipList) throws -> ClipSequence? {
    guard case .sequence(let sequence) = try ProjectDocument.parse(Array(list.document().utf8))
    else { return nil }
    return sequence
  }

  @Test func `clips without transitions are joined by cuts`() throws {
    #expect(
      try sequence(list(["a.mp4", "b.mp4"]))?.items
        == [.clip(SequenceClip(path: "a.mp4")), .clip(SequenceClip(path: "b.mp4"))])
  }

  @Test func `one transition is used for every join`() throws {
    let items = try sequence(list(["a.mp4", "b.mp4", "c.mp4"], ["push:1/2:up"]))?.items
    let push = SequenceTransition(kind: .push, duration: try RationalTime(1, 2), direction: .up)
    #expect(
      items == [
        .clip(SequenceClip(path: "a.mp4")), .transition(push), .clip(SequenceClip(path: "b.mp4")),
        .transition(push), .clip(SequenceClip(path: "c.mp4")),
      ])
  }

  @Test func `with one transition per join, each is used at its join`() throws {
    let items = try sequence(list(["a.mp4", "b.mp4", "c.mp4"], ["dissolve:1", "wipe:2:down"]))?
      .items
    #expect(
      items?[1] == .transition(SequenceTransition(kind: .dissolve, duration: RationalTime(1))))
    #expect(
      items?[3]
        == .transition(
          SequenceTransition(kind: .wipe, duration: RationalTime(2), direction: .down)))
  }

  @Test func `a fade keeps its color and a slide its direction`() throws {
    let items = try sequence(list(["a.mp4", "b.mp4", "c.mp4"], ["fade:1:#ffffff", "slide:2:up"]))?
      .items
    let white = Color(red: 255, green: 255, blue: 255)
    #expect(
      items?[1]
        == .transition(
          SequenceTransition(kind: .fade, duration: RationalTime(1), color: white)))
    #expect(
      items?[3]
        == .transition(SequenceTransition(kind: .slide, duration: RationalTime(2), direction: .up)))
  }

  @Test func `a style applies to all clips and to the transitions that support it`() throws {
    let curve = TimingFunction.cubicBezier(x1: 0.2, y1: -0.5, x2: 0, y2: 1)
    let list = try ClipList(
      clips: ["a.mp4", "b.mp4", "c.mp4", "d.mp4"],
      transitions: ["iris:1", "push:1", "lumaWipe:1:m.png"]
        .compactMap(TransitionArgument.init(argument:)),
      style: ClipStyle(fit: .blur, easing: curve, softness: 0.25), stillDuration: RationalTime(5),
      fileType: .mp4)
    let sequence = try #require(try sequence(list))
    #expect(sequence.fit == .blur)
    let transitions = sequence.items.compactMap { item -> SequenceTransition? in
      if case .transition(let transition) = item { return transition }
      return nil
    }
    #expect(transitions.map(\.easing) == [curve, curve, curve])
    #expect(transitions.map(\.softness) == [0.25, 0, 0.25])
    #expect(transitions.map(\.map) == [nil, nil, "m.png"])
  }

  @Test(arguments: [(2, 2), (1, 1), (4, 2)])
  func `a wrong number of transitions for the joins is rejected`(clips: Int, transitions: Int) {
    let error = #expect(throws: CommandFailure.self) {
      try list(
        Array(repeating: "a.mp4", count: clips), Array(repeating: "dissolve:1", count: transitions))
    }
    #expect(error?.exitCode == .usage)
  }

  @Test func `a still image has a duration`() throws {
    #expect(
      try sequence(list(["a.PNG"]))?.items
        == [.clip(SequenceClip(path: "a.PNG", duration: try RationalTime(5, 2)))])
  }

  @Test func `the export follows the options`() throws {
    let export = try sequence(list(["a.mp4"], preset: "1280x720"))?.export
    #expect(export?.preset == "1280x720")
    #expect(export?.fileType == .mov)
  }

  @Test func `a path with quotes and line feeds is unchanged`() throws {
    let path = "a \"b\"\n/c.mp4"
    #expect(try sequence(list([path]))?.items == [.clip(SequenceClip(path: path))])
  }
}
