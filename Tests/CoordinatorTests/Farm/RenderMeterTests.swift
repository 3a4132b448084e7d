import CoordinatorSupport
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// The frames that workers render.
@Suite(.mayBlock) struct RenderMeterTests {
  private var meter = RenderMeter()
  private let first = LeaseToken(rawValue: "1")
  private let second = LeaseToken(rawValue: "2")
  private let a = WorkerID(rawValue: "a")
  private let b = WorkerID(rawValue: "b")

  private func at(_ seconds: Double) -> Instant { Instant(.seconds(seconds)) }

  @Test mutating func `frames count as they are reported, and the rest with the chunk`() {
    meter.begin(first, by: a)
    meter.note(first, by: a, 10, at: at(1))
    meter.note(first, by: a, 5, at: at(2))
    #expect(meter.frames == 10)
    meter.end(first, rendered: 50, at: at(3))
    #expect(meter.frames == 50)
    meter.note(first, by: a, 50, at: at(4))
    #expect(meter.frames == 50)
  }

  @Test mutating func `the frames of an attempt that fails have been rendered`() {
    meter.begin(first, by: a)
    meter.note(first, by: a, 10, at: at(1))
    meter.end(first, rendered: nil, at: at(2))
    #expect(meter.frames == 10)
  }

  @Test mutating func `frames from before a restart are not counted`() {
    meter.note(first, by: a, 1000, at: at(1))
    meter.note(first, by: a, 1010, at: at(2))
    #expect(meter.frames == 10)
  }

  @Test mutating func `each worker has its speed, and the farm has their sum`() {
    meter.begin(first, by: a)
    meter.begin(second, by: b)
    for second in 0...10 {
      meter.note(first, by: a, second * 10, at: at(Double(second)))
      meter.note(self.second, by: b, second * 20, at: at(Double(second)))
    }
    #expect(meter.framesPerSecond(of: a, at: at(10)) == 10)
    #expect(meter.framesPerSecond(of: b, at: at(10)) == 20)
    #expect(meter.framesPerSecond(at: at(10)).map { $0 > 25 && $0 <= 30 } == true)
    meter.end(first, rendered: nil, at: at(11))
    #expect(meter.framesPerSecond(of: a, at: at(11)) == nil)
    meter.end(second, rendered: nil, at: at(11))
    #expect(meter.framesPerSecond(at: at(11)) == nil)
  }
}
