import Timeline

/// The relation of a packet's picture to others.
struct PictureRole: Hashable {
  /// Whether other pictures may be predicted from it.
  var isReference = true
  /// Whether its header says that only leading pictures rely on it: a leading picture of H.265.
  var isLeading = false
  /// Whether its packet has parameter sets, on which other pictures may rely.
  var carriesSets = false
}

/// Determines from packet headers at which keyframes of a stream a decoder can start.
///
/// Containers mark more packets than that: recovery points, intra pictures that later pictures refer past, and
/// keyframes that rely on headers in an earlier packet. Decoding from such a packet yields different pictures than
/// decoding from the stream's start, or none.
struct KeyframeScan {
  /// The pictures that decoding from a packet yields.
  enum Start: Hashable {
    /// The packet's picture, and all pictures that are presented after it.
    case exact
    /// All pictures from the one that comes the given number of reference pictures later.
    case gradual(Int)
    /// No picture reliably.
    case none
  }

  private let codec: String
  private let layout: UnitLayout?
  /// The initial value of each memory.
  private var initial: [DecoderMemory: Int] = [:]
  /// The memories that have changed in the stream.
  private var varying: Set<DecoderMemory> = []
  private var isFirst = true
  /// The x264 build in the first packet.
  private(set) var x264Build: Int?
  /// Determines whether copies decode like the stream; `nil` for codecs without parameter sets.
  private var copied: CopiedSets?
  /// For each keyframe by packet number: how decoding can start there, and the memories that its packet sets.
  private var candidates: [Int: (start: Start, carried: Set<DecoderMemory>)] = [:]
  private var count = 0

  init(_ parameters: StreamParameters) {
    codec = parameters.codec
    layout = UnitLayout(codec: codec, parameterSets: parameters.parameterSets)
    guard let layout,
      let sets = ParameterSets(codec: codec, record: parameters.parameterSets)
    else { return }
    for unit in sets.units { initial[layout.memory(unit)] = unit.hashValue }
    if codec == "h264" { initial[.encoder] = X264Build.behavior(of: nil) }
    copied = CopiedSets(sets)
  }

  /// Scans the next packet.
  ///
  /// - Parameter resetsAV1: whether it is an AV1 unit that resets the decoder.
  /// - Returns: its picture's relation to others.
  mutating func add(_ packet: Packet, resetsAV1: Bool) -> PictureRole {
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
      return PictureRole()
    }
  }

  /// How decoding can start with a packet.
  func start(at number: Int) -> Start {
    guard let (start, carried) = candidates[number] else { return .none }
    return varying.isSubset(of: carried) ? start : .none
  }

  /// Whether copied packets decode to the pictures of their stream with the parameter sets that it declares.
  var areSetsEnough: Bool { copied?.areEnough ?? true }

  /// How decoding can start with a packet if all parameter sets are available.
  func startWithSets(at number: Int) -> Start { candidates[number]?.start ?? .none }

  /// The ids of H.264's parameter sets, both out of band and in band.
  var parameterSetIDs: [Int] {
    guard let layout, !layout.isHEVC else { return [] }
    let ids = initial.keys.compactMap { memory -> Int? in
      guard case .parameterSet(_, let id) = memory else { return nil }
      return id
    }
    return Set(ids).sorted()
  }

  private mutating func note(
    _ isKey: Bool, _ start: Start, carrying carried: Set<DecoderMemory> = []
  ) {
    if isKey { candidates[count] = (start, carried) }
  }

  /// Records a value that a decoder would remember from a packet.
  private mutating func remember(_ value: Int, as memory: DecoderMemory) {
    if let first = initial[memory] {
      if first != value { varying.insert(memory) }
    } else {
      // A decoder that starts with the first packets does not have a value that appears only later.
      if !isFirst { varying.insert(memory) }
      initial[memory] = value
    }
  }

  private mutating func addUnits(_ bytes: UnsafeRawBufferPointer, isKey: Bool) -> PictureRole {
    guard let layout else {
      note(isKey, .exact)
      return PictureRole()
    }
    var carried: Set<DecoderMemory> = []
    var (start, role) = (Start.none, PictureRole())
    for range in layout.leadingUnits(in: bytes) {
      let first = bytes[range.lowerBound]
      let kind = layout.kind(first)
      if layout.isParameterSet(first) {
        let unit = Array(bytes[range])
        let memory = layout.memory(unit)
        carried.insert(memory)
        remember(unit.hashValue, as: memory)
        copied?.add(unit)
      } else if layout.isHEVC {
        guard layout.isPicture(kind) else { continue }
        start = UnitLayout.randomAccess.contains(kind) ? .exact : .none
        role.isLeading = UnitLayout.leading.contains(kind)
      } else if kind == UnitLayout.supplementalInformation {
        let information = SupplementalInformation(bytes[range])
        if let build = information.x264Build {
          carried.insert(.encoder)
          if isFirst {
            x264Build = build
            initial[.encoder] = X264Build.behavior(of: build)
          } else {
            remember(X264Build.behavior(of: build), as: .encoder)
          }
          let named = x264Build
          copied?.add(x264Build: build, besides: named)
        }
        if let recovery = information.recovery, recovery.isExact {
          start = recovery.pictures == 0 ? .exact : .gradual(recovery.pictures)
        }
      } else if layout.isPicture(kind) {
        if kind == 5 { start = .exact }
        role.isReference = first & 0x60 != 0
      }
    }
    role.carriesSets = !carried.isEmpty
    note(isKey, start, carrying: carried)
    copied?.add(bytes, isKey: isKey, carrying: carried)
    return role
  }

  /// Scans MPEG-1 and MPEG-2 (ISO/IEC 13818-2, 6.2.2) and MPEG-4 (ISO/IEC 14496-2, 6.2.2) by their start codes.
  private mutating func addHeaders(_ bytes: UnsafeRawBufferPointer, isKey: Bool) {
    guard isKey || codec != "mpeg4" else { return }
    var (headers, changesMatrix, hasHeader) = ([UInt8](), false, false)
    let picture: UInt8 = codec == "mpeg4" ? 0xB6 : 0x01
    for unit in UnitLayout.startCodeUnits(in: bytes, until: { $0 == picture }) {
      let code = bytes[unit.lowerBound]
      if codec == "mpeg4" {
        // Objects, layers, sequences and user data. Decoders do not remember a group's time.
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
      // A sequence header resets the matrix.
      if changesMatrix { varying.insert(.encoder) }
    }
  }
}
