import Timeline

/// A project in its sequence form: consecutive clips, transitions between them, and background music.
public struct ClipSequence: Hashable, Sendable {
  /// Clips and transitions in order. Each transition is between two clips.
  public var items: [SequenceItem]
  /// The music that plays along with the clips.
  public var music: [MusicClip]
  /// How clips without a fit of their own fill the frame.
  public var fit: Fit
  /// The output's size in pixels; derived from the clips if `nil`.
  public var renderSize: PixelSize?
  /// Frames per second of the output; derived from the clips if `nil`.
  public var frameRate: RationalTime?
  /// Layers over the video. Their images are named by path or URL. If the project file has relative lengths, these are
  /// their values for a size that is assumed until the output's is known; a new value replaces them.
  public var animation: Animation? { didSet { relativeAnimation = nil } }
  /// The animation as written, if it has relative lengths.
  var relativeAnimation: JSONValue?
  /// Titles over the layers.
  public var titles: [SequenceTitle]
  /// The export settings of the file.
  public var export: ExportSettings

  /// Creates a sequence.
  public init(
    items: [SequenceItem], music: [MusicClip] = [], fit: Fit = .contain,
    renderSize: PixelSize? = nil, frameRate: RationalTime? = nil, animation: Animation? = nil,
    titles: [SequenceTitle] = [], export: ExportSettings = ExportSettings(.automatic)
  ) {
    self.items = items
    self.music = music
    self.fit = fit
    self.renderSize = renderSize
    self.frameRate = frameRate
    self.animation = animation
    self.titles = titles
    self.export = export
  }

  /// The files in use. An asset's name is its path or URL as written.
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
  /// A transition from the previous clip to the next one.
  case transition(SequenceTransition)
}

/// A range of a file with video, and with its audio if it has any.
public struct SequenceClip: Hashable, Sendable {
  /// The file's path, relative to the project file, or its URL.
  public var path: String
  /// The start of the range in the asset, in seconds; `nil` means 0.
  public var inPoint: RationalTime?
  /// The end of the range in the asset, in seconds. If this and ``duration`` are `nil`, the range ends with the asset.
  public var outPoint: RationalTime?
  /// The length of the range in seconds, instead of ``outPoint``.
  public var duration: RationalTime?
  /// The gain of the clip's audio. The default is 1.
  public var volume: Double
  /// How the clip fills the frame. `nil` means ``ClipSequence/fit``.
  public var fit: Fit?
  /// The speed at which the range plays.
  public var speed: ClipSpeed
  /// The pitch algorithm for speeds other than 1.
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

/// The audio of a file, played along with the clips. It is cut off at the end of the video.
public struct MusicClip: Hashable, Sendable {
  /// The file's path, relative to the project file, or its URL.
  public var path: String
  /// The start time in the output, in seconds.
  public var start: RationalTime
  /// The start of the range in the asset, in seconds; `nil` means 0.
  public var inPoint: RationalTime?
  /// The end of the range in the asset, in seconds; `nil` means the asset's end.
  public var outPoint: RationalTime?
  /// The gain. The default is 1.
  public var volume: Double
  /// The length of the fade-in, in seconds.
  public var fadeIn: RationalTime
  /// The length of the fade-out, in seconds.
  public var fadeOut: RationalTime
  /// Whether the range repeats until the video ends.
  public var loops: Bool
  /// The speed, in seconds of the file per second.
  public var speed: RationalTime
  /// The pitch algorithm for speeds other than 1.
  public var pitch: AudioTimePitchAlgorithm
  /// How the music is ducked under the audio of the clips. `nil` means not at all.
  public var duck: Ducking?

  /// Creates a music clip.
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
