/// The frame rates that are used for an output unless the project sets another one.
package enum StandardFrameRates {
  /// Frames per second, in increasing order.
  package static let all: [RationalTime] = [
    ntsc(24), RationalTime(24), RationalTime(25), ntsc(30), RationalTime(30), RationalTime(48),
    RationalTime(50), ntsc(60), RationalTime(60), RationalTime(120),
  ]

  /// The lowest rate that shows every frame of a stream, wherever it starts; `nil` if none does.
  ///
  /// A frame that lasts at least as long as an output frame is always shown by one, regardless of its phase.
  package static func lowest(showingEveryFrameOf rhythm: FrameRhythm) -> RationalTime? {
    switch rhythm {
    case .steady(let rate): all.first { $0 >= rate }
    case .variable(let shortest):
      all.first { rate in (try? rate * shortest).map { $0 >= RationalTime(1) } ?? false }
    }
  }

  /// The rate of an output that shows streams of these rhythms: the lowest that shows every frame of each, or the
  /// highest standard rate if none does; `nil` without streams.
  package static func rate(showing rhythms: some Sequence<FrameRhythm>) -> RationalTime? {
    rhythms.map { lowest(showingEveryFrameOf: $0) ?? all[all.count - 1] }.max()
  }

  /// An NTSC rate: a whole rate divided by 1.001.
  private static func ntsc(_ rate: Int64) -> RationalTime {
    (try? RationalTime(rate * 1000, 1001)) ?? RationalTime(rate)
  }
}
