/// The builds of x264 that decoders of H.264 distinguish, because the streams of older ones deviate from the standard.
///
/// libavcodec decodes a stream the way its build of x264 encoded it, if a unit of supplemental information names the
/// build (`x264_build`, e.g. in `h264_direct.c` and `h264_mb.c`). It remembers the build until a unit names another
/// one, even across pictures that reset everything else.
enum X264Build {
  /// The last build whose B-frames predict motion differently, in every profile.
  static let lastOfOldMotion = 33
  /// The first build whose High 4:4:4 Predictive pictures are decoded like those of a stream that names no build.
  static let firstOfStandard = 151

  /// Whether decoders treat High 4:4:4 Predictive pictures of two builds alike; `nil` stands for no build.
  static func areAlike(_ one: Int?, _ other: Int?) -> Bool {
    isOld(one) == isOld(other)
  }

  /// A number that is the same for builds whose streams are decoded alike; `nil` stands for no build.
  static func behavior(of build: Int?) -> Int { min(build ?? firstOfStandard, firstOfStandard) }

  private static func isOld(_ build: Int?) -> Bool { build.map { $0 < firstOfStandard } ?? false }
}
