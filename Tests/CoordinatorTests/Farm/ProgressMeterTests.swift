import Scheduling
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct ProgressMeterTests {
  @Test func `the speed covers only the last seconds`() {
    var meter = ProgressMeter()
    #expect(meter.framesPerSecond(at: Instant(.zero)) == nil)
    // A slow minute, then twenty seconds at 50 frames a second.
    for second in 0...60 { meter.note(second, at: Instant(.seconds(second))) }
    for second in 1...20 { meter.note(60 + 50 * second, at: Instant(.seconds(60 + second))) }
    #expect(meter.framesPerSecond(at: Instant(.seconds(80))) == 50)
  }

  @Test func `lost frames do not make the speed negative`() {
    var meter = ProgressMeter()
    meter.note(0, at: Instant(.zero))
    meter.note(100, at: Instant(.seconds(1)))
    meter.note(50, at: Instant(.seconds(2)))
    #expect(meter.framesPerSecond(at: Instant(.seconds(2))) == 50)
  }
}
