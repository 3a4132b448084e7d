/// A step of one of the participants. Coordinators and workers have indices.
enum Move: Hashable, Sendable {
  /// A process starts and claims the ledger, whose claim has expired or is that of an earlier process of this place.
  case claim(Int, as: Claim.HostName)
  /// A process reads the ledger.
  case restore(Int)
  /// A process is killed.
  case kill(Int)
  /// A worker asks for a lease.
  case ask(worker: Int, of: Int)
  /// A worker sends a heartbeat.
  case beat(worker: Int, to: Int)
  /// A worker sends its chunk.
  case offer(worker: Int, to: Int)
  /// A process accepts the chunk of the lease with a token.
  case accept(Int, at: Int)
  /// The lease with a token expires.
  case expire(Int, at: Int)
  /// The lease with a token expires while the ledger does not answer.
  case expireUnwritten(Int, at: Int)
  /// A process completes the job.
  case finish(Int)
  /// A process removes chunks from the store that were not needed when it read the ledger.
  case sweep(Int)
  /// A worker no longer waits for an answer about its chunk.
  case giveUp(worker: Int)
  /// A worker loses its lease.
  case crash(worker: Int)
  /// The ledger's claim expires.
  case expireClaim
  /// The ledger loses its last transactions.
  case failOver(losing: Int)
}

extension TwoCoordinators {
  /// The moves that are possible, always in the same order.
  var moves: [Move] {
    var moves: [Move] = []
    for place in coordinators.indices { moves += movesOfCoordinator(place) }
    for worker in workers.indices {
      for place in coordinators.indices
      where coordinators[place].process?.view != nil && workers[worker].recipient == nil {
        if workers[worker].lease == nil {
          moves.append(.ask(worker: worker, of: place))
        } else {
          moves += [.beat(worker: worker, to: place), .offer(worker: worker, to: place)]
        }
      }
      if workers[worker].recipient != nil { moves.append(.giveUp(worker: worker)) }
      if workers[worker].lease != nil { moves.append(.crash(worker: worker)) }
    }
    if !ledger.isExpired { moves.append(.expireClaim) }
    for count in 1..<ledger.earlier.count + 1 { moves.append(.failOver(losing: count)) }
    return moves
  }

  private func movesOfCoordinator(_ place: Int) -> [Move] {
    guard let process = coordinators[place].process else {
      // Names matter to one mutant only.
      let names = rule.fence == .name ? Claim.HostName.allCases : [.first]
      return mayClaim(place) ? names.map { .claim(place, as: $0) } : []
    }
    guard process.view != nil else { return [.restore(place), .kill(place)] }
    let leases = process.view?.leases.map(\.token) ?? []
    return [.kill(place)] + process.deliveries.map { .accept($0, at: place) }
      + leases.flatMap { [.expire($0, at: place), .expireUnwritten($0, at: place)] }
      + (process.hasAllChunks ? [.finish(place)] : [])
      + (process.condemned.isEmpty ? [] : [.sweep(place)])
  }

  /// Whether a process that starts at a place gets the ledger.
  func mayClaim(_ place: Int) -> Bool {
    ledger.isExpired || coordinators[place].claims.contains(ledger.contents.owner.token)
  }
}
