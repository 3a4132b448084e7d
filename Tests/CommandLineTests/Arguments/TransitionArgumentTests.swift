import ProjectFormat
import Support
import Testing
import Timeline
import sheaf

@Suite(.mayBlock) struct TransitionArgumentTests {
  @Test func `a transition needs only a kind and a duration`() throws {
    let argument = try #require(TransitionArgument(argument: "dissolve:1"))
    #expect(
      argument.transition == SequenceTransition(kind: .dissolve, duration: RationalTime(1)))
  }

  @Test func `a push may have a direction`() throws {
    let argument = try #require(TransitionArgument(argument: "push:1/2:right"))
    #expect(
      argument.transition
        == SequenceTransition(kind: .push, duration: try RationalTime(1, 2), direction: .right))
  }

  @Test func `a fade may have a color`() throws {
    let argument = try #require(TransitionArgument(argument: "fade:1:#0080ff"))
    let blue = Color(red: 0, green: 128, blue: 255)
    #expect(
      argument.transition
        == SequenceTransition(kind: .fade, duration: RationalTime(1), color: blue))
  }

  @Test func `a luma wipe has an image`() throws {
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
  func `an unknown easing is rejected`(text: String) {
    #expect(TimingFunction(argument: text) == nil)
  }

  @Test(arguments: [
    "", "dissolve", "fold:1", "dissolve:0", "dissolve:-1", "dissolve:1/0", "dissolve:1:left",
    "fade:1:left", "fade:1:white", "push:1:#ffffff", "push:1:inwards", "push:1:left:now", ":1",
    "dissolve:1e3", "lumaWipe:1", "lumaWipe:1:", "iris:1:left",
  ])
  func `an invalid transition is rejected`(text: String) {
    #expect(TransitionArgument(argument: text) == nil)
  }
}
