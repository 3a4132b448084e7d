extension Composition {
  /// Adds an empty track and gives its id.
  ///
  /// - Parameter preferredID: the id that the track gets if it is above 0 and no track of the composition has or ever
  ///   had it; else, and where it is `nil`, the track gets one that none ever had.
  @discardableResult
  public mutating func addTrack(mediaType: MediaType, preferredID: Int? = nil) -> Int {
    let id = preferredID.flatMap { isUnused($0) ? $0 : nil } ?? unusedTrackID()
    tracks.append(Track(id: id, mediaType: mediaType))
    return id
  }

  /// Removes a track with all that it presents. Its id is not given again.
  ///
  /// - Throws: ``EditError/Code/unknownTrack``.
  public mutating func removeTrack(_ id: Int) throws(EditError) {
    tracks.remove(at: try number(ofTrack: id))
  }

  /// Changes a track in place; the composition stays as it was where the changes throw, even half-way.
  ///
  /// - Throws: ``EditError/Code/unknownTrack``, and what `edit` throws.
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

  /// The first track into which any range of an asset's track can be inserted: one of its media type; `nil` if there is
  /// none, and a new track of the media type will do.
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

  /// The number after the highest id ever used, or the lowest free one if there is no higher number.
  private func unusedTrackID() -> Int {
    let highest = max(usedTrackIDs.max() ?? 0, 0)
    guard highest == .max else { return highest + 1 }
    var id = 1
    while !isUnused(id) { id += 1 }
    return id
  }
}
