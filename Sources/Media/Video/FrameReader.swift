import Timeline

/// Random access to the frames of one video stream, exact to the frame.
///
/// Frames that are requested in presentation order are decoded once each. A frame before the current position, or
/// beyond a later keyframe, is reached by a seek to the last keyframe that the index marks as seekable. If that does
/// not yield the frame, decoding starts at earlier keyframes.
///
/// On the way to a frame, progressive H.264 pictures that no other picture refers to are not decoded, unless damage is
/// concealed. Damage in a picture that was left out affects no other frame.
///
/// Frames that the decoder marks as interlaced are de-interlaced. This needs the neighboring frames, so decoding
/// starts before the previous frame, and the result does not depend on where reading started.
///
/// With the policy ``DamagePolicy/fail``, a frame that decodes with damage, or not at all, is an error. With
/// ``DamagePolicy/conceal``, it is shown as the decoder conceals it, or replaced by the last frame before it that
/// decodes. This depends on earlier frames, so each frame is then decoded from the last seekable keyframe at or before
/// it, by a new decoder, and the result does not depend on where reading started.
///
/// A frame is released before decoding continues, so that the decoder can reuse its memory: pictures take the largest
/// part of a slot's memory (Benchmarks/memory). Blocks; not thread-safe.
public final class FrameReader {
  /// The asset's name in messages.
  public let name: String
  /// The stream that is read, with the times of its frames.
  public private(set) var stream: VideoStream
  private let source: any ByteSource
  private let packet: Packet
  private let pictures: PicturePool?
  private var demuxer: Demuxer
  private var decoder: VideoDecoder
  private var state: State
  private let deinterlacer: Deinterlacer?
  private let onDamage: DamagePolicy
  private var origin: RationalTime
  /// Called with the time of each concealed frame.
  private let noteConcealed: (Int64) -> Void
  private var damage: DamageTracker
  /// The frame that was de-interlaced last.
  private var whole: Frame?
  /// Whether frames before the current one are kept, which de-interlacing needs: from the first interlaced one on.
  private var keepsPrevious = false
  /// Whether pictures may be left out on the way to a frame.
  private var mayLeaveOut: Bool

  /// The numbers of pictures have a gap after some were left out. In a stream that conforms to H.264, pictures that
  /// nothing refers to leave none.
  private struct NumberGap: Error {}

  /// The number of earlier keyframes to try before the stream's start, if one does not yield the frame. Each segment's
  /// frame table contains that many.
  private static let earlierKeyframes = 1

  /// Opens `stream` of an asset, which the asset's index described.
  ///
  /// - Parameters:
  ///   - deinterlaces: whether interlaced frames are de-interlaced or returned as decoded.
  ///   - pictures: the pool for the memory of its frames; `nil` for the decoder's own.
  ///   - onDamage: how damaged or missing frames are handled.
  ///   - origin: the asset's time zero, ``MediaIndex/start``, from which times in messages count.
  ///   - noteConcealed: called with the time of each concealed frame, in ticks of the stream.
  /// - Throws: ``MediaError``.
  public init(
    source: any ByteSource, named name: String, stream: VideoStream,
    deinterlaces: Bool = true, pictures: PicturePool? = nil, onDamage: DamagePolicy = .fail,
    origin: RationalTime = .zero,
    noteConcealed: @escaping (Int64) -> Void = { _ in }
  ) throws {
    self.source = source
    self.name = name
    self.stream = stream
    self.pictures = pictures
    self.onDamage = onDamage
    self.origin = origin
    self.noteConcealed = noteConcealed
    deinterlacer = deinterlaces ? Deinterlacer() : nil
    // A field may be in a packet without a time.
    mayLeaveOut =
      onDamage == .fail && stream.fieldOrder == "progressive" && stream.hasOnlyFrames
      && !stream.frames.keyframes.isEmpty
    demuxer = try Demuxer(source: source, named: name)
    guard stream.streamIndex < demuxer.streams.count else {
      throw MediaError(.noSuchStream, "there is no stream \(stream.streamIndex)", on: name)
    }
    demuxer.select(streams: [stream.streamIndex])
    state = State(steady: SteadyTimes(of: demuxer))
    decoder = try VideoDecoder(
      demuxer.streams[stream.streamIndex], named: name, pictures: pictures,
      x264Build: stream.x264Build)
    damage = DamageTracker(stream, isIntraOnly: decoder.isIntraOnly)
    packet = try Packet()
  }

