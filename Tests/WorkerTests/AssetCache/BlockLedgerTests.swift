import Crypto
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct BlockLedgerTests {
  private let asset = Digest.of([1])

  private func key(_ index: Int) -> BlockKey { BlockKey(asset: asset, index: index) }

  private func filled(places: Int) -> BlockLedger {
    var ledger = BlockLedger(places: places)
    for index in 0..<places {
      _ = ledger.reserve(key(index))
      ledger.publish(key(index))
    }
    return ledger
  }

  @Test func `a block is absent, then being fetched, then stored`() {
    var ledger = BlockLedger(places: 1)
    #expect(ledger.look(up: key(0)) == .absent)
    #expect(ledger.reserve(key(0)) == 0)
    #expect(ledger.look(up: key(0)) == .fetching)
    ledger.publish(key(0))
    #expect(ledger.look(up: key(0)) == .stored(place: 0))
  }

  @Test func `a block that is being fetched is not reserved again`() {
    var ledger = BlockLedger(places: 2)
    _ = ledger.reserve(key(0))
    #expect(ledger.reserve(key(0)) == nil)
  }

  @Test func `the least recently used block is evicted`() {
    var ledger = filled(places: 3)
    _ = ledger.look(up: key(0))
    _ = ledger.reserve(key(3))
    #expect(ledger.look(up: key(1)) == .absent)
    #expect(ledger.look(up: key(0)) != .absent)
    #expect(ledger.look(up: key(2)) != .absent)
  }

  @Test func `slots that are being filled are not reserved again`() {
    var ledger = BlockLedger(places: 1)
    _ = ledger.reserve(key(0))
    #expect(ledger.reserve(key(1)) == nil)
  }

  @Test func `an abandoned block frees its slot`() {
    var ledger = BlockLedger(places: 1)
    _ = ledger.reserve(key(0))
    ledger.abandon(key(0))
    #expect(ledger.look(up: key(0)) == .absent)
    #expect(ledger.reserve(key(1)) == 0)
  }
}
