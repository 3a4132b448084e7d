import CLibFuzzer
import Foundation
import Support

/// Changes a project's JSON values, because random changes of bytes rarely leave a readable file.
struct ProjectMutator {
  private var random: SeededRandom
  /// The values of the current project, which can be inserted elsewhere.
  private var scraps: [Any] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  /// Values near the model's limits.
  private let edges: [Any] = [
    0, 1, -1, 2, 7, 16, 100, 65_536, 1_000_000, Int.max, Int.min, 0.5, 1.0e-9, 1.0e300, true, false,
    "", "0", "1/2", "1/3", "2.5", "-1/7", "1001/30000", "1/9223372036854775807", "#102030",
    "linear",
    NSNull(), [String: Any](), [Any](), ["start": 0, "duration": "1/2"], ["x": 1, "y": -1.5],
  ]

  /// The project with one to four changes; `nil` if it is not JSON.
  mutating func mutated(_ text: Data) -> Data? {
    guard var value = try? JSONSerialization.jsonObject(with: text) else { return nil }
    scraps = []
    collect(value)
    for _ in 0..<Int.random(in: 1...4, using: &random) { value = changed(value) }
    guard JSONSerialization.isValidJSONObject(value) else { return nil }
    return try? JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
  }

  private mutating func collect(_ value: Any) {
    scraps.append(value)
    if let list = value as? [Any] { list.forEach { collect($0) } }
    if let object = value as? [String: Any] {
      object.keys.sorted().compactMap { object[$0] }.forEach { collect($0) }
    }
  }

  private mutating func scrap() -> Any {
    let pool = Bool.random(using: &random) ? edges : scraps
    return pool.randomElement(using: &random) ?? 0
  }

  /// The value with a change somewhere in it.
  private mutating func changed(_ value: Any) -> Any {
    if let list = value as? [Any] { return changed(list) }
    if let object = value as? [String: Any] { return changed(object) }
    if let number = value as? Int, Bool.random(using: &random) {
      return number &+ Int.random(in: -20...20, using: &random)
    }
    return scrap()
  }

  private mutating func changed(_ list: [Any]) -> Any {
    var list = list
    guard let place = list.indices.randomElement(using: &random) else { return [scrap()] }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: list.remove(at: place)
    case 1: list.insert(list[place], at: place)
    case 2: list.insert(scrap(), at: place)
    case 3: list.swapAt(place, Int.random(in: list.indices, using: &random))
    default: list[place] = changed(list[place])
    }
    return list
  }

  private mutating func changed(_ object: [String: Any]) -> Any {
    var object = object
    guard let key = object.keys.sorted().randomElement(using: &random), let value = object[key]
    else { return scrap() }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: object[key] = nil
    case 1: object[key] = scrap()
    case 2:
      let other = scraps.compactMap { $0 as? [String: Any] }.randomElement(using: &random) ?? [:]
      if let name = other.keys.sorted().randomElement(using: &random) { object[name] = other[name] }
    default: object[key] = changed(value)
    }
    return object
  }
}

/// The function that libFuzzer calls for the next input. It changes the JSON three times in four, and otherwise the
/// bytes.
@c(LLVMFuzzerCustomMutator)
public func mutateProject(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
) -> Int {
  var mutator = ProjectMutator(seed: UInt64(seed))
  guard seed % 4 != 0,
    let changed = mutator.mutated(Data(bytes: bytes, count: count)), changed.count <= limit
  else { return LLVMFuzzerMutate(bytes, count, limit) }
  changed.copyBytes(to: bytes, count: changed.count)
  return changed.count
}
