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

  @Test func `a color may follow a fade`() throws {
    let argument = try #require(TransitionArgument(argument: "fade:1:#0080ff"))
    let blue = Color(red: 0, green: 128, blue: 255)
    #expect(
      argument.transition
        == SequenceTransition(kind: .fade, duration: RationalTime(1), color: blue))
  }

  @Test func `an image follows a luma wipe`() throws {
    let argument = try #require(TransitionArgument(argument: "lumaWipe:1:maps/a:b.png"))
    #expect(
      argument.transition
        == SequenceTransition(kind: .lumaWipe, duration: RationalTime(1), map: "maps/a:b.png"))
  }

  @Test(arguments: ["easeIn", "default", "0.2,0,0,1", "0.5,-1,0.5,2"])
  func `an easing is a name or four numbers`(text: String) {
    #expect(TimingFunction(argument: text) != nil)
  }

  @Test(arguments: ["", "bounce", "0.2,0,0", "0.2,0,0,1,", "a,b,c,d", "equalPowerRise"])
  func `what is no easing is refused`(text: String) {
    #expect(TimingFunction(argument: text) == nil)
  }

  @Test(arguments: [
    "", "dissolve", "fold:1", "dissolve:0", "dissolve:-1", "dissolve:1/0", "dissolve:1:left",
    "fade:1:left", "fade:1:white", "push:1:#ffffff", "push:1:inwards", "push:1:left:now", ":1",
    "dissolve:1e3", "lumaWipe:1", "lumaWipe:1:", "iris:1:left",
  ])
  func `anything else is refused`(text: String) {
    #expect(TransitionArgument(argument: text) == nil)
  }
}
