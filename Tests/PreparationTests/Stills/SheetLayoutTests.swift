import Preparation
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct SheetLayoutTests {
  @Test(arguments: [(1, 5, 400), (5, 5, 1600), (20, 5, 1600), (7, 3, 333), (12, 100, 16_384)])
  func `pictures and labels are on the sheet, and do not overlap`(
    count: Int, columns: Int, width: Int
  ) throws {
    let frame = PixelSize(width: 640, height: 360)
    let layout = try SheetLayout(of: count, columns: columns, width: width, showing: frame)
    #expect(layout.size.width == width)
    #expect(abs(layout.picture.height * 16 - layout.picture.width * 9) <= 16)
    var taken: Set<Int> = []
    for index in 0..<count {
      let (left, top) = layout.place(of: index)
      #expect(left >= 0 && left + layout.picture.width <= width)
      let bottom = layout.label(of: index).top + layout.letters * 1.5
      #expect(top >= 0 && bottom <= Double(layout.size.height))
      #expect(layout.label(of: index).top >= Double(top + layout.picture.height))
      if index >= layout.columns {
        let above = layout.label(of: index - layout.columns).top + layout.letters * 1.5
        #expect(above <= Double(top))
      }
      #expect(taken.insert(top * 100_000 + left).inserted)
    }
  }

  @Test func `portrait frames have portrait pictures`() throws {
    let frame = PixelSize(width: 1080, height: 1920)
    let layout = try SheetLayout(of: 4, columns: 4, width: 800, showing: frame)
    #expect(layout.picture.height > layout.picture.width)
  }

  @Test func `a sheet that cannot be read or drawn is an error`() {
    let frame = PixelSize(width: 640, height: 360)
    #expect(throws: SheetError.narrow) {
      try SheetLayout(of: 100, columns: 100, width: 100, showing: frame)
    }
    let error = #expect(throws: SheetError.self) {
      try SheetLayout(of: 1000, columns: 1, width: 1600, showing: frame)
    }
    #expect(error != .narrow)
  }
}
