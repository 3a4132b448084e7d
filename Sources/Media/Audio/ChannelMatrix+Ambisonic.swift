import CFFmpeg
import Glibc

extension ChannelMatrix {
  /// The matrix for ambisonic sound (ACN order, SN3D normalization), with the left and right channels that may follow
  /// it.
  ///
  /// Only the first order in the horizontal plane is used: front to back (X) and side to side (Y). Each output is the
  /// signal of a cardioid microphone that points at its loudspeaker (ITU-R BS.775-3). Mono is the signal of an
  /// omnidirectional microphone.
  init?(ambisonic layout: AVChannelLayout, to outputs: Int) {
    guard Self.outputs.contains(outputs) else { return nil }
    let count = Int(layout.nb_channels)
    let beside = layout.u.mask.nonzeroBitCount
    // The angle of each output in degrees, counted to the left; `nil` for an output that stays silent.
    let angles: [Double?]
    switch outputs {
    case 1: angles = [nil]
    case 2: angles = [90, -90]
    default: angles = [30, -30, 0, nil, 110, -110]
    }
    let rows = angles.enumerated().map { output, angle in
      var row = [Double](repeating: 0, count: count)
      if let angle {
        let radians = angle * .pi / 180
        row[0] = 0.5
        if count - beside > 3 { (row[1], row[3]) = (0.5 * sin(radians), 0.5 * cos(radians)) }
      } else if outputs == 1 {
        row[0] = 1
      }
      if beside == 2 {
        if outputs == 1 { (row[count - 2], row[count - 1]) = (0.5, 0.5) }
        if outputs > 1, output < 2 { row[count - 2 + output] = 1 }
      }
      return row
    }
    self.init(rows: rows)
  }
}
