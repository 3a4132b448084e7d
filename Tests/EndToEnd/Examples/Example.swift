import Foundation

/// The expected content of an example's file.
struct Example: Sendable, CustomStringConvertible {
  /// A pixel of the finished file.
  struct Pixel: Sendable {
    /// The position from the top left, as fractions of the picture's width and height.
    let x: Double
    let y: Double
    /// The expected color.
    let color: ExampleMedia.Color
  }

  /// The name of the project in `examples/`, without `.json`.
  let name: String
  /// The number of frames in the file.
  let frameCount: Int
  /// The pixels to check, by frame number.
  let frames: [Int: [Pixel]]

  var description: String { name }

  /// Every example, sorted by name.
  static let all: [Example] = [
    easedPush,
    Example(
      name: "end-card", frameCount: 180,
      frames: [
        150: [
          Pixel(x: 0.05, y: 0.05, color: ExampleMedia.paper),
          Pixel(x: 0.3, y: 0.62, color: ExampleMedia.slate),
        ]
      ]),
    fadeThroughColor,
    Example(
      name: "iris-and-clock", frameCount: 390,
      frames: [
        135: [
          Pixel(x: 0.5, y: 0.5, color: ExampleMedia.market),
          Pixel(x: 0.01, y: 0.01, color: ExampleMedia.harbor),
        ]
      ]),
    Example(
      name: "luma-wipe", frameCount: 240,
      frames: [
        120: [
          Pixel(x: 0.3, y: 0.5, color: ExampleMedia.market),
          Pixel(x: 0.7, y: 0.5, color: ExampleMedia.harbor),
        ]
      ]),
    Example(
      name: "music-ducking", frameCount: 330,
      frames: [60: [Pixel(x: 0.5, y: 0.5, color: ExampleMedia.harbor)]]),
    Example(
      name: "lower-third", frameCount: 180,
      frames: [
        90: [
          Pixel(x: 0.6, y: 0.7, color: ExampleMedia.slate),
          Pixel(x: 0.7, y: 0.7, color: ExampleMedia.harbor),
          Pixel(x: 0.6, y: 0.95, color: ExampleMedia.harbor),
        ]
      ]),
    Example(
      name: "music-loop", frameCount: 450,
      frames: [
        225: [
          Pixel(
            x: 0.5, y: 0.5,
            color: .mix(0.5, of: ExampleMedia.harbor, over: ExampleMedia.market))
        ]
      ]),
    Example(
      name: "picture-in-picture", frameCount: 180,
      frames: [
        90: [
          Pixel(x: 0.25, y: 0.5, color: ExampleMedia.harbor),
          Pixel(x: 0.75, y: 0.25, color: ExampleMedia.market),
          Pixel(x: 0.75, y: 0.75, color: ExampleMedia.harbor),
        ]
      ]),
    Example(
      name: "portrait-mix", frameCount: 390,
      frames: [
        150: [
          Pixel(x: 0.5, y: 0.5, color: ExampleMedia.market),
          Pixel(x: 0.05, y: 0.1, color: ExampleMedia.market),
        ]
      ]),
    Example(
      name: "rolling-credits", frameCount: 240,
      frames: [
        120: [
          Pixel(x: 0.75, y: 0.5, color: ExampleMedia.station),
          Pixel(x: 0.75, y: 0.1, color: .black), Pixel(x: 0.02, y: 0.5, color: .black),
        ]
      ]),
    Example(
      name: "slide", frameCount: 465,
      frames: [
        168: [
          Pixel(x: 0.02, y: 0.5, color: ExampleMedia.harbor),
          Pixel(x: 0.98, y: 0.5, color: ExampleMedia.market),
        ]
      ]),
    Example(
      // At 8.2 s of the output, 15 frames of a dissolve: the ramps take 2, 1.6, 2, 1.6 and 1.5 s.
      name: "speed-ramp", frameCount: 396,
      frames: [
        245: [Pixel(x: 0.5, y: 0.5, color: ExampleMedia.harbor)],
        252: [
          Pixel(
            x: 0.5, y: 0.5, color: .mix(0.6, of: ExampleMedia.harbor, over: ExampleMedia.market))
        ],
        261: [Pixel(x: 0.5, y: 0.5, color: ExampleMedia.market)],
      ]),
    Example(
      name: "timecode", frameCount: 120,
      frames: [
        60: [
          Pixel(x: 0.5, y: 0.5, color: ExampleMedia.market),
          Pixel(
            x: 0.3, y: 0.85, color: .mix(0.6, of: .black, over: ExampleMedia.market)),
        ]
      ]),
    Example(
      name: "watermark", frameCount: 210,
      frames: [
        30: [
          Pixel(x: 0.5, y: 0.5, color: ExampleMedia.harbor),
          Pixel(
            x: 0.942, y: 0.895, color: .mix(0.5, of: .white, over: ExampleMedia.harbor)),
        ]
      ]),
  ]
}
