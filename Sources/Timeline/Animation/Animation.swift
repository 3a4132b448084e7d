/// A tree of layers over the video: what Core Animation's tool is to a video composition.
///
/// The tree's space is the render size, origin top left, y down. Where it has no ``track``, every instruction that
/// enables post-processing is drawn as its ``LayerContent/video`` layer, or beneath all layers where there is none.
public struct Animation: Hashable, Encodable, Sendable {
  /// The layers, each over those before it where their ``AnimationLayer/zPosition`` is the same.
  public var layers: [AnimationLayer]
  /// The id of the track that the tree makes, for layer instructions to place; `nil` for a tree around the video.
  public var track: Int?

  /// Creates a tree.
  public init(layers: [AnimationLayer], track: Int? = nil) {
    self.layers = layers
    self.track = track
  }

  /// Every layer with its path in the tree, each before the layers inside it.
  public var allLayers: [(path: LayerPath, layer: AnimationLayer)] {
    layers.enumerated().flatMap { $1.allLayers(at: LayerPath([$0])) }
  }

  /// The names of the assets whose pictures the layers show.
  public var assets: Set<String> {
    Set(
      allLayers.compactMap { _, layer in
        guard case .image(let asset) = layer.content else { return nil }
        return asset
      })
  }
}

/// The path of a layer in the tree: its number among the layers of each level, from the outermost.
public struct LayerPath: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The numbers, from 0.
  public var numbers: [Int]

  /// A path from its numbers.
  public init(_ numbers: [Int]) { self.numbers = numbers }

  /// The path in the project file, e.g. `videoComposition.animation.layers[0].layers[2]`.
  public var description: String {
    "videoComposition.animation" + numbers.map { ".layers[\($0)]" }.joined()
  }

  /// The path of a layer inside.
  func appending(_ number: Int) -> LayerPath { LayerPath(numbers + [number]) }
}

extension AnimationLayer {
  fileprivate func allLayers(at path: LayerPath) -> [(path: LayerPath, layer: AnimationLayer)] {
    guard case .group(let layers) = content else { return [(path, self)] }
    return [(path, self)]
      + layers.enumerated().flatMap { $1.allLayers(at: path.appending($0)) }
  }
}
