extension InternetAddress {
  /// Whether the address is a unicast address of the public Internet, and not of this host or its networks.
  ///
  /// Addresses in IANA's registries of special-purpose addresses (RFC 6890) are not public, even if some of them are
  /// reachable. IPv6 addresses that contain an IPv4 address are not public either, because the IPv4 address would have
  /// to be checked.
  public var isPublic: Bool {
    bytes.count == 4
      ? !Self.special.contains { contains($0) }
      : contains(Self.globalUnicast) && !Self.specialUnicast.contains { contains($0) }
  }

  /// A block of addresses that start with the same bits.
  private struct Block {
    let first: [UInt8]
    let length: Int

    init(_ first: [UInt8], _ length: Int) {
      self.first = first
      self.length = length
    }
  }

  private func contains(_ block: Block) -> Bool {
    zip(block.first, bytes).enumerated().allSatisfy { index, pair in
      let bits = min(8, max(0, block.length - 8 * index))
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      return (pair.0 ^ pair.1) & mask == 0
    }
  }

  /// The IPv4 blocks that are not public.
  private static let special = [
    Block([0], 8),  // this network
    Block([10], 8),  // private use
    Block([100, 64], 10),  // shared by the customers of a carrier
    Block([127], 8),  // loopback
    Block([169, 254], 16),  // link local, where cloud hosts can read their credentials
    Block([172, 16], 12),  // private use
    Block([192, 0, 0], 24),  // protocol assignments
    Block([192, 0, 2], 24),  // documentation
    Block([192, 88, 99], 24),  // the relays of 6to4
    Block([192, 168], 16),  // private use
    Block([198, 18], 15),  // benchmarks
    Block([198, 51, 100], 24),  // documentation
    Block([203, 0, 113], 24),  // documentation
    Block([224], 4),  // multicast
    Block([240], 4),  // reserved, and broadcast
  ]

  /// The global unicast block of IPv6. Addresses outside it are local, multicast, or mapped or translated IPv4.
  private static let globalUnicast = Block([0x20], 3)

  /// The blocks in ``globalUnicast`` that are not public.
  private static let specialUnicast = [
    Block([0x20, 0x01, 0x00], 23),  // protocol assignments, Teredo among them
    Block([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation
    Block([0x20, 0x02], 16),  // 6to4, which contains an IPv4 address
    Block([0x3F, 0xFF, 0x00], 20),  // documentation
  ]
}
