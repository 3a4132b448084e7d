import Testing
import Timeline
import sheaf

struct TransitionArgumentTests {
  @Test func `a kind and a length are enough`() throws {
    let argument = try #require(TransitionArgument(argument: "dissolve:1"))
    #expect(
      argument.transition == SequenceTransition(kind: .dissolve, duration: RationalTime(1)))
  }

  @Test func `a direction may follow`() throws {
    let argument = try #require(TransitionArgument(argument: "push:1/2:right"))
    #expect(
      argument.transition
        == SequenceTransition(kind: .push, duration: try RationalTime(1, 2), direction: .right))
  }

  @Test(arguments: [
    "", "dissolve", "fold:1", "dissolve:0", "dissolve:-1", "dissolve:1/0", "dissolve:1:left",
    "push:1:inwards", "push:1:left:now", ":1", "dissolve:1e3",
  ])
  func `anything else is refused`(text: String) {
    #expect(TransitionArgument(argument: text) == nil)
  }
}
