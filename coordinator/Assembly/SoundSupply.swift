import FarmAPI
import Planning
import Preparation
import Timeline

/// The sound for a job's file: its parts while it is mixed, and then the finished mix.
struct SoundSupply {
  /// The end of each segment, in seconds.
  private let ends: [RationalTime]
  private let folder: String
  private let isSilent: Bool
  private var parts: [SoundPart] = []
  private var mix: AssetFile?
  /// The number of parts that the file that is being assembled has.
  private var passed = 0

  /// - Parameters:
  ///   - frameCounts: the numbers of frames in each segment.
  ///   - frameDuration: the length of a frame in seconds.
  ///   - folder: the folder with the parts' files.
  ///   - isSilent: whether the file has no sound.
  init(
    of frameCounts: [Int32], lasting frameDuration: RationalTime, in folder: String,
    isSilent: Bool
  ) throws {
    self.folder = folder
    self.isSilent = isSilent
    var frames: Int64 = 0
    ends = try frameCounts.map {
      frames += Int64($0)
      return try frameDuration * frames
    }
  }

  /// Whether the mix is finished.
  var isFinished: Bool { mix != nil }

  /// Records news about the sound.
  ///
  /// - Returns: the number of segments whose sound is available; `nil` if the file must wait for the finished mix.
  mutating func take(_ news: SoundNews) -> Int? {
    guard case .part(let part) = news, part.number == parts.count, parts.last?.isLast != true,
      parts.last.map({ $0.end < part.end }) ?? true
    else {
      withdraw()
      return nil
    }
    parts.append(part)
    return part.isLast ? ends.count : ends.prefixCount { $0 <= part.end }
  }

  /// Forgets the parts. The next file begins with the finished mix.
  mutating func withdraw() { (parts, passed) = ([], 0) }

  /// Whether an error means that the parts of the current file cannot be used. The finished mix may still be usable.
  func hasUnusableParts(_ error: any Error) -> Bool {
    passed != .max && (error as? JobError)?.failure.code == .badMix
  }

  /// Records the finished mix. A file that has some of the parts still gets the rest of them.
  ///
  /// - Returns: whether there are no parts, or all of them. Otherwise, the file must begin again.
  mutating func take(_ mix: AssetFile) -> Bool {
    self.mix = mix
    return parts.last?.isLast ?? true
  }

  /// The sound with which a file begins; `nil` if it has none.
  ///
  /// - Throws: ``JobError`` if the sound has not arrived.
  mutating func begin() throws -> AssemblySound? {
    if isSilent { return nil }
    if let mix {
      passed = .max
      return .mix(mix)
    }
    guard let first = parts.first else {
      throw JobError(.coordinator, "the file was begun without its sound: retry the job")
    }
    passed = 1
    return .parts(folder: folder, first: first)
  }

  /// The parts that the file does not have yet.
  mutating func next() -> [SoundPart] {
    guard passed < parts.count else { return [] }
    defer { passed = parts.count }
    return Array(parts[passed...])
  }
}

extension Array {
  /// The length of the prefix whose elements satisfy a condition that no later element satisfies.
  fileprivate func prefixCount(_ isFirst: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isFirst(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
