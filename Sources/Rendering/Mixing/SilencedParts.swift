import Crypto
import Planning
import Timeline

/// The damaged parts of sources that a mix plays as silence, each once.
struct SilencedParts {
  /// The parts, in the order in which they were found.
  private(set) var parts: [Concealment] = []
  /// The places of each asset's parts, in order of time.
  private var places: [Digest: [Int]] = [:]
  private let limit: Int
  private var exceedsLimit = false

  /// Creates an empty list.
  ///
  /// - Parameter limit: the maximum number of parts.
  init(limit: Int) { self.limit = limit }

  /// Records that samples of a source are silent because they are damaged.
  mutating func note(_ range: Range<Int64>, of source: AudioSource) {
    let rate = Int64(source.stream.sampleRate)
    guard let start = try? RationalTime(range.lowerBound, rate),
      let length = try? RationalTime(Int64(range.count), rate)
    else { return }
    let following = place(after: start, of: source.asset)
    if following > 0, let place = places[source.asset]?[following - 1] {
      let known = parts[place]
      // A part is read in blocks, possibly several times.
      if let end = try? known.time + (known.duration ?? .zero), start <= end,
        let reach = try? start + length
      {
        if reach > end { parts[place].duration = try? reach - known.time }
        return
      }
    }
    guard parts.count < limit else {
      exceedsLimit = true
      return
    }
    places[source.asset, default: []].insert(parts.count, at: following)
    parts.append(Concealment(asset: source.asset, time: start, duration: length))
  }

  /// The number of an asset's parts that begin at or before a time.
  private func place(after time: RationalTime, of asset: Digest) -> Int {
    guard let places = places[asset] else { return 0 }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[places[middle]].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Throws if there are more parts than allowed.
  ///
  /// - Parameter sources: the sources of the mix, which the message names.
  func check(of sources: [AudioSource]) throws {
    guard exceedsLimit else { return }
    let names = Set(sources.filter { places[$0.asset] != nil }.map(\.name)).sorted()
    let shown = names.prefix(20).joined(separator: ", ")
    throw RenderingError(
      .tooManyConcealments,
      "the sound would conceal more than \(limit) separate parts of damaged media, "
        + "which is more than a job can list: repair or replace the media: \(shown)"
        + (names.count > 20 ? " and \(names.count - 20) more" : ""))
  }
}
