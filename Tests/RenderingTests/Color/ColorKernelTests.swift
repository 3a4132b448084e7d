import Media
import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ColorKernelTests {
  /// A conversion, and the same conversion of the reference.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var source: ColorSpace
    var target: ColorSpace
    var testDescription: String { name }
  }

  static let bt709 = ColorSpace.sRGB
  static let bt525 = ColorSpace(primaries: .smpte170m, transfer: .standard, matrix: .bt601)
  static let bt625 = ColorSpace(primaries: .bt470bg, transfer: .standard, matrix: .bt601)
  static let bt2020 = ColorSpace(primaries: .bt2020, transfer: .standard, matrix: .bt2020)
  static let hlg = ColorSpace(primaries: .bt2020, transfer: .hybridLogGamma, matrix: .bt2020)
  static let pq = ColorSpace(primaries: .bt2020, transfer: .perceptualQuantizer, matrix: .bt2020)
  static let full = ColorSpace(
    primaries: .bt709, transfer: .standard, matrix: .bt601, isFullRange: true)

  static let standard = [
    Case(name: "525 lines to BT.709", source: bt525, target: bt709),
    Case(name: "625 lines to BT.709", source: bt625, target: bt709),
    Case(name: "BT.709 to 525 lines", source: bt709, target: bt525),
    Case(name: "BT.2020 to BT.709", source: bt2020, target: bt709),
    Case(name: "BT.709 to BT.2020", source: bt709, target: bt2020),
    Case(name: "full range to limited", source: full, target: bt709),
    Case(name: "limited range to full", source: bt709, target: full),
  ]
  static let high = [
    Case(name: "HLG to BT.709", source: hlg, target: bt709),
    Case(name: "PQ to BT.709", source: pq, target: bt709),
    Case(name: "BT.709 to HLG", source: bt709, target: hlg),
    Case(name: "BT.709 to PQ", source: bt709, target: pq),
    Case(name: "HLG to PQ", source: hlg, target: pq),
  ]

  static func reference(_ space: ColorSpace, bits: Int) -> ColorReference.Space {
    let primaries: [(Double, Double)] =
      switch space.primaries {
      case .smpte170m: ColorReference.Space.p525
      case .bt470bg: ColorReference.Space.p625
      case .bt2020: ColorReference.Space.p2020
      default: ColorReference.Space.p709
      }
    let (kr, kb) =
      switch space.matrix {
      case .bt601: (0.299, 0.114)
      case .bt2020: (0.2627, 0.0593)
      default: (0.2126, 0.0722)
      }
    return ColorReference.Space(
      primaries: primaries, kr: kr, kb: kb, transfer: space.transfer,
      isFullRange: space.isFullRange, bits: bits)
  }

  /// The maximum differences of luma and chroma from the reference, in code values, over random colors. Each color has
  /// four pixels, of which one is slightly brighter.
  static func greatestDifference<Input: PictureSample, Output: PictureSample>(
    _ test: Case, _: Input.Type, _: Output.Type, seed: UInt64
  ) throws -> Double {
    let (width, height) = (64, 40)
    let source = PictureMemory<Input>(width: width, height: height)
    let target = PictureMemory<Output>(width: width, height: height)
    let reference = ColorReference(
      source: Self.reference(test.source, bits: Input.bitDepth),
      target: Self.reference(test.target, bits: Output.bitDepth))
    var random = SeededRandom(seed: seed)
    for y in 0..<height / 2 {
      for x in 0..<width / 2 {
        let rgb = (0..<3).map { _ in Double.random(in: 0...1, using: &random) }
        let codes = reference.source.coded(rgb).map { Input($0.rounded()) }
        source.picture.cb.row(y)[x] = codes[1]
        source.picture.cr.row(y)[x] = codes[2]
        for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
          source.picture.luma.row(2 * y + row)[2 * x + column] =
            codes[0] - (column + row == 2 ? 2 : 0)
        }
      }
    }
    let conversion = try #require(ColorConversion(from: test.source, to: test.target))
    ColorKernel<Input, Output>(conversion).convert(source.picture, to: target.picture)
    var greatest = 0.0
    let highest = Double(Output.highest)
    func compare(_ sample: Output, _ wanted: Double) {
      greatest = max(greatest, abs(Double(sample) - min(max(wanted, 0), highest)))
    }
    for y in 0..<height / 2 {
      for x in 0..<width / 2 {
        var (cb, cr) = (0.0, 0.0)
        for (column, row) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
          let wanted = reference.codes([
            Double(source.picture.luma.row(2 * y + row)[2 * x + column]),
            Double(source.picture.cb.row(y)[x]), Double(source.picture.cr.row(y)[x]),
          ])
          compare(target.picture.luma.row(2 * y + row)[2 * x + column], wanted[0])
          cb += wanted[1] / 4
          cr += wanted[2] / 4
        }
        compare(target.picture.cb.row(y)[x], cb)
        compare(target.picture.cr.row(y)[x], cr)
      }
    }
    withExtendedLifetime((source, target)) {}
    return greatest
  }

  @Test(arguments: standard)
  func `standard range is within one code value of the float64 reference`(test: Case) throws {
    #expect(try Self.greatestDifference(test, UInt8.self, UInt8.self, seed: 1) < 1)
    #expect(try Self.greatestDifference(test, UInt16.self, UInt8.self, seed: 2) < 1)
    #expect(try Self.greatestDifference(test, UInt8.self, UInt16.self, seed: 3) < 1)
    #expect(try Self.greatestDifference(test, UInt16.self, UInt16.self, seed: 4) < 1)
  }

  @Test(arguments: high)
  func `high range is within one code value of the float64 reference`(test: Case) throws {
    #expect(try Self.greatestDifference(test, UInt16.self, UInt8.self, seed: 5) < 1)
    #expect(try Self.greatestDifference(test, UInt16.self, UInt16.self, seed: 6) < 1)
  }

  @Test func `a picture of odd size is converted up to its edges`() throws {
    let source = PictureMemory<UInt8>(
      width: 5, height: 3, color: PlanarColor(luma: 81, cb: 90, cr: 240))
    let target = PictureMemory<UInt8>(width: 5, height: 3)
    let conversion = try #require(ColorConversion(from: Self.bt525, to: .sRGB))
    ColorKernel<UInt8, UInt8>(conversion).convert(source.picture, to: target.picture)
    let reference = ColorReference(
      source: Self.reference(Self.bt525, bits: 8), target: Self.reference(.sRGB, bits: 8))
    let wanted = reference.codes([81, 90, 240]).map { UInt8($0.rounded()) }
    for (plane, value) in zip(target.planes, wanted) {
      #expect(PictureMemory.samples(plane).allSatisfy { $0.allSatisfy { $0 == value } })
    }
    withExtendedLifetime((source, target)) {}
  }

  @Test func `a background color is the same as in a picture`() throws {
    let red = Color(red: 255, green: 0, blue: 0)
    #expect(
      PlanarColor<UInt8>(red, in: .sRGB) == PlanarColor(luma: 63, cb: 102, cr: 240))
    let reference = ColorReference(
      source: Self.reference(.sRGB, bits: 10), target: Self.reference(Self.pq, bits: 10))
    let wanted = reference.target.coded(reference.components([1, 0, 0])).map {
      UInt16($0.rounded())
    }
    #expect(
      PlanarColor<UInt16>(red, in: Self.pq)
        == PlanarColor(luma: wanted[0], cb: wanted[1], cr: wanted[2]))
  }
}
