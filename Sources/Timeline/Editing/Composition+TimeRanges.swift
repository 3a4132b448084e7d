extension Composition {
  /// Inserts a range of all tracks of an asset.
  ///
  /// Each track of the asset goes into the first compatible track that is not yet taken by another track of the asset,
  /// or into a new one. Everything from the insertion time on is shifted later by the range's duration, in every track.
  ///
  /// - Parameters:
  ///   - range: The range in the asset's time, in seconds.
  ///   - time: The time in the composition, in seconds. `nil` appends the range to the composition.
  /// - Returns: The ids of the composition's tracks that were used, in the order of ``IndexedAsset/tracks``.
  /// - Throws: ``EditError``. The composition is unchanged then.
  @discardableResult
  public mutating func insertTimeRange(
    _ range: TimeRange, of asset: IndexedAsset, at time: RationalTime? = nil
  ) throws(EditError) -> [Int] {
    guard !asset.tracks.isEmpty else {
      throw EditError(
        code: .unknownAssetTrack,
        message: "the asset \"\(asset.name)\" has no track; use an asset that has one")
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

  /// Inserts an empty range into all tracks. Everything from the start of the range on is shifted later by its
  /// duration.
  ///
  /// Tracks that end before the range are unchanged: neither a track nor the composition ends with an empty range.
  ///
  /// - Throws: ``EditError``. The composition is unchanged then.
  public mutating func insertEmptyTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editTracks { track throws(EditError) in try track.insertEmptyTimeRange(range) }
  }

  /// Removes a range from all tracks. Segments are trimmed, and everything after the range moves earlier to close the
  /// gap.
  ///
  /// Tracks are never removed, even if they become empty.
  ///
  /// - Throws: ``EditError``. The composition is unchanged then.
  public mutating func removeTimeRange(_ range: TimeRange) throws(EditError) {
    try EditError.checkRange(range)
    try editTracks { track throws(EditError) in try track.removeTimeRange(range) }
  }

  /// Changes the speed of a range of all tracks so that it has a new duration. Everything after it moves accordingly.
  ///
  /// - Throws: ``EditError``. The composition is unchanged then.
  public mutating func scaleTimeRange(_ range: TimeRange, toDuration duration: RationalTime)
    throws(EditError)
  {
    try EditError.checkRange(range)
    try EditError.checkDuration(duration, of: "the scaled range")
    try editTracks { track throws(EditError) in
      try track.scaleTimeRange(range, toDuration: duration)
    }
  }

  /// Edits all tracks, or none if one of the edits throws.
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
        message:
          "a range that starts at \(start) s and lasts \(duration) s ends at a time that does not "
          + "fit in a 64-bit fraction; use simpler times")
    }
  }
}
