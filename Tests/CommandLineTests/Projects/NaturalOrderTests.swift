import Support
import Testing
import sheaf

@Suite(.mayBlock) struct NaturalOrderTests {
  @Test(arguments: [
    ["clip 1", "clip 2", "clip 10"],
    ["a.mp4", "A2.mp4", "a10.mp4", "b1.mp4"],
    ["C0001.MP4", "C0009.MP4", "c10.MP4", "C0100.MP4"],
    ["1.mov", "2.mov", "10.mov", "99999999999999999999.mov", "100000000000000000000.mov"],
    ["shot.mp4", "shot1.mp4", "shota.mp4"],
    ["x01", "x1"], ["A", "a"],
  ])
  func `names are in the order in which people count`(names: [String]) {
    #expect(names.reversed().sorted(by: NaturalOrder.precedes) == names)
    for (place, name) in names.enumerated() {
      for (other, its) in names.enumerated() {
        #expect(NaturalOrder.precedes(name, its) == (place < other))
      }
    }
  }
}