  /// The frame whose time is exactly `time`, one of the index's times, in ticks of the stream.
  ///
  /// Requesting the same frame again costs nothing.
  ///
  /// - Throws: ``MediaError`` with code `frameMissing` if decoding does not yield it, `frameDamaged`, or `readFailed`.
  public func frame(at time: Int64) throws -> Frame {
    let frame = try shown(at: time)
    guard frame.isDamaged else { return frame }
    if onDamage == .fail {
      throw MediaError(
        .frameDamaged, "the frame at \(shownTime(time)) is damaged", on: name,
        remedy: "copy the file again, or set export.onDamage to \"conceal\"")
    }
    noteConcealed(time)
    return frame
  }

  /// The time of the frame that was decoded last, in ticks; `nil` before the first one. Frames after it can be decoded
  /// without a seek.
  public var position: Int64? { state.times.current }

  /// Whether ``goOn(with:origin:)`` leads to the same frames as a new reader: nothing is damaged, and no frames
  /// are kept to de-interlace or conceal others.
  public var isReusable: Bool {
    onDamage == .fail && damage.isClean && !keepsPrevious && !demuxer.isStillImage
      && state.lookahead == nil && !stream.frames.keyframes.isEmpty
  }

  /// Continues with other frames of the stream, from the current position if possible.
  ///
  /// - Parameters:
  ///   - frames: the frames that are requested from now on, with their keyframes.
  ///   - origin: the asset's time zero, from which times in messages count.
  public func goOn(with frames: FrameTable, origin: RationalTime) {
    damage.goOn(with: frames)
    stream.frames = frames
    self.origin = origin
  }

  /// The frame as it is shown, damaged or not.
  private func shown(at time: Int64) throws -> Frame {
    if let whole, whole.time == time { return whole }
    let frame = try decoded(at: time)
    guard let deinterlacer, frame.isInterlaced, !demuxer.isStillImage, frame.time == time else {
      return frame
    }
    return try deinterlaced(at: frame.time, by: deinterlacer)
  }

  private func shownTime(_ time: Int64) -> String {
    guard let seconds = try? stream.timeBase * time - origin else { return "tick \(time)" }
    return "\(seconds.threeDecimals) s"
  }

  /// Releases the frame delivered last, unless the next one needs it. Requesting it again means decoding from a
  /// keyframe.
  public func letGo() {
    guard !keepsPrevious, !demuxer.isStillImage, onDamage == .fail else { return }
    state.current = nil
  }

  /// The frame as it was decoded.
  private func decoded(at time: Int64) throws -> Frame {
    if let current = state.current, current.time == time { return current }
    if demuxer.isStillImage, let current = state.current { return current }
    letGo()
    if isAhead(time), let frame = try decode(until: time, leavingOut: true) ?? held() {
      return frame
    }
    let candidates = candidates(for: time)
    // A decoder without all pictures may take the requested one for a late one, and drop it.
    for (index, keyframe) in candidates.enumerated() where try restart(at: keyframe) {
      let isLast = index == candidates.count - 1
      if let frame = try decode(until: time, leavingOut: !isLast) ?? held() { return frame }
    }
    if onDamage == .conceal, let frame = state.lookahead { return try damaged(frame) }
    throw MediaError(
      .frameMissing,
      "the frame at \(shownTime(time)) is missing or cannot be decoded", on: name,
      remedy: "copy the file again, or set export.onDamage to \"conceal\"")
  }

