/// A project in its sequence form: clips one after another, transitions between them, music beneath.
public struct ClipSequence: Hashable, Sendable {
  /// Clips and transitions in order; a transition stands between two clips.
  public var items: [SequenceItem]
  /// Sound that plays beneath the clips.
  public var music: [MusicClip]
  /// How clips fill the frame that do not say it themselves.
  public var fit: Fit
  /// The output's size in pixels; derived from the clips if `nil`.
  public var renderSize: PixelSize?
  /// Frames per second of the output; derived from the clips if `nil`.
  public var frameRate: RationalTime?
  /// Layers over the video; the assets of its images are named by their paths or URLs.
  public var animation: Animation?
  /// The export settings of the file.
  public var export: ExportSettings

  /// Creates a sequence.
  public init(
    items: [SequenceItem], music: [MusicClip] = [], fit: Fit = .contain,
    renderSize: PixelSize? = nil, frameRate: RationalTime? = nil, animation: Animation? = nil,
    export: ExportSettings = ExportSettings()
  ) {
    self.items = items
    self.music = music
    self.fit = fit
    self.renderSize = renderSize
    self.frameRate = frameRate
    self.animation = animation
    self.export = export
  }

  /// The files in use; an asset's name is its path or URL as written.
  public var assets: [String: Asset] {
    var assets: [String: Asset] = [:]
    for case .clip(let clip) in items { assets[clip.path] = Asset(named: clip.path) }
    for case .transition(let transition) in items {
      if let map = transition.map { assets[map] = Asset(named: map) }
    }
    for clip in music { assets[clip.path] = Asset(named: clip.path) }
    for path in animation?.assets ?? [] { assets[path] = Asset(named: path) }
    return assets
  }
}

/// An entry of a sequence.
public enum SequenceItem: Hashable, Sendable {
  /// A range of a file.
  case clip(SequenceClip)
  /// How the clip before becomes the clip after.
  case transition(SequenceTransition)
}

/// A range of a file that has pictures, and plays with the sound it has.
public struct SequenceClip: Hashable, Sendable {
  /// The file's path, relative to the project file, or its URL.
  public var path: String
  /// The start of the range in the asset, in seconds; `nil` means 0.
  public var inPoint: RationalTime?
  /// The end of the range in the asset, in seconds; the asset's end if ``duration`` is `nil` too.
  public var outPoint: RationalTime?
  /// The length of the range in seconds, instead of ``outPoint``. A still image needs it.
  public var duration: RationalTime?
  /// The gain of the clip's sound, 1 by default.
  public var volume: Double
  /// How the clip fills the frame; ``ClipSequence/fit`` where `nil`.
  public var fit: Fit?
  /// How fast the range plays.
  public var speed: ClipSpeed
  /// The algorithm for the sound's pitch at another speed.
  public var pitch: AudioTimePitchAlgorithm

  /// Creates a clip.
  public init(
    path: String, inPoint: RationalTime? = nil, outPoint: RationalTime? = nil,
    duration: RationalTime? = nil, volume: Double = 1, fit: Fit? = nil,
    speed: ClipSpeed = .normal, pitch: AudioTimePitchAlgorithm = .spectral
  ) {
    self.path = path
    self.inPoint = inPoint
    self.outPoint = outPoint
    self.duration = duration
    self.volume = volume
    self.fit = fit
    self.speed = speed
    self.pitch = pitch
  }
}

/// A file's sound beneath the clips; it is cut where the video ends.
public struct MusicClip: Hashable, Sendable {
  /// The file's path, relative to the project file, or its URL.
  public var path: String
  /// When it begins to play, in seconds of the output.
  public var start: RationalTime
  /// The start of the range in the asset, in seconds; `nil` means 0.
  public var inPoint: RationalTime?
  /// The end of the range in the asset, in seconds; `nil` means the asset's end.
  public var outPoint: RationalTime?
  /// The gain, 1 by default.
  public var volume: Double
  /// The time in which the gain rises from 0 at the start, in seconds.
  public var fadeIn: RationalTime
  /// The time in which the gain falls to 0 at the end, in seconds.
  public var fadeOut: RationalTime
  /// Whether the range plays over and over until the video ends.
  public var loops: Bool
  /// Seconds of the file that play in one second.
  public var speed: RationalTime
  /// The algorithm for the pitch at another speed.
  public var pitch: AudioTimePitchAlgorithm
  /// How the music gives way to the clips' sound; not at all where `nil`.
  public var duck: Ducking?

  /// Creates music.
  public init(
    path: String, start: RationalTime = .zero, inPoint: RationalTime? = nil,
    outPoint: RationalTime? = nil, volume: Double = 1, fadeIn: RationalTime = .zero,
    fadeOut: RationalTime = .zero, loops: Bool = false, speed: RationalTime = RationalTime(1),
    pitch: AudioTimePitchAlgorithm = .spectral, duck: Ducking? = nil
  ) {
    self.path = path
    self.start = start
    self.inPoint = inPoint
    self.outPoint = outPoint
    self.volume = volume
    self.fadeIn = fadeIn
    self.fadeOut = fadeOut
    self.loops = loops
    self.speed = speed
    self.pitch = pitch
    self.duck = duck
  }
}
