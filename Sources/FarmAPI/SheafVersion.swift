/// The version of the programs: the coordinator, the workers and the command line have the same one.
public enum SheafVersion {
  /// The version of this build. `CHANGELOG.md` lists the changes of each version.
  public static let current = "0.9.0"
}