  /// The last decoded frame, to replace a missing one; `nil` if there is no reliable one, or if missing frames are
  /// errors.
  private func held() throws -> Frame? {
    guard onDamage == .conceal, let current = state.current,
      state.start.map({ current.time >= $0 }) ?? true
    else { return nil }
    return try damaged(current)
  }

  /// A copy of a frame, marked as damaged because it replaces another one.
  private func damaged(_ frame: Frame) throws -> Frame {
    let copy = try Frame(sharing: frame)
    copy.isDamaged = true
    return copy
  }

  /// The de-interlaced frame at a time; its decoded frame is the current one.
  private func deinterlaced(at time: Int64, by deinterlacer: Deinterlacer) throws -> Frame {
    if !knowsPrevious { try restart(before: time) }
    while state.lookahead == nil, let frame = try nextFrame() {
      if frame.time > time { state.lookahead = frame }
    }
    let current = try decoded(at: time)
    let frame = try deinterlacer.frame(
      current, previous: state.previous, next: state.lookahead)
    frame.isDamaged =
      current.isDamaged || state.previous?.isDamaged ?? false
      || state.lookahead?.isDamaged ?? false
    whole = frame
    return frame
  }

  /// Whether the frame before the current one is known, or known not to exist. Frames that are presented before the
  /// keyframe at which decoding began do not count, because the frames that they refer to may be missing.
  private var knowsPrevious: Bool {
    guard !state.hasLeftOut else { return false }
    guard let time = state.times.previous else { return state.start == nil }
    return state.previous != nil && state.start.map { time >= $0 } ?? true
  }

  /// Decodes the frame at `time` again, from a keyframe before it.
  private func restart(before time: Int64) throws {
    for keyframe in candidates(for: time - 1) where try restart(at: keyframe) {
      if try decode(until: time, leavingOut: false) != nil, knowsPrevious { return }
    }
  }

  /// Whether decoding on from the current position reaches `time`, with no later keyframe to start from.
  private func isAhead(_ time: Int64) -> Bool {
    let keyframe = stream.frames.keyframe(atOrBefore: time)
    if onDamage == .conceal, !state.isAtStart, state.start != keyframe?.time { return false }
    guard let position = state.times.current ?? state.lookahead?.time else {
      return state.isAtStart && keyframe == stream.frames.starts.first
    }
    // Past the last frame, concealment holds it. Decoding up to it again for each missing frame would change nothing.
    guard time > position, !state.isExhausted || onDamage == .conceal else { return false }
    guard let keyframe, let sent = state.sentKeyframe else { return true }
    return (keyframe.packetTime ?? keyframe.time) <= max(sent, position)
  }

  /// The keyframes to start from: the nearest first, the stream's start (`nil`) last.
  private func candidates(for time: Int64) -> [FrameTable.Keyframe?] {
    let (starts, count) = (stream.frames.starts, stream.frames.startCount(upTo: time))
    let nearest = starts[max(count - 1 - Self.earlierKeyframes, 0)..<count].reversed()
    return nearest.map { $0 } + [nil]
  }

  /// Moves to a keyframe, or to the stream's start; `false` if the container cannot seek there.
  private func restart(at keyframe: FrameTable.Keyframe?) throws -> Bool {
    state = State(steady: SteadyTimes(of: demuxer))
    damage.restart()
    if let keyframe {
      if onDamage == .fail { decoder.flush() } else { decoder = try opened() }
      do {
        try demuxer.seek(stream: stream.streamIndex, to: keyframe)
      } catch let error as MediaError where error.code == .damaged {
        return false
      }
    } else {
      demuxer = try Demuxer(source: source, named: name)
      demuxer.select(streams: [stream.streamIndex])
      // A flushed decoder would keep the parameter sets that it read last.
      decoder = try opened()
    }
    state.isAtStart = keyframe == nil
    state.start = keyframe?.time
    return true
  }

  private func opened() throws -> VideoDecoder {
    try VideoDecoder(
      demuxer.streams[stream.streamIndex], named: name, pictures: pictures,
      x264Build: stream.x264Build)
  }

