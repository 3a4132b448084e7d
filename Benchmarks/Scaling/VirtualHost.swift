import FarmAPI
import Scheduling

/// A host with one slot, and how it spends its time.
struct VirtualHost {
  /// How fast it renders, relative to the model's times.
  var speed = 1.0
  /// When it registers.
  var arrives = Duration.zero
  /// When it vanishes without notice; `nil` if it stays.
  var leaves: Duration?
  /// The rate of its link, in bytes per second.
  var link = 125_000_000.0

  /// The lease that it works on.
  var lease: LeaseToken?
  /// When it last asked for a lease, until one arrives.
  var asked: Instant?
  /// Whether it is there.
  var isPresent = false
  /// The time for which it rendered segments whose chunks were accepted.
  var useful = Duration.zero
  /// The time for which it rendered in vain, because it vanished or another host was first.
  var wasted = Duration.zero
  /// The time for which it fetched sources and sent chunks.
  var transferring = Duration.zero
  /// The time for which no segment was pending for it.
  var idle = Duration.zero

  /// The id with which a host registers.
  static func id(_ number: Int) -> WorkerID { WorkerID(rawValue: "host-\(number)") }
}

extension VirtualHost {
  /// Equal hosts that are there from the start.
  static func equal(_ count: Int, link: Double = 125_000_000) -> [VirtualHost] {
    Array(repeating: VirtualHost(link: link), count: count)
  }

  /// Hosts whose speeds are 0.5, 1 and 2 in turn, scaled so that their total speed is that of equal hosts.
  static func uneven(_ count: Int) -> [VirtualHost] {
    let speeds = (0..<count).map { [0.5, 1, 2][$0 % 3] }
    let mean = speeds.reduce(0, +) / Double(count)
    return speeds.map { VirtualHost(speed: $0 / mean) }
  }

  /// Hosts that stay for a tenth to two tenths of an hour and vanish. A minute later, another one takes the place.
  static func comingAndGoing(_ count: Int, for length: Duration) -> [VirtualHost] {
    var hosts: [VirtualHost] = []
    for place in 0..<count {
      var arrival = Duration.zero
      while arrival < length {
        let stay = Duration.seconds(360 * (1 + SeededNumber(hosts.count + 7919 * place).fraction))
        hosts.append(VirtualHost(arrives: arrival, leaves: arrival + stay))
        arrival += stay + .seconds(60)
      }
    }
    return hosts
  }
}
