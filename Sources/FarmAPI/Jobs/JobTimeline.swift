/// A job's timeline as an editor sees it, in seconds of the output. It is made when the job is planned.
public struct JobTimeline: Hashable, Codable, Sendable {
  /// A track or a row of layers.
  public struct Track: Hashable, Codable, Sendable {
    /// The kind of a track's items.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
      /// Pictures.
      case video = "video"
      /// Sound.
      case audio = "audio"
      /// Animation layers. The items of one track do not overlap.
      case layer = "layer"
    }

    /// The kind of its items.
    public var kind: Kind
    /// The items in order of their start.
    public var items: [Item]

    /// Creates a track.
    public init(kind: Kind, items: [Item]) {
      self.kind = kind
      self.items = items
    }
  }

  /// A clip, a sound or a layer.
  public struct Item: Hashable, Codable, Sendable {
    /// A name for people: the file's name, the beginning of a text, or the kind of a layer.
    public var name: String
    /// The asset's name in the project; `nil` if it shows none.
    public var asset: String?
    /// The start in seconds of the output.
    public var start: Double
    /// The end in seconds of the output.
    public var end: Double

    /// Creates an item.
    public init(name: String, asset: String?, start: Double, end: Double) {
      self.name = name
      self.asset = asset
      self.start = start
      self.end = end
    }
  }

  /// A time range in which two clips are blended.
  public struct Transition: Hashable, Codable, Sendable {
    /// The kind, e.g. `dissolve` or `wipe`; `blend` if the project does not name one.
    public var kind: String
    /// The start in seconds of the output.
    public var start: Double
    /// The end in seconds of the output.
    public var end: Double

    /// Creates a transition.
    public init(kind: String, start: Double, end: Double) {
      self.kind = kind
      self.start = start
      self.end = end
    }
  }

  /// The number of output frames; 0 for an audio-only file.
  public var frameCount: Int
  /// The length of one output frame in seconds; of one sample for an audio-only file.
  public var frameDuration: Double
  /// The length of the output in seconds.
  public var duration: Double
  /// The tracks: first those with pictures, then the layers, then those with sound.
  public var tracks: [Track]
  /// The transitions in order.
  public var transitions: [Transition]
  /// Whether items or transitions are left out because there are more than ``itemLimit``; `nil` if not.
  public var isShortened: Bool?

  /// The maximum number of items and transitions together.
  public static let itemLimit = 2000

  /// Creates a timeline.
  public init(
    frameCount: Int, frameDuration: Double, duration: Double, tracks: [Track],
    transitions: [Transition]
  ) {
    self.frameCount = frameCount
    self.frameDuration = frameDuration
    self.duration = duration
    self.tracks = tracks
    self.transitions = transitions
  }

  /// The number of its items and transitions.
  public var itemCount: Int { tracks.reduce(transitions.count) { $0 + $1.items.count } }
}
