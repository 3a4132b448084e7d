/// A tree of layers over the video, the counterpart of AVFoundation's `AVVideoCompositionCoreAnimationTool`.
///
/// The tree's space is the render size, origin top left, y down. If the tree has no ``track``, the output of every
/// instruction that enables post-processing becomes the ``LayerContent/video`` layer, or is drawn beneath all layers if
/// there is no such layer.
public struct Animation: Hashable, Encodable, Sendable {
  /// The layers. Of layers with the same ``AnimationLayer/zPosition``, later ones are on top.
  public var layers: [AnimationLayer]
  /// The id of the track that the tree forms, for use in layer instructions; `nil` for a tree over the video.
  public var track: Int?

  /// Creates a tree.
  public init(layers: [AnimationLayer], track: Int? = nil) {
    self.layers = layers
    self.track = track
  }

  /// All layers with their paths in the tree. A group precedes its layers.
  public var allLayers: [(path: LayerPath, layer: AnimationLayer)] {
    layers.enumerated().flatMap { $1.allLayers(at: LayerPath([$0])) }
  }

  /// The names of the assets that the layers show.
  public var assets: Set<String> {
    Set(
      allLayers.compactMap { _, layer in
        guard case .image(let asset) = layer.content else { return nil }
        return asset
      })
  }
}

/// The path of a layer in the tree: an index for each level, outermost first.
public struct LayerPath: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The indexes, from 0.
  public var numbers: [Int]

  /// Creates a path from its indexes.
  public init(_ numbers: [Int]) { self.numbers = numbers }

  /// The path in the project file, e.g. `videoComposition.animation.layers[0].layers[2]`.
  public var description: String {
    "videoComposition.animation" + numbers.map { ".layers[\($0)]" }.joined()
  }

  /// The path of a layer within this one.
  func appending(_ number: Int) -> LayerPath { LayerPath(numbers + [number]) }
}

extension AnimationLayer {
  fileprivate func allLayers(at path: LayerPath) -> [(path: LayerPath, layer: AnimationLayer)] {
    guard case .group(let layers) = content else { return [(path, self)] }
    return [(path, self)]
      + layers.enumerated().flatMap { $1.allLayers(at: path.appending($0)) }
  }
}
