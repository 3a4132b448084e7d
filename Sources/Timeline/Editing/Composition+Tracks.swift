extension Composition {
  /// Adds an empty track.
  ///
  /// - Parameter preferredID: The id for the track. It is used if it is positive and no track of the composition has
  ///   ever had it. Otherwise, or if it is `nil`, a new id is chosen.
  /// - Returns: The id of the track.
  @discardableResult
  public mutating func addTrack(mediaType: MediaType, preferredID: Int? = nil) -> Int {
    let id = preferredID.flatMap { isUnused($0) ? $0 : nil } ?? unusedTrackID()
    tracks.append(Track(id: id, mediaType: mediaType))
    return id
  }

  /// Removes a track and its segments. Its id is not reused.
  ///
  /// - Throws: ``EditError/Code/unknownTrack``.
  public mutating func removeTrack(_ id: Int) throws(EditError) {
    tracks.remove(at: try number(ofTrack: id))
  }

  /// Edits a track in place. If `edit` throws, the composition is unchanged.
  ///
  /// - Throws: ``EditError/Code/unknownTrack``, or any error that `edit` throws.
  public mutating func editTrack<Outcome>(
    _ id: Int, _ edit: (inout Track) throws -> Outcome
  ) throws -> Outcome {
    let number = try number(ofTrack: id)
    var track = tracks[number]
    let outcome = try edit(&track)
    tracks[number] = track
    return outcome
  }

  /// The tracks of a media type, in order.
  public func tracks(mediaType: MediaType) -> [Track] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// The first track that accepts ranges of an asset's track, which is the first one of its media type; `nil` if a new
  /// track is needed.
  public func track(compatibleWith assetTrack: AssetTrack) -> Track? {
    tracks.first { $0.mediaType == assetTrack.mediaType }
  }

  /// The index in ``tracks`` of the track with the id.
  func number(ofTrack id: Int) throws(EditError) -> Int {
    guard let number = tracks.firstIndex(where: { $0.id == id }) else {
      throw .unknownTrack(id, known: tracks.map(\.id))
    }
    return number
  }

  private func isUnused(_ id: Int) -> Bool { id > 0 && !usedTrackIDs.contains(id) }

  /// The number after the highest id ever used, or the lowest unused number if that is impossible.
  private func unusedTrackID() -> Int {
    let highest = max(usedTrackIDs.max() ?? 0, 0)
    guard highest == .max else { return highest + 1 }
    var id = 1
    while !isUnused(id) { id += 1 }
    return id
  }
}
