import CFFmpeg

/// The gains from a source's channels to those of the output: mono, stereo or 5.1.
///
/// Down-mixes follow ITU-R BS.775-3, annex 4, table 2, except that stereo becomes mono at half of each channel, which
/// keeps the loudness of what they have in common. The low-frequency channel is heard in 5.1 only. Mono becomes the
/// center of 5.1 or both channels of stereo; stereo becomes the front of 5.1. Nothing is normalized.
public struct ChannelMatrix: Hashable, Sendable {
  /// The role of a channel, in the order of 5.1's channels.
  enum Role: Int, CaseIterable {
    case left, right, center, lowFrequency, leftSurround, rightSurround
  }

  /// The possible numbers of output channels.
  public static let outputs = [1, 2, 6]

  private static let half = 0.5
  /// √½, 3 dB down.
  private static let diagonal = 0.5.squareRoot()

  /// The gain of each input in each output, one row per output.
  public let rows: [[Double]]

  init(rows: [[Double]]) { self.rows = rows }

  /// The matrix for channels with roles; `nil` if the number of outputs is not supported.
  init?(from roles: [Role], to outputs: Int) {
    guard Self.outputs.contains(outputs) else { return nil }
    let shares = Self.shares(of: roles)
    let isStereo = roles == [.left, .right]
    func row(_ gains: [Role: Double]) -> [Double] {
      zip(roles, shares).map { gains[$0, default: 0] * $1 }
    }
    switch outputs {
    case 1 where isStereo: rows = [[Self.half, Self.half]]
    case 1 where roles == [.center]: rows = [[1]]
    case 1:
      rows = [
        row([
          .left: Self.diagonal, .right: Self.diagonal, .center: 1, .leftSurround: Self.half,
          .rightSurround: Self.half,
        ])
      ]
    case 2 where roles == [.center]: rows = [[1], [1]]
    case 2:
      rows = [
        row([.left: 1, .center: Self.diagonal, .leftSurround: Self.diagonal]),
        row([.right: 1, .center: Self.diagonal, .rightSurround: Self.diagonal]),
      ]
    default: rows = Role.allCases.map { row([$0: 1]) }
    }
  }

  /// If several channels have one role, each is attenuated so that their total power stays the same.
  private static func shares(of roles: [Role]) -> [Double] {
    roles.map { role in (1 / Double(roles.count { $0 == role })).squareRoot() }
  }
}

extension ChannelMatrix {
  /// The matrix for a layout. Channels without a known place count as center, and unused channels are ignored.
  init?(from layout: inout AVChannelLayout, to outputs: Int) {
    if layout.order == AV_CHANNEL_ORDER_AMBISONIC {
      self.init(ambisonic: layout, to: outputs)
      return
    }
    let count = UInt32(max(layout.nb_channels, 0))
    var roles: [Role] = []
    var backCenter: Int?
    var unused: [Int] = []
    for number in 0..<count {
      let channel = av_channel_layout_channel_from_index(&layout, number)
      if channel == AV_CHAN_BACK_CENTER {
        backCenter = roles.count
        roles.append(.leftSurround)
        continue
      }
      if channel == AV_CHAN_UNUSED {
        unused.append(Int(number))
      } else {
        roles.append(Role(channel) ?? .center)
      }
    }
    let used =
      backCenter.map { ChannelMatrix(from: roles, backCenter: $0, to: outputs) }
      ?? ChannelMatrix(from: roles, to: outputs)
    guard let used else { return nil }
    self.init(
      rows: used.rows.map { row in
        var row = row
        for number in unused { row.insert(0, at: number) }
        return row
      })
  }

  /// The matrix for a layout with a channel in the middle of the back, which goes to both surrounds, 3 dB down.
  private init?(from roles: [Role], backCenter: Int, to outputs: Int) {
    guard
      let whole = ChannelMatrix(
        from: roles.enumerated().filter { $0.offset != backCenter }.map(\.element), to: outputs),
      let sides = ChannelMatrix(from: [.left, .leftSurround, .rightSurround], to: outputs)
    else { return nil }
    rows = zip(whole.rows, sides.rows).map { row, side in
      var row = row
      row.insert((side[1] + side[2]) * Self.diagonal, at: backCenter)
      return row
    }
  }
}

extension ChannelMatrix.Role {
  /// The role of a libav channel. Channels above and beside the listener count as the nearest ones in the plane.
  fileprivate init?(_ channel: AVChannel) {
    switch channel {
    case AV_CHAN_FRONT_LEFT, AV_CHAN_FRONT_LEFT_OF_CENTER, AV_CHAN_WIDE_LEFT,
      AV_CHAN_STEREO_LEFT, AV_CHAN_TOP_FRONT_LEFT:
      self = .left
    case AV_CHAN_FRONT_RIGHT, AV_CHAN_FRONT_RIGHT_OF_CENTER, AV_CHAN_WIDE_RIGHT,
      AV_CHAN_STEREO_RIGHT, AV_CHAN_TOP_FRONT_RIGHT:
      self = .right
    case AV_CHAN_FRONT_CENTER, AV_CHAN_TOP_FRONT_CENTER: self = .center
    case AV_CHAN_LOW_FREQUENCY, AV_CHAN_LOW_FREQUENCY_2: self = .lowFrequency
    case AV_CHAN_BACK_LEFT, AV_CHAN_SIDE_LEFT, AV_CHAN_SURROUND_DIRECT_LEFT,
      AV_CHAN_TOP_BACK_LEFT, AV_CHAN_TOP_SIDE_LEFT:
      self = .leftSurround
    case AV_CHAN_BACK_RIGHT, AV_CHAN_SIDE_RIGHT, AV_CHAN_SURROUND_DIRECT_RIGHT,
      AV_CHAN_TOP_BACK_RIGHT, AV_CHAN_TOP_SIDE_RIGHT:
      self = .rightSurround
    default: return nil
    }
  }
}
