/// Determines from packet headers whether copied packets of H.264 and H.265 decode to the pictures of their stream.
///
/// A copy may begin at any keyframe. Its keyframes get the parameter sets that the container declares, unless they have
/// their own (``PacketRewriter``), so no picture may rely on a set that an earlier packet changed. The same is true of
/// the build of x264 if decoding depends on it: keyframes get the one in the stream's first packet.
struct CopiedSets {
  private let layout: UnitLayout
  /// The out-of-band value of each parameter set.
  private let declared: [DecoderMemory: Int]
  private let dependsOnX264Build: Bool
  /// The memories whose value in the stream differs from the one that a copy's keyframe gets.
  private var undeclared: Set<DecoderMemory> = []
  /// The memories whose value in a copy differs, or may differ, from that in the stream.
  private var lost: Set<DecoderMemory> = []
  /// The id of the sequence set that each picture set of H.264 refers to.
  private var sequences: [Int: Int] = [:]
  /// Whether copies decode like the stream, according to the packets so far.
  private(set) var areEnough = true

  /// Begins with the declared sets.
  init(_ sets: ParameterSets) {
    layout = sets.layout
    dependsOnX264Build = sets.dependOnX264Build
    var declared: [DecoderMemory: Int] = [:]
    for unit in sets.units { declared[layout.memory(unit)] = unit.hashValue }
    self.declared = declared
    for unit in sets.units { noteSequence(of: unit) }
  }

  /// Adds a parameter set of the next packet.
  mutating func add(_ unit: [UInt8]) {
    let memory = layout.memory(unit)
    note(memory, isDeclared: declared[memory] == unit.hashValue)
    noteSequence(of: unit)
    // Only declared sets decide whether a copy's keyframes name the build of x264.
    if layout.isPredictive444(unit), !dependsOnX264Build { areEnough = false }
  }

  /// Adds the build of x264 that the next packet names; `first` is the one in the stream's first packet.
  mutating func add(x264Build build: Int, besides first: Int?) {
    if build <= X264Build.lastOfOldMotion { areEnough = false }
    guard dependsOnX264Build else { return }
    note(.encoder, isDeclared: X264Build.areAlike(build, first))
  }

  /// Adds the rest of the next packet.
  ///
  /// - Parameter carried: the memories that the packet sets.
  mutating func add(
    _ bytes: UnsafeRawBufferPointer, isKey: Bool, carrying carried: Set<DecoderMemory>
  ) {
    lost.subtract(carried)
    if isKey { lost.formUnion(undeclared.subtracting(carried)) }
    guard areEnough, !lost.isEmpty else { return }
    areEnough = !layout.units(in: bytes).contains { relies(bytes[$0]) }
  }

  private mutating func note(_ memory: DecoderMemory, isDeclared: Bool) {
    if isDeclared { undeclared.remove(memory) } else { undeclared.insert(memory) }
  }

  /// Notes which sequence set a picture set of H.264 refers to (ITU-T H.264, 7.3.2.2).
  private mutating func noteSequence(of unit: [UInt8]) {
    guard !layout.isHEVC, let first = unit.first, layout.kind(first) == UnitLayout.pictureSet,
      let ids = ExpGolomb.numbers(2, in: unit, after: 1)
    else { return }
    sequences[ids[0]] = ids[1]
  }

  /// Whether a unit belongs to a picture that relies on lost memories. Every picture of H.265 is assumed to.
  private func relies(_ unit: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let first = unit.first, layout.isPicture(layout.kind(first)) else { return false }
    // Partitions B and C belong to a partition A (ITU-T H.264, 7.3.2.9).
    if !layout.isHEVC, [3, 4].contains(layout.kind(first)) { return false }
    // ITU-T H.264, 7.3.3: a slice begins with its place, its type and the id of its picture set.
    guard !layout.isHEVC,
      let picture = ExpGolomb.numbers(3, in: Array(unit.prefix(24)), after: 1)?.last,
      let sequence = sequences[picture]
    else { return true }
    return lost.contains { memory in
      switch memory {
      case .parameterSet(UnitLayout.pictureSet, let id): id == picture
      case .parameterSet(UnitLayout.sequenceSet, let id): id == sequence
      default: true
      }
    }
  }
}
