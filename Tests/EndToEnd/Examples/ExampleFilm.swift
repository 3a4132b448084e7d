import Foundation
import Timeline

/// Examples as one project: their sequences one after the other, each under its own layers.
struct ExampleFilm {
  private var sequence: [Any] = []
  private var layers: [Any] = []
  private var music: [Any] = []
  private var frameCount = 0
  private var frames: [Int: [Example.Pixel]] = [:]

  /// The expected content of the whole file.
  var whole: Example { Example(name: "film", frameCount: frameCount, frames: frames) }

  /// The project.
  var text: String {
    get throws {
      let project: [String: Any] = [
        "version": 1, "sequence": sequence, "music": music, "animation": ["layers": layers],
        "export": ["video": ["encoderPreset": "ultrafast"]],
      ]
      return String(
        decoding: try JSONSerialization.data(
          withJSONObject: project, options: [.withoutEscapingSlashes]), as: UTF8.self)
    }
  }

  /// Appends an example of a sequence.
  mutating func append(_ example: Example) throws {
    let document = try Self.object(
      JSONSerialization.jsonObject(with: Data(example.text.utf8)), in: example)
    guard let items = document["sequence"] as? [[String: Any]] else {
      throw Failure(description: "\(example.name) has no sequence")
    }
    let start = try RationalTime("\(frameCount)/30")
    sequence += items.map { item -> Any in
      guard let fit = document["fit"], item["clip"] != nil, item["fit"] == nil else { return item }
      return item.merging(["fit": fit]) { own, _ in own }
    }
    music += document["music"] as? [Any] ?? []
    let animation = document["animation"] as? [String: Any] ?? [:]
    for layer in animation["layers"] as? [Any] ?? [] {
      var moved = try Self.object(Self.moved(layer, by: start), in: example)
      if moved["timeRange"] == nil {
        moved["timeRange"] = [
          "start": start.description, "duration": "\(example.frameCount)/30",
        ]
      }
      if let area = animation["safeArea"], moved["safeArea"] == nil { moved["safeArea"] = area }
      layers.append(moved)
    }
    for (frame, pixels) in example.frames { frames[frameCount + frame] = pixels }
    frameCount += example.frameCount
  }

  /// The value with all its times later.
  private static func moved(_ value: Any, by time: RationalTime) throws -> Any {
    if let list = value as? [Any] { return try list.map { try moved($0, by: time) } }
    guard var object = value as? [String: Any] else { return value }
    for (key, inner) in object { object[key] = try moved(inner, by: time) }
    if var range = object["timeRange"] as? [String: Any] {
      range["start"] = try later(range["start"], by: time)
      object["timeRange"] = range
    }
    // Only animations have a property.
    if object["property"] != nil {
      object["beginTime"] = try later(object["beginTime"], by: time)
    }
    return object
  }

  private static func later(_ value: Any?, by time: RationalTime) throws -> String {
    try (RationalTime("\(value ?? 0)") + time).description
  }

  private static func object(_ value: Any, in example: Example) throws -> [String: Any] {
    guard let object = value as? [String: Any] else {
      throw Failure(description: "\(example.name) has a value that is not an object")
    }
    return object
  }

  /// An example that cannot be part of a film.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
