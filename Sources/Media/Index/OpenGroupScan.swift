/// Finds the intra pictures of an H.264 stream that can be rewritten so that they reset the decoder, by rewriting the
/// headers that follow each of them (``OpenGroupRewriter``) until the rewritten stream is in step with the original.
///
/// If frame numbers show that packets are missing, the scan begins again after them, and offers no picture before them:
/// a copy that spans them would hide that they are missing.
struct OpenGroupScan {
  private typealias Unsupported = OpenGroupRewriter.Unsupported

  private let layout: UnitLayout
  private var sets = PictureSets()
  private var buffer = ReferenceBuffer()
  private var order = PresentationOrder()
  private var count = 0
  /// The frame number of the last reference picture; `nil` before the first one.
  private var lastNumber: Int?
  /// Whether the buffer holds all references of a decoder that began earlier.
  private var isKnown = false
  /// Whether the packets so far have a form that can be rewritten.
  private var isSupported = true
  /// The rewriters that are not in step yet.
  private var trials: [Trial] = []
  /// The references before each picture that can be rewritten, by packet number.
  private var found: [Int: [Int]] = [:]

  private struct Trial {
    let packet: Int
    /// The picture's presentation time.
    let time: Int64
    let references: [Int]
    var rewriter: OpenGroupRewriter
    /// Whether leading pictures may follow.
    var mayLead = true
  }

  /// The most packets until a rewritten stream has to be in step.
  private static let longestTrial = 1024
  /// The most rewriters that are tried at a time. Ordinary streams need a few.
  private static let trialLimit = 64

  /// Creates a scan; `nil` for other codecs, or if the container does not declare parameter sets.
  init?(_ parameters: StreamParameters) {
    guard parameters.codec == "h264",
      let sets = ParameterSets(codec: "h264", record: parameters.parameterSets)
    else { return nil }
    layout = sets.layout
    for unit in sets.units { self.sets.add(unit) }
  }

  /// Scans the next packet.
  ///
  /// - Parameter isStart: whether decoding can start with its picture, but the picture does not reset the decoder.
  mutating func add(_ packet: Packet, isStart: Bool) {
    defer { count += 1 }
    guard isSupported else { return }
    do throws(Unsupported) {
      try read(packet, isStart: isStart)
    } catch {
      isSupported = false
      (trials, found) = ([], [:])
    }
  }

  /// The references before a packet's picture; `nil` if it cannot be rewritten.
  func references(before number: Int) -> [Int]? {
    found[number] ?? trials.first { $0.packet == number }?.references
  }

  private mutating func read(_ packet: Packet, isStart: Bool) throws(Unsupported) {
    let needsAll = isStart || !trials.isEmpty
    let slices = packet.withUnsafeBytes { bytes in
      headers(in: bytes, needsAll ? layout.units(in: bytes) : layout.leadingUnits(in: bytes))
    }
    guard let slices, let first = slices.first else { throw Unsupported() }
    if let lastNumber, !first.isReset {
      let next = (lastNumber + 1) & (first.sequence.numberCount - 1)
      if first.number != next { restart() }
    }
    continueTrials(slices, time: packet.time)
    if first.isReset { (buffer, order, isKnown) = (ReferenceBuffer(), PresentationOrder(), true) }
    let place = order.place(of: first, lowBits: first.order)
    if isStart, isKnown, trials.count < Self.trialLimit, let time = packet.time {
      let references = ReferenceState.describing(buffer, before: first, at: place)
      if let trial = try? OpenGroupRewriter.starting(with: slices, after: references) {
        trials.append(
          Trial(packet: count, time: time, references: references, rewriter: trial.rewriter))
      }
    }
    guard first.isReference else { return }
    lastNumber = first.number
    let released = buffer.released(by: first, numbered: first.number, isComplete: isKnown)
    guard let released else { throw Unsupported() }
    buffer.update(
      releasing: released, adding: .init(id: count, number: first.number, order: place))
    // Commands may release none, but a decoder never keeps more than the sequence allows.
    guard buffer.pictures.count <= first.sequence.mostReferences else { throw Unsupported() }
    if buffer.pictures.count == first.sequence.mostReferences { isKnown = true }
  }

  /// Forgets everything about the packets so far.
  private mutating func restart() {
    (buffer, order, lastNumber, isKnown) = (ReferenceBuffer(), PresentationOrder(), nil, false)
    (trials, found) = ([], [:])
  }

  /// The headers of slices among the units of a packet; `nil` if some unit has a form that cannot be rewritten.
  private mutating func headers(
    in bytes: UnsafeRawBufferPointer, _ units: [Range<Int>]
  ) -> [SliceHeader]? {
    var headers: [SliceHeader] = []
    for unit in units {
      let kind = layout.kind(bytes[unit.lowerBound])
      switch kind {
      case UnitLayout.sequenceSet, UnitLayout.pictureSet: sets.add(Array(bytes[unit]))
      case 1, 5:
        guard let slice = SliceUnit(bytes[unit], sets) else { return nil }
        headers.append(slice.header)
      default:
        guard UnitLayout.isIndependent(kind) else { return nil }
      }
    }
    return headers
  }

  private mutating func continueTrials(_ slices: [SliceHeader], time: Int64?) {
    trials = trials.compactMap { trial in
      var trial = trial
      do throws(Unsupported) {
        guard let time, count - trial.packet < Self.longestTrial else { throw Unsupported() }
        if trial.mayLead, time < trial.time {
          try trial.rewriter.leaveOut(slices)
          return trial
        }
        trial.mayLead = false
        _ = try trial.rewriter.changes(to: slices)
        guard trial.rewriter.isReset || trial.rewriter.isInStep else { return trial }
        found[trial.packet] = trial.references
      } catch {}
      return nil
    }
  }
}

extension UnitLayout {
  /// Whether units of an H.264 kind other than those of slices and parameter sets have the same meaning wherever
  /// decoding begins: no data partitions, extensions for scalable, multi-view and 3D video, and auxiliary pictures
  /// (ITU-T H.264, table 7-1).
  static func isIndependent(_ kind: UInt8) -> Bool {
    ![2, 3, 4, 14, 15, 19, 20, 21].contains(kind)
  }
}
