import Timeline

extension TrackSegment {
  /// The finding for media of the segment that cannot be decoded or is known to be damaged.
  func damageFindings(
    at path: FindingPath, mediaType: MediaType, index: MediaIndex, onDamage: DamagePolicy
  ) -> [Finding] {
    let kind = mediaType.rawValue
    let (reason, damage, timeBase): (String?, [DamagedRange], RationalTime)
    switch mediaType {
    case .video:
      let stream = index.video[trackIndex]
      (reason, damage, timeBase) = (stream.unreadable, stream.damage ?? [], stream.timeBase)
    case .audio:
      let stream = index.audio[trackIndex]
      (reason, damage, timeBase) = (stream.unreadable, stream.damage ?? [], stream.timeBase)
    }
    if let reason {
      return [
        Finding(
          path: "\(path).asset",
          problem: "\(kind) stream \(trackIndex) of the asset \"\(asset)\" \(reason)",
          remedy: "use a copy that can be read, e.g. H.264 with AAC")
      ]
    }
    guard onDamage == .fail else { return [] }
    for range in damage {
      guard let start = try? timeBase * range.start - index.start,
        let end = try? timeBase * range.end - index.start, start < source.end, end > source.start
      else { continue }
      var what = "\(kind) from \(start.threeDecimals) s to \(end.threeDecimals) s"
      if mediaType == .video {
        let number = index.video[trackIndex].frames.frame(at: range.start)
        what =
          "everything from frame \(number) at \(start.threeDecimals) s to"
          + " \(end.threeDecimals) s"
      }
      return [
        Finding(
          path: "\(path).source",
          problem: range.kind == .missing
            ? "the asset \"\(asset)\" is truncated: \(what) is missing"
            : "the asset \"\(asset)\" is damaged: \(what) cannot be read",
          remedy:
            "copy the file again, end the segment before it, or set export.onDamage to \"conceal\"",
          mentions: ["export.onDamage"])
      ]
    }
    return []
  }
}
