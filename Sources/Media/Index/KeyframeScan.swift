import Timeline

/// Finds out from the headers of a stream's packets at which keyframes a decoder can begin.
///
/// Containers mark more than that: recovery points, intra pictures that later ones look past, keyframes that rely on
/// headers which only an earlier packet carries. Decoding from such a packet yields other pictures than decoding from the
/// stream's start does, or none.
struct KeyframeScan {
  /// What decoding that begins with a packet yields.
  enum Start: Hashable {
    /// The packet's picture, and all that are presented after it.
    case exact
    /// What is presented from the picture on that comes after so many more reference pictures.
    case gradual(Int)
    /// Nothing that can be relied upon.
    case none
  }

  /// Something that a decoder remembers from one packet to the next, beyond pictures.
  enum Memory: Hashable {
    /// A parameter set, by its kind and id.
    case parameterSet(kind: UInt8, id: Int)
    /// The build of x264 (H.264), or the headers before the first picture (MPEG-2, MPEG-4).
    case encoder
  }

  private let codec: String
  private let layout: UnitLayout?
  /// What each memory was at first.
  private var initial: [Memory: Int] = [:]
  /// The memories that have changed on the way.
  private var varying: Set<Memory> = []
  private var isFirst = true
  /// The build of x264 that the first packet names.
  private(set) var x264Build: Int?
  /// By the number of the packet, how decoding can begin with a keyframe, and what memories its packet sets.
  private var candidates: [Int: (start: Start, carried: Set<Memory>)] = [:]
  private var count = 0

  init(_ parameters: StreamParameters) {
    codec = parameters.codec
    layout = UnitLayout(codec: codec, parameterSets: parameters.parameterSets)
    guard let layout,
      let sets = ParameterSets(codec: codec, record: parameters.parameterSets)
    else { return }
    for unit in sets.units { initial[layout.memory(unit)] = unit.hashValue }
  }

  /// Takes in the next packet.
  ///
  /// - Parameter resetsAV1: whether it is a unit of AV1 that resets the decoder.
  /// - Returns: whether other pictures may be predicted from its own.
  mutating func add(_ packet: Packet, resetsAV1: Bool) -> Bool {
    defer { (count, isFirst) = (count + 1, false) }
    return packet.withUnsafeBytes { bytes in
      switch codec {
      case "h264", "hevc":
        return addUnits(bytes, isKey: packet.isKey)
      case "mpeg1video", "mpeg2video", "mpeg4":
        addHeaders(bytes, isKey: packet.isKey)
      case "vp8": note(packet.isKey, (bytes.first ?? 1) & 1 == 0 ? .exact : .none)
      case "vp9": note(packet.isKey, HiddenFrames.isKeyVP9(bytes) ? .exact : .none)
      case "av1": note(packet.isKey, resetsAV1 ? .exact : .none)
      default: note(packet.isKey, .exact)
      }
      return true
    }
  }

  /// How decoding can begin with a packet.
  func start(at number: Int) -> Start {
    guard let (start, carried) = candidates[number] else { return .none }
    return varying.isSubset(of: carried) ? start : .none
  }

  private mutating func note(_ isKey: Bool, _ start: Start, carrying carried: Set<Memory> = []) {
    if isKey { candidates[count] = (start, carried) }
  }

  /// Notes what a packet says that a decoder remembers.
  private mutating func remember(_ value: Int, as memory: Memory) {
    if let first = initial[memory] {
      if first != value { varying.insert(memory) }
    } else {
      // What the first packets do not say, a decoder that begins with them does not know.
      if !isFirst { varying.insert(memory) }
      initial[memory] = value
    }
  }

