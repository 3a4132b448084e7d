import Media

/// Everything that decides a chunk's bytes besides its description.
public enum Fingerprint {
  /// The version of Sheaf's own part: raised with every change of compositing, sampling or encoder settings that
  /// makes other bytes of an old description.
  public static let renderingVersion = 15

  /// One line that is equal on two hosts exactly if equal content keys give equal bytes there: Sheaf's rendering
  /// version, and the versions of the libraries.
  public static let current = "sheaf \(renderingVersion), \(MediaVersions.fingerprint)"
}
