/// The simulated load.
struct LoadConfiguration: Sendable {
  /// The addresses of the farm's coordinators, over which the workers are divided.
  var coordinators: [String] = []
  /// The file that the jobs show.
  var still = ""
  var workers = 1000
  var streams = 200
  /// How long the workers work; `nil` if they work until all segments are delivered.
  var seconds: Double?
  /// The number of segments of all jobs; `nil` if the workers work for a time.
  var segments: Int?
  /// The number of segments after each of which the progress is printed; `nil` for a tenth.
  var stage: Int?
  /// How long a segment takes to render, on average.
  var segmentSeconds = 5.0
  /// The number of bytes that are added to each chunk.
  var paddingBytes = 0

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else {
        throw UsageError(description: "\(name) needs a value")
      }
      switch name {
      case "--coordinator": coordinators.append(value)
      case "--still": still = value
      case "--workers": workers = try Self.number(name, value, from: 1)
      case "--streams": streams = try Self.number(name, value, from: 0)
      case "--seconds": seconds = Double(try Self.number(name, value, from: 1))
      case "--segments": segments = try Self.number(name, value, from: 1)
      case "--stage": stage = try Self.number(name, value, from: 1)
      case "--segment-seconds": segmentSeconds = Double(try Self.number(name, value, from: 1))
      case "--padding": paddingBytes = try Self.number(name, value, from: 0)
      default: throw UsageError(description: "unknown option: \(name)")
      }
    }
    if segments == nil, seconds == nil { seconds = 60 }
    guard !coordinators.isEmpty, !still.isEmpty else {
      throw UsageError(description: "--coordinator URL and --still FILE are required")
    }
  }

  private static func number(_ name: String, _ value: String, from least: Int) throws -> Int {
    guard let number = Int(value), number >= least else {
      throw UsageError(
        description: "\(name) must be a whole number, and at least \(least): '\(value)'")
    }
    return number
  }
}
