import Foundation

/// How much of what could be tried is tried: `make thorough` sets `SHEAF_THOROUGH=1`.
///
/// Some tests repeat one check so often that they would take half of a CI run. They then try a sample, spread over the
/// whole, and everything in a thorough run.
public enum Thoroughness {
  /// Whether this is a thorough run.
  public static let isFull = ProcessInfo.processInfo.environment["SHEAF_THOROUGH"] == "1"

  /// All cases in a thorough run; otherwise every `step`th case, starting with the first.
  public static func sample<Cases: Collection>(
    _ cases: Cases, every step: Int
  ) -> [Cases.Element] {
    isFull ? Array(cases) : cases.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }
}
