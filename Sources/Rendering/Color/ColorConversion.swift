import Timeline

/// The conversion of pictures from one color space to another, in real numbers.
///
/// If primaries and transfer are equal, luma and chroma are mapped directly. Otherwise, code values are converted to
/// light, which is tone-mapped if it goes from high to standard dynamic range, mapped to the other primaries, and coded
/// again. A light of 1 is white (``TransferCurve/white``).
package struct ColorConversion: Hashable, Sendable {
  /// The picture's color space.
  package var source: ColorSpace
  /// The color space to convert to.
  package var target: ColorSpace
  /// The assumed peak luminance of the source in cd/m², for tone mapping.
  package var peak: Int

  /// The peak of a PQ source that does not state one.
  private static let usualPeak = 1000

  /// Creates the conversion of a source with the metadata of its stream; `nil` if there is nothing to convert.
  package init?(from source: ColorSpace, to target: ColorSpace, hdr: HDRMetadata? = nil) {
    guard source != target else { return nil }
    self.source = source
    self.target = target
    let display = hdr?.masteringDisplay.map { $0.greatestLuminance / 10_000 } ?? 0
    let content = hdr?.contentLight?.greatest ?? 0
    let said = content > 0 ? content : display
    peak =
      source.transfer == .perceptualQuantizer && said > 0
      ? min(said, Int(TransferCurve.brightest)) : Self.usualPeak
  }

  /// Whether luma and chroma are mapped directly.
  package var isLinear: Bool {
    source.primaries == target.primaries && source.transfer == target.transfer
  }

  /// Whether high dynamic range becomes standard.
  var mapsTones: Bool { source.transfer.isHDR && !target.transfer.isHDR }

  /// The light of a color's component; for HLG, the light of the scene.
  func light(_ value: Double) -> Double {
    switch source.transfer {
    case .standard: TransferCurve.standardLight(value)
    case .perceptualQuantizer: TransferCurve.quantizedLight(value) / TransferCurve.white
    case .hybridLogGamma: TransferCurve.sceneLight(value)
    }
  }

  /// The factor that turns components into display light, if it depends on their luminance.
  func opening(luminance: Double) -> Double {
    TransferCurve.hybridPeak / TransferCurve.white
      * Power.of(luminance, TransferCurve.hybridGamma - 1)
  }

  /// The factor for all components in tone mapping, if the largest one is `light`.
  func compression(greatest light: Double) -> Double {
    guard light > 0 else { return 1 }
    let luminance = light * TransferCurve.white
    return TransferCurve.toneMapped(luminance, peak: Double(peak)) / luminance
  }

  /// The factor that turns components back into HLG scene light.
  func closing(luminance: Double) -> Double {
    guard luminance > 0 else { return 0 }
    let scale = TransferCurve.white / TransferCurve.hybridPeak
    return scale * Power.of(luminance * scale, 1 / TransferCurve.hybridGamma - 1)
  }

  /// The code value, 0 to 1, of a component's light.
  func value(_ light: Double) -> Double {
    switch target.transfer {
    case .standard:
      TransferCurve.standardValue(source.transfer.isHDR ? min(max(light, 0), 1) : light)
    case .perceptualQuantizer: TransferCurve.quantizedValue(max(light, 0) * TransferCurve.white)
    case .hybridLogGamma: TransferCurve.sceneValue(light)
    }
  }

  /// A color's red, green and blue, 0 to 1, in the target.
  func converted(_ components: [Double]) -> [Double] {
    guard !isLinear else { return components }
    var lights = components.map(light)
    func luminance(_ primaries: ColorSpace.Primaries) -> Double {
      zip(primaries.luminance, lights).reduce(0) { $0 + $1.0 * $1.1 }
    }
    if source.transfer == .hybridLogGamma {
      let factor = opening(luminance: luminance(source.primaries))
      lights = lights.map { $0 * factor }
    }
    if mapsTones {
      let factor = compression(greatest: lights.max() ?? 0)
      lights = lights.map { $0 * factor }
    }
    lights = source.primaries.map(to: target.primaries) * lights
    if target.transfer == .hybridLogGamma {
      lights = lights.map { max($0, 0) }
      let factor = closing(luminance: luminance(target.primaries))
      lights = lights.map { $0 * factor }
    }
    return lights.map(value)
  }
}
