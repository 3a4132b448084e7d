import Media
import Support
import Testing
import Timeline

struct EncodingTests {
  @Test func `an encoder's packets make an mp4 of equal sample durations that starts at zero`()
    throws
  {
    #expect(Bool(true))
  }
}
