import Foundation
import Support
import Testing
import Timeline

/// The ducking example, against the numbers in its project.
@Suite(.mayBlock) struct DuckingExampleTests {
  private struct Project: Decodable {
    struct Music: Decodable {
      struct Duck: Decodable {
        let to: String
        let threshold: Double
        let hold: String
        let release: Double
      }
      let volume: String
      let fadeOut: Double
      let duck: Duck
    }
    struct Export: Decodable {
      struct Audio: Decodable { let loudness: Double }
      let audio: Audio
    }
    let music: [Music]
    let export: Export
  }

  /// The amplitude of a frequency in the left channel of the file around a time.
  private static func level(
    of frequency: Double, in samples: [Float], from start: Double, to end: Double
  ) -> Double {
    let range = Int(start * 48_000)..<Int(end * 48_000)
    var (real, imaginary) = (0.0, 0.0)
    for number in range {
      let angle = 2 * Double.pi * frequency * Double(number) / 48_000
      real += Double(samples[number]) * cos(angle)
      imaginary += Double(samples[number]) * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(range.count)
  }

  private static func decibels(_ ratio: Double) -> Double { 20 * log10(ratio) }

  @Test func `the example's music has the level and the ducking that the project sets`() throws {
    let work = try TemporaryDirectory()
    let example = try Example.named("music-ducking")
    let project = try JSONDecoder().decode(Project.self, from: Data(example.text.utf8))
    let music = try #require(project.music.first)
    let (to, volume) = (try #require(Double(music.duck.to)), try #require(Double(music.volume)))
    let hold = try RationalTime(music.duck.hold).seconds
    try ExampleMedia.write(namedIn: try example.text, to: work)
    let file = try example.rendered(in: work)
    try example.check(file)
    let sound = try PCM.read(file.path, channels: 2)[0]
    func bed(_ start: Double, _ end: Double) -> Double {
      Self.level(of: 220, in: sound, from: start, to: end)
    }

    // The first clip's tone is heard until it has faded from its −21 dB to the threshold, between 5 s and 6 s.
    let tone = Self.decibels(0.125 / 2.0.squareRoot())
    let silence = 6 - pow(10, (music.duck.threshold - tone) / 20)
    let rise = silence + hold
    let alone = bed(rise + music.duck.release + 0.1, 9)
    // Both sounds are sines with an amplitude of one eighth.
    let clip = Self.level(of: 440, in: sound, from: 1, to: 4.5)
    #expect(abs(Self.decibels(bed(1, 4.5) / clip) - Self.decibels(volume * to)) < 0.2)
    #expect(abs(Self.decibels(bed(1, 4.5) / alone) - Self.decibels(to)) < 0.2)
    #expect(abs(Self.decibels(bed(6, rise - 0.05) / alone) - Self.decibels(to)) < 0.2)
    // After half of the release, half of the decibels remain.
    let middle = rise + music.duck.release / 2
    let half = bed(middle - 0.025, middle + 0.025)
    #expect(abs(Self.decibels(half / alone) - Self.decibels(to) / 2) < 0.5)
    // Halfway through the fade at the end, half of the amplitude remains.
    let faded = 11 - music.fadeOut / 2
    #expect(abs(bed(faded - 0.05, faded + 0.05) / alone - 0.5) < 0.02)
    // The second clip is mute.
    #expect(Self.level(of: 440, in: sound, from: 6.1, to: 9) < alone / 1000)

    let report = try Tool.output(
      of: "ffmpeg", ["-nostats", "-i", file.path, "-af", "ebur128", "-f", "null", "-"]
    ).standardError
    let summary = try #require(report.components(separatedBy: "Summary:").last)
    let words = summary.split(whereSeparator: \.isWhitespace)
    let integrated = try #require(words.firstIndex(of: "I:"))
    let loudness = try #require(Double(words[integrated + 1]))
    #expect(abs(loudness - project.export.audio.loudness) <= 0.5)
  }
}
