/// The parameter sets of H.264 that slices refer to, by their ids.
package struct PictureSets: Hashable, Sendable {
  private var sequences: [Int: SequenceParameters] = [:]
  private var pictures: [Int: PictureParameters] = [:]

  package init() {}

  /// Adds a unit if it is a parameter set. Slices that refer to a set that is not supported cannot be read.
  package mutating func add(_ unit: [UInt8]) {
    guard let first = unit.first, [7, 8].contains(first & 0x1F) else { return }
    if first & 0x1F == 7 {
      guard let id = ExpGolomb.first(in: unit, after: 4) else { return }
      sequences[id] = SequenceParameters(unit)
    } else {
      guard let id = ExpGolomb.first(in: unit, after: 1) else { return }
      pictures[id] = PictureParameters(unit)
    }
  }

  /// A picture set by its id, and the sequence set that it refers to.
  package func pair(of id: Int) -> (PictureParameters, SequenceParameters)? {
    guard let picture = pictures[id], let sequence = sequences[picture.sequence] else { return nil }
    return (picture, sequence)
  }
}
