import Media

/// Everything that decides the bytes of a chunk or a mix besides its description.
public enum Fingerprint {
  /// The version of Sheaf's rendering. Raise it with every change of compositing, sampling, mixing or encoder settings that
  /// changes the bytes of an existing description.
  public static let renderingVersion = 21

  /// A line that is equal on two hosts exactly if equal content keys mean equal bytes there: Sheaf's rendering version
  /// and the versions of the libraries.
  public static let current = "sheaf \(renderingVersion), \(MediaVersions.fingerprint)"
}
