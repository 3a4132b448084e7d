/// A pixel format that a device offers, and that is supported.
package struct VideoOffer: Hashable, Sendable {
  package let pixelFormat: PixelFormat
  package let coding: CapturedVideoFormat.Coding
  /// The sizes; empty if the driver does not list them, which may mean all.
  package let sizes: [VideoSizes]

  package init(
    _ pixelFormat: PixelFormat, _ coding: CapturedVideoFormat.Coding, sizes: [VideoSizes]
  ) {
    self.pixelFormat = pixelFormat
    self.coding = coding
    self.sizes = sizes
  }

  package func has(_ size: PictureSize) -> Bool {
    sizes.isEmpty || sizes.contains { $0.contains(size) }
  }
}

extension [VideoOffer] {
  /// The size that fits a request best.
  ///
  /// That is the nearest one that has no larger area, or the smallest one if all have. Without a request, it is the current
  /// size, and a single dimension keeps the aspect ratio of that size.
  package func size(for request: VideoCaptureRequest, current: PictureSize) -> PictureSize {
    let wanted = request.size(keeping: current)
    let nearest = flatMap { offer in
      offer.sizes.isEmpty ? [wanted] : offer.sizes.map { $0.nearest(to: wanted) }
    }
    let fitting = nearest.filter { $0.area <= wanted.area }
    guard let smallest = nearest.min(by: { $0.area < $1.area }) else { return wanted }
    return fitting.min { $0.distance(to: wanted) < $1.distance(to: wanted) } ?? smallest
  }

  /// The offer with the highest frame rate up to a limit; if all are above it, the one with the lowest. Of several, it is
  /// the one with the preferred coding.
  ///
  /// - Parameter intervals: what the device lists for an offer; empty if that is unknown.
  /// - Returns: the offer and its frame rate; `nil` if that is unknown. `nil` if there are no offers.
  package func best<Failure>(
    upTo limit: Fraction, intervals: (VideoOffer) throws(Failure) -> [FrameIntervals]
  ) throws(Failure) -> (offer: VideoOffer, rate: Fraction?)? {
    var rated: [(offer: VideoOffer, rate: Fraction?)] = []
    for offer in self {
      let rates = try intervals(offer).map { $0.rate(upTo: limit) }
      rated.append((offer, rates.filter { $0.isAtMost(limit) }.max() ?? rates.min()))
    }
    let rates = rated.compactMap(\.rate)
    let best = rates.filter { $0.isAtMost(limit) }.max() ?? rates.min()
    return rated.filter { each in
      guard let best else { return true }
      return each.rate.map { best.isAtMost($0) && $0.isAtMost(best) } ?? false
    }.min { $0.offer.coding.preference < $1.offer.coding.preference }
  }
}

extension VideoCaptureRequest {
  /// The highest frame rate to use, if the device offers one at or below it.
  package var limit: Fraction { framesPerSecond ?? Self.usualLimit }

  private static let usualLimit = Fraction(60)

  fileprivate func size(keeping current: PictureSize) -> PictureSize {
    switch (width, height) {
    case (let width?, let height?): PictureSize(width, height)
    case (let width?, nil):
      PictureSize(width, width * current.height / Swift.max(1, current.width))
    case (nil, let height?):
      PictureSize(height * current.width / Swift.max(1, current.height), height)
    case (nil, nil): current
    }
  }
}

extension PictureSize {
  /// The sum of the differences of both dimensions.
  fileprivate func distance(to other: PictureSize) -> Int {
    abs(width - other.width) + abs(height - other.height)
  }
}
