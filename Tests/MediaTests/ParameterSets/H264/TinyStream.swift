import Foundation
import Media
import Support

/// A tiny H.264 stream of 24 frames that fade and move, encoded by libx264.
struct TinyStream {
  /// Its units without start codes.
  let units: [[UInt8]]
  /// Its parameter sets.
  let sets: PictureSets

  /// The options of streams in which slice headers have all forms that can be rewritten: both entropy coders, many
  /// references that are moved and released, weights, fields, several slices, and no places in presentation order.
  static let options = [
    "cabac=1:8x8dct=1:cqm=jvt:weightp=2:weightb=1:b-pyramid=normal:bframes=3:b-adapt=0:ref=4:open-gop=1",
    "cabac=0:weightp=2:weightb=1:b-pyramid=normal:bframes=3:b-adapt=0:ref=4:open-gop=1",
    "cabac=1:tff=1:bframes=2:ref=2", "cabac=0:slices=3:bframes=0:ref=3",
  ]

  /// Encodes the stream with options of libx264.
  init(_ options: String) throws {
    let stream = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=s=64x64:r=25,fade=t=in:n=24,format=yuv420p", "-frames:v", "24", "-c:v",
        "libx264", "-x264-params", "keyint=12:min-keyint=12:scenecut=0:threads=1:" + options,
        "-f", "h264", "-",
      ])
    units = Self.units(in: stream)
    var sets = PictureSets()
    for unit in units { sets.add(unit) }
    self.sets = sets
  }

  /// The units of a kind.
  func units(of kind: UInt8) -> [[UInt8]] { units.filter { $0[0] & 0x1F == kind } }

  /// ITU-T H.264, annex B: the bytes 0, 0, 1 start a unit, and zeros at its end do not belong to it.
  private static func units(in stream: Data) -> [[UInt8]] {
    let mark = Data([0, 0, 1])
    var (units, rest) = ([[UInt8]](), stream[...])
    while let start = rest.range(of: mark) {
      rest = rest[start.upperBound...]
      let unit = rest.prefix(upTo: rest.range(of: mark)?.lowerBound ?? rest.endIndex)
      let count = unit.lastIndex { $0 != 0 }.map { $0 + 1 - unit.startIndex } ?? 0
      if count > 0 { units.append(Array(unit.prefix(count))) }
    }
    return units
  }
}

/// A slice with the parameter sets that it refers to, written bit by bit (ITU-T H.264, 7.3).
struct HandmadeSlice {
  /// Whether it is predicted: 0 for a P slice, 1 for a B slice, 2 for an I slice.
  var kind = 2
  /// The number of its frame, of 4 bits.
  var number = 1
  /// The low bits of its place in presentation order, of 4 bits.
  var order = 2
  /// The most references that a decoder keeps.
  var mostReferences = 4
  /// The number of active references in each list.
  var activeReferences = 3
  /// The moves in the first list: whether the number increases, and the distance.
  var moves: [(isUpward: Bool, distance: Int)] = []
  /// The distances of the references that it releases; `nil` if the oldest is released.
  var releases: [Int]?
  /// Whether each color has its own slices, in 4:4:4.
  var separatesColors = false
  /// The bytes after the header.
  var data: [UInt8] = [0x5A, 0x80]

  /// The sequence parameter set, in the profile High 4:4:4 Predictive.
  var sequenceSet: [UInt8] {
    var writer = BitWriter()
    for byte in [0x67, 244, 0, 10] { writer.append(byte, bits: 8) }
    writer.append(unsigned: 0)
    writer.append(unsigned: separatesColors ? 3 : 1)
    if separatesColors { writer.append(1, bits: 1) }
    for _ in 0..<2 { writer.append(unsigned: 0) }
    // Neither a bypassed transform nor scaling lists.
    writer.append(0, bits: 2)
    // Numbers of 4 bits, and places of 4 bits.
    for _ in 0..<3 { writer.append(unsigned: 0) }
    writer.append(unsigned: mostReferences)
    writer.append(0, bits: 1)
    for _ in 0..<2 { writer.append(unsigned: 3) }
    // Only frames, direct inference, neither cropping nor further information, and the end.
    writer.append(0b11001, bits: 5)
    return UnitEscapes.added(to: writer.bytes)
  }

  /// The picture parameter set, with CABAC.
  var pictureSet: [UInt8] {
    var writer = BitWriter()
    writer.append(0x68, bits: 8)
    for _ in 0..<2 { writer.append(unsigned: 0) }
    writer.append(0b10, bits: 2)
    writer.append(unsigned: 0)
    for _ in 0..<2 { writer.append(unsigned: activeReferences - 1) }
    writer.append(0, bits: 3)
    for _ in 0..<3 { writer.append(unsigned: 0) }
    // No deblocking fields, no constrained prediction, no redundancy, and the end.
    writer.append(0b0001, bits: 4)
    return UnitEscapes.added(to: writer.bytes)
  }

  /// Its parameter sets.
  var sets: PictureSets {
    var sets = PictureSets()
    sets.add(sequenceSet)
    sets.add(pictureSet)
    return sets
  }

  /// The slice.
  var unit: [UInt8] {
    var writer = BitWriter()
    writer.append(0x61, bits: 8)
    for value in [0, kind, 0] { writer.append(unsigned: value) }
    if separatesColors { writer.append(1, bits: 2) }
    writer.append(number, bits: 4)
    writer.append(order, bits: 4)
    if kind == 1 { writer.append(1, bits: 1) }
    if kind != 2 {
      writer.append(0, bits: 1)
      writer.append(moves.isEmpty ? 0 : 1, bits: 1)
      for move in moves {
        writer.append(unsigned: move.isUpward ? 1 : 0)
        writer.append(unsigned: move.distance - 1)
      }
      if !moves.isEmpty { writer.append(unsigned: 3) }
    }
    if kind == 1 { writer.append(0, bits: 1) }
    writer.append(releases == nil ? 0 : 1, bits: 1)
    if let releases {
      for distance in releases {
        writer.append(unsigned: 1)
        writer.append(unsigned: distance - 1)
      }
      writer.append(unsigned: 0)
    }
    if kind != 2 { writer.append(unsigned: 0) }
    writer.append(unsigned: 0)
    writer.align()
    return UnitEscapes.added(to: writer.bytes + data)
  }

  /// Its header; `nil` if it cannot be read.
  var header: SliceHeader? { SliceHeader(UnitEscapes.removed(from: unit), sets) }
}
