import Rendering
import Support
import Testing

@Suite(.mayBlock) struct OrientKernelTests {
  @Test(arguments: 0..<8) func `each of the eight orientations moves every sample exactly`(
    _ number: Int
  ) {
    let turn = PlaneOrientation(
      transposes: number & 1 != 0, mirrorsColumns: number & 2 != 0, mirrorsRows: number & 4 != 0)
    for (width, height) in [(1, 1), (3, 5), (32, 32), (70, 33), (64, 100)] {
      let picture = TestPicture(width: width, height: height, seed: 3)
      let source = picture.picture.luma
      let size = turn.transposes ? (height, width) : (width, height)
      let target = TestPicture(width: size.0, height: size.1)
      OrientKernel.orient(source, to: target.picture.luma, by: turn)
      let expected = (0..<size.1).map { y in
        (0..<size.0).map { x in
          let column = turn.mirrorsColumns ? size.0 - 1 - x : x
          let row = turn.mirrorsRows ? size.1 - 1 - y : y
          return turn.transposes ? source.row(column)[row] : source.row(row)[column]
        }
      }
      #expect(TestPicture.samples(target.picture.luma) == expected, "\(width)x\(height)")
      withExtendedLifetime((picture, target)) {}
    }
  }

  @Test func `a mirrored picture of odd width repeats its last column`() {
    let picture = TestPicture(width: 3, height: 1, seed: 5)
    let source = picture.picture.luma
    let target = TestPicture(width: 4, height: 1)
    OrientKernel.orient(
      source, to: target.picture.luma,
      by: PlaneOrientation(transposes: false, mirrorsColumns: true, mirrorsRows: false))
    let row = TestPicture.samples(source)[0]
    #expect(TestPicture.samples(target.picture.luma) == [[row[2], row[2], row[1], row[0]]])
    withExtendedLifetime((picture, target)) {}
  }
}