  /// Decodes up to `time`; `nil` if the stream skips that time or ends before it. If pictures were left out wrongly, this
  /// decodes them again.
  private func decode(until time: Int64, leavingOut: Bool) throws -> Frame? {
    do {
      return try decode(until: time, leavingOutBefore: leavingOut ? time : .min)
    } catch is NumberGap {
      mayLeaveOut = false
      let keyframe = stream.frames.starts.first { $0.time == state.start }
      guard try restart(at: keyframe) else { return nil }
      return try decode(until: time, leavingOutBefore: .min)
    }
  }

  private func decode(until time: Int64, leavingOutBefore wanted: Int64) throws -> Frame? {
    if let lookahead = state.lookahead {
      guard lookahead.time <= time else { return nil }
      state.lookahead = nil
      state.show(lookahead, keepingPrevious: keepsPrevious)
      if lookahead.time == time { return lookahead }
    }
    while let frame = try nextFrame(leavingOutBefore: wanted) {
      if state.hasLeftOut { damage.forget(before: frame.time) }
      guard frame.time <= time || demuxer.isStillImage else {
        state.lookahead = frame
        return nil
      }
      state.show(frame, keepingPrevious: keepsPrevious)
      if frame.time == time || demuxer.isStillImage { return frame }
      if !keepsPrevious, onDamage == .fail { state.current = nil }
    }
    return nil
  }

  /// The next frame, or the next one at or after `wanted` if those before it may be left out.
  private func nextFrame(leavingOutBefore wanted: Int64 = .min) throws -> Frame? {
    while true {
      switch try decoder.receive() {
      case .frame(let frame):
        if decoder.takeBreak() { damage.breakLast() }
        frame.isDamaged = damage.receive(time: frame.time, isCorrupt: frame.isCorrupt)
        if frame.isInterlaced {
          mayLeaveOut = false
          if deinterlacer != nil { keepsPrevious = true }
        }
        guard stream.frames.keyframes.isEmpty else { return frame }
        guard let time = try state.steady.time(of: frame, named: name) else { continue }
        frame.time = time
        return frame
      case .endOfStream:
        if decoder.takeBreak() { damage.breakLast() }
        state.isExhausted = true
        return nil
      case .needsInput:
        if state.endIsSent { return nil }
        try sendPacket(wantedFrom: wanted)
      }
    }
  }

  /// Reads the next packet. If damage is concealed, the stream ends where it becomes unreadable.
  private func next() throws -> Demuxer.ReadResult {
    do {
      return try demuxer.read(into: packet)
    } catch let error as MediaError where error.code == .damaged && onDamage == .conceal {
      return .endOfStream
    }
  }

  /// Whether the picture of the packet need not be decoded if no other picture refers to it.
  private func isUnwanted(before wanted: Int64) -> Bool {
    guard mayLeaveOut, !packet.isKey, let time = packet.time else { return false }
    return time < wanted
  }

  private func sendPacket(wantedFrom wanted: Int64) throws {
    while true {
      switch try next() {
      case .packet:
        guard packet.streamIndex == stream.streamIndex else { continue }
        state.isAtStart = false
        if packet.isKey, let time = packet.time { state.sentKeyframe = time }
        damage.send(time: packet.time ?? packet.decodingTime)
        // Transport streams mark packets after every jump of their counters, which joined files contain.
        let marksDamage = demuxer.format.hasPrefix("mov,") || demuxer.format == "avi"
        if packet.isCorrupt, marksDamage { damage.breakLast() }
        if isUnwanted(before: wanted) {
          state.hasLeftOut = true
          try decoder.send(unwanted: packet)
        } else {
          try decoder.send(packet)
        }
        if decoder.takeGap(), state.hasLeftOut { throw NumberGap() }
        if decoder.takeBreak() { damage.breakLast() }
        return
      case .endOfStream:
        state.endIsSent = true
        return try decoder.send(nil)
      }
    }
  }
}