  private mutating func addUnits(_ bytes: UnsafeRawBufferPointer, isKey: Bool) -> Bool {
    guard let layout else {
      note(isKey, .exact)
      return true
    }
    var carried: Set<Memory> = []
    var (start, isReference) = (Start.none, true)
    for range in layout.leadingUnits(in: bytes) {
      let first = bytes[range.lowerBound]
      let kind = layout.kind(first)
      if layout.isParameterSet(first) {
        let unit = Array(bytes[range])
        let memory = layout.memory(unit)
        carried.insert(memory)
        remember(unit.hashValue, as: memory)
      } else if layout.isHEVC {
        if layout.isPicture(kind) { start = (16...21).contains(kind) ? .exact : .none }
      } else if kind == UnitLayout.supplementalInformation {
        let information = SupplementalInformation(bytes[range])
        if let build = information.x264Build {
          carried.insert(.encoder)
          remember(build, as: .encoder)
          if isFirst { x264Build = build }
        }
        if let recovery = information.recovery, recovery.isExact {
          start = recovery.pictures == 0 ? .exact : .gradual(recovery.pictures)
        }
      } else if layout.isPicture(kind) {
        if kind == 5 { start = .exact }
        isReference = first & 0x60 != 0
      }
    }
    note(isKey, start, carrying: carried)
    return isReference
  }

  /// MPEG-1 and MPEG-2 (ISO/IEC 13818-2, 6.2.2) and MPEG-4 (ISO/IEC 14496-2, 6.2.2): start codes and what follows each.
  private mutating func addHeaders(_ bytes: UnsafeRawBufferPointer, isKey: Bool) {
    guard isKey || codec != "mpeg4" else { return }
    var (headers, changesMatrix, hasHeader) = ([UInt8](), false, false)
    let picture: UInt8 = codec == "mpeg4" ? 0xB6 : 0x01
    for unit in UnitLayout.startCodeUnits(in: bytes, until: { $0 == picture }) {
      let code = bytes[unit.lowerBound]
      if codec == "mpeg4" {
        // Objects, layers, sequences and user data; the time of a group of pictures is not remembered.
        if code <= 0x2F || (0xB0...0xB2).contains(code) { headers += bytes[unit] }
      } else if code == 0xB3 {
        hasHeader = true
        headers += bytes[unit]
      } else if code == 0xB5, unit.count > 1, bytes[unit.lowerBound + 1] >> 4 == 3 {
        changesMatrix = true
      }
    }
    if codec == "mpeg4" {
      note(isKey, .exact, carrying: headers.isEmpty ? [] : [.encoder])
      remember(headers.hashValue, as: .encoder)
    } else {
      note(isKey, .exact, carrying: hasHeader ? [.encoder] : [])
      if hasHeader { remember(headers.hashValue, as: .encoder) }
      // A sequence header takes it back.
      if changesMatrix { varying.insert(.encoder) }
    }
  }
}

extension UnitLayout {
  /// A unit of H.264 that supplements a picture (ITU-T H.264, annex D).
  static let supplementalInformation: UInt8 = 6

  /// Whether a unit of a kind is part of a picture.
  func isPicture(_ kind: UInt8) -> Bool { isHEVC ? kind < 32 : (1...5).contains(kind) }

  /// A packet's units up to the first one of its picture.
  func leadingUnits(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let lengthSize else {
      return Self.startCodeUnits(in: bytes) { isPicture(kind($0)) }
    }
    var units: [Range<Int>] = []
    var place = 0
    while place + lengthSize < bytes.count {
      let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      place += lengthSize
      guard length <= bytes.count - place else { break }
      if length > 0 {
        units.append(place..<place + length)
        if isPicture(kind(bytes[place])) { break }
      }
      place += length
    }
    return units
  }

  /// What a decoder remembers by a parameter set.
  fileprivate func memory(_ unit: [UInt8]) -> KeyframeScan.Memory {
    let kind = kind(unit.first ?? 0)
    // ITU-T H.265, 7.3.2.3.1: picture parameter sets begin with their id; other sets are taken to be one of each kind.
    let place: Int? = isHEVC ? (kind == 34 ? 2 : nil) : (kind == Self.sequenceSet ? 4 : 1)
    let id = place.flatMap { ExpGolomb.first(in: unit, after: $0) } ?? 0
    return .parameterSet(kind: kind, id: id)
  }
}
