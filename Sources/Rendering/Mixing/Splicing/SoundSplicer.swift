import Crypto
import Media
import Planning
import Timeline

/// Makes a job's sound from copied packets where a source is heard alone and unchanged, and from encoded ones
/// elsewhere.
///
/// Every packet of a track holds the same number of samples, and players apply only the first entry of an edit list
/// with sample accuracy. So only the packets of runs on the same grid can be copied; the grid is that of most of the
/// sound.
public struct SoundSplicer {
  /// A finished file of sound.
  public struct Spliced {
    /// The length and checksum of the file.
    public let content: WrittenContent
    /// The length of the copied sound in seconds.
    public let copied: RationalTime
    /// The damaged sound that is silent.
    public let concealments: [Concealment]
    /// The peaks of the file's sound.
    public let waveform: Waveform?
  }

  /// The maximum number of times that the file is begun because a packet cannot be copied after all.
  private static let attemptLimit = 16
  /// The maximum number of times that runs are divided before anything is encoded.
  private static let divisionLimit = 256
  /// The maximum number of passes over a run's packets: two for the mix at its seams, and one each to look for missing
  /// packets, to find its beginning, to find its end and to copy it, for packets that are not kept.
  private static let passes = 6.0
  /// The maximum length of the passes, in lengths of the mix and of its sources.
  private static let mostRereading = 9.6

  private let mix: MixDescription
  private let parts: CopiedSoundParts
  private let open: (AudioSource) throws -> any ByteSource
  private let kept = KeptPackets()

  /// Creates the splicer of a mix; `nil` if nothing of it is copied.
  ///
  /// - Parameter open: opens a source's asset.
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  public init?(
    _ mix: MixDescription, open: @escaping (AudioSource) throws -> any ByteSource
  ) throws {
    guard let parts = mix.copiedParts else { return nil }
    guard mix.settings.codec == .aac, mix.settings.loudness == nil,
      parts.ranges.allSatisfy({ range in
        mix.sources.indices.contains(range.source) && range.sampleCount > 0
          && range.targetSample >= 0 && range.sampleCount < 1 << 62
          && range.targetSample < 1 << 62 && range.sourceSample.magnitude < 1 << 62
      })
    else { throw AudioMixer.invalid("it copies a missing source or an invalid range") }
    self.mix = mix
    self.parts = parts
    self.open = open
  }

  /// Writes the sound to a new MP4 file at `path`. The file depends on the mix only.
  ///
  /// - Parameter soundParts: writes the sound in parts as well.
  /// - Returns: `nil` if no packet can be copied. The file at `path` is then unusable.
  /// - Throws: `MediaError` if a source cannot be read or the file cannot be written, and the errors of ``AudioMixer``.
  public func splice(
    to path: String, parts soundParts: SoundPartWriter? = nil
  ) throws -> Spliced? {
    let mixer = try AudioMixer(mix: mix, open: open)
    let all = affordable(
      try parts.ranges.enumerated().compactMap {
        try CopiedRun($0.element, at: $0.offset, of: mix, open: open)
      })
    guard let grid = Self.commonGrid(of: all) else { return nil }
    var runs = try withoutGaps(all.filter { $0.grid == grid })
    for _ in 0..<Self.attemptLimit {
      guard runs.contains(where: { $0.copiedCount > 0 }) else { return nil }
      do {
        let splice = try Splice(
          of: runs, on: grid, mix: mix, mixer: mixer, parts: parts, kept: kept, open: open)
        let (content, file) = try splice.write(to: path, parts: soundParts)
        guard file.copiedCount > 0 else { return nil }
        return Spliced(
          content: content,
          copied: try RationalTime(file.copiedCount, Int64(mix.settings.sampleRate)),
          concealments: mixer.concealments, waveform: file.waveform)
      } catch let interruption as RunInterruption {
        runs = runs.enumerated().flatMap { index, run in
          index == interruption.run ? run.divided(at: interruption.packet) : [run]
        }.filter { !$0.packets.isEmpty }
      }
    }
    return nil
  }

  /// Divides runs at missing packets, so that nothing is encoded needlessly. After too many gaps, the rest of a run is left
  /// out.
  private func withoutGaps(_ runs: [CopiedRun]) throws -> [CopiedRun] {
    var found: [CopiedRun] = []
    var divisions = 0
    for run in runs {
      var rest: CopiedRun? = run
      while let piece = rest {
        rest = nil
        guard let gap = try firstGap(in: piece) else {
          found.append(piece)
          break
        }
        for part in piece.divided(at: gap) where !part.packets.isEmpty {
          if part.packets.upperBound <= gap {
            // Its packets have just been read.
            found.append(part)
          } else if divisions < Self.divisionLimit {
            divisions += 1
            rest = part
          }
        }
      }
    }
    return found
  }

  /// The first missing packet among those that may be copied; `nil` if there is none.
  private func firstGap(in run: CopiedRun) throws -> Int? {
    let wanted = run.candidates(inFile: mix.sampleCount - (mix.skippedSamples ?? 0))
    let packets = RunPackets(of: run, at: 0, kept: kept, open: open)
    do {
      for number in wanted {
        kept.keep(try packets.packet(number), number, ofRange: run.range)
      }
      return nil
    } catch let interruption as RunInterruption {
      return interruption.packet
    }
  }

  /// Leaves out runs of sources that can be read only from their beginning, such as Matroska and transport streams, if
  /// reading them again for each run would take much longer than mixing the sound.
  ///
  /// A run needs ``passes`` over its source up to its end. The passes of all runs of a grid may read at most
  /// ``mostRereading`` times as many samples as the mix and its sources have, each source up to its last run. So all
  /// runs are copied if there are only a few. If there are many, the time grows with the length of the sound, but not
  /// with their number. The runs in which most packets can be copied take precedence.
  private func affordable(_ runs: [CopiedRun]) -> [CopiedRun] {
    var ends: [AudioSource: Double] = [:]
    for run in runs where !run.isExact {
      ends[run.source] = max(ends[run.source] ?? 0, run.sourceEnd)
    }
    let most = Self.mostRereading * (Double(mix.sampleCount) + ends.values.reduce(0, +))
    var read: [PacketGrid: Double] = [:]
    var dropped: Set<Int> = []
    let longestFirst = runs.indices.sorted {
      (runs[$1].copiedCount, $0) < (runs[$0].copiedCount, $1)
    }
    for index in longestFirst where !runs[index].isExact {
      let run = runs[index]
      let total = read[run.grid, default: 0] + Self.passes * run.sourceEnd
      if total > most {
        dropped.insert(index)
      } else {
        read[run.grid] = total
      }
    }
    return runs.indices.filter { !dropped.contains($0) }.map { runs[$0] }
  }

  /// The grid on which most of the sound lies; the earlier one of two with equal shares.
  private static func commonGrid(of runs: [CopiedRun]) -> PacketGrid? {
    var shares: [PacketGrid: Int] = [:]
    for run in runs { shares[run.grid, default: 0] += run.copiedCount }
    guard let most = shares.values.max(), most > 0 else { return nil }
    return runs.first { shares[$0.grid] == most }?.grid
  }
}
