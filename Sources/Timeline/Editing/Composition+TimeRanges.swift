extension Composition {
  /// Inserts a range of an asset, all its tracks at once, and gives the ids of the tracks that took them in the order
  /// of ``IndexedAsset/tracks``.
  ///
  /// Each track of the asset goes into the first compatible track that no other one of them has taken, or into a new
  /// one. What the composition presents from the time on moves on by the range's duration, in every track.
  ///
  /// - Parameters:
  ///   - range: the range in the asset's time, in seconds.
  ///   - time: the time in the composition, in seconds; `nil` appends the range to the composition.
  /// - Throws: ``EditError``, with the composition as it was.
  @discardableResult
  public mutating func insertTimeRange(
    _ range: TimeRange, of asset: IndexedAsset, at time: RationalTime? = nil
  ) throws(EditError) -> [Int] {
    guard !asset.tracks.isEmpty else {
      throw EditError(
        code: .unknownAssetTrack,
        message: "the asset \"\(asset.name)\" has no track; name an asset that has one")
    }
    let start = time ?? duration
    let target = try Self.range(from: start, duration: range.duration)
    var edited = self
    var ids: [Int] = []
    for assetTrack in asset.tracks {
      let free = edited.tracks(mediaType: assetTrack.mediaType).first { !ids.contains($0.id) }
      let id = free?.id ?? edited.addTrack(mediaType: assetTrack.mediaType)
      let number = try edited.number(ofTrack: id)
      try edited.tracks[number].insertTimeRange(range, of: assetTrack, at: start)
      ids.append(id)
    }
    try edited.editTracks { track throws(EditError) in
      if !ids.contains(track.id) { try track.insertEmptyTimeRange(target) }
    }
    self = edited
    return ids
  }

  /// Inserts a range in which no track presents anything; what each presents from the range's start on moves on.
  ///
  /// A track that has ended by then stays as it is: neither a track nor the composition ends with an empty range.
  ///
  /// - Throws: ``EditError``, with the composition as it was.
  public mutating func insertEmptyTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editTracks { track throws(EditError) in try track.insertEmptyTimeRange(range) }
  }

  /// Removes what the tracks present in a range; segments are trimmed, and what comes after the range closes up.
  ///
  /// No track is removed, not even one that is empty then.
  ///
  /// - Throws: ``EditError``, with the composition as it was.
  public mutating func removeTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editTracks { track throws(EditError) in try track.removeTimeRange(range) }
  }

  /// Presents a range of all tracks faster or slower, so that it takes another duration; what comes after it moves.
  ///
  /// - Throws: ``EditError``, with the composition as it was.
  public mutating func scaleTimeRange(_ range: TimeRange, toDuration duration: RationalTime)
    throws(EditError)
  {
    try EditError.checkRange(range)
    try EditError.checkDuration(duration, of: "the scaled range")
    try editTracks { track throws(EditError) in
      try track.scaleTimeRange(range, toDuration: duration)
    }
  }

  /// Changes all tracks, or none if one of the changes throws.
  private mutating func editTracks(_ edit: (inout Track) throws(EditError) -> Void)
    throws(EditError)
  {
    var edited = tracks
    for number in edited.indices { try edit(&edited[number]) }
    tracks = edited
  }

  private static func range(from start: RationalTime, duration: RationalTime) throws(EditError)
    -> TimeRange
  {
    do throws(TimeError) {
      return try TimeRange(start: start, duration: duration)
    } catch {
      throw EditError(
        code: .overflow,
        message: "the end of a range at \(start) s of \(duration) s does not fit in a 64-bit "
          + "fraction; use simpler times")
    }
  }
}
