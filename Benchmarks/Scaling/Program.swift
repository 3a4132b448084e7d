/// Prints how a farm scales, as tables. All times are virtual, so the tables are the same on every machine.
@main enum Program {
  static func main() throws {
    let counts = (0...10).map { 1 << $0 }
    print("## One hour of film\n")
    print(try scaling(FarmModel(), counts).text)
    print("\n## 10,000 segments without sound, and a link of 10 Gb/s\n")
    let long = FarmModel(
      segmentCount: 10_000, renderTime: .seconds(5), chunkBytes: 2_000_000,
      coordinatorLink: 1_250_000_000, mixTime: .zero)
    print(try scaling(long, counts).text)
    print("\n## Hosts that differ, and come and go\n")
    print(try troubles([4, 16]).text)
    print("\n## Cold caches\n")
    print(try coldCaches([1, 4, 16, 64, 256]).text)
  }

  private static func run(_ model: FarmModel, _ hosts: [VirtualHost]) throws -> ScalingResult {
    var farm = try VirtualFarm(model, hosts)
    return farm.run()
  }

  private static func scaling(_ model: FarmModel, _ counts: [Int]) throws -> Table {
    var table = Table(
      "workers", "file after, s", "times as fast", "of ideal", "rendering", "transfers", "idle",
      "calls", "assembly, s", "wait for the mix, s")
    let one = try run(model, VirtualHost.equal(1))
    for count in counts {
      let result = try run(model, VirtualHost.equal(count))
      let (rendering, transfers) = (result.share(\.useful), result.share(\.transferring))
      let idle = result.share(\.idle)
      table.add(
        "\(count)", result.file.seconds.text(1), (one.file / result.file).text(1),
        (result.ideal / result.file).percent, rendering.percent, transfers.percent, idle.percent,
        max(1 - rendering - transfers - idle - result.share(\.wasted), 0).percent,
        result.assembly.seconds.text(1), result.waitForMix.seconds.text(1))
    }
    return table
  }

  private static func troubles(_ counts: [Int]) throws -> Table {
    var table = Table("workers", "hosts", "file after, s", "leases", "wasted", "idle")
    let model = FarmModel()
    for count in counts {
      for (name, hosts) in [
        ("equal", VirtualHost.equal(count)),
        ("0.5, 1 and 2 times as fast", VirtualHost.uneven(count)),
        (
          "each stays 6 to 12 minutes and vanishes",
          VirtualHost.comingAndGoing(count, for: .seconds(3600))
        ),
      ] {
        let result = try run(model, hosts)
        table.add(
          "\(count)", name, result.file.seconds.text(1), "\(result.attempts)",
          result.share(\.wasted).percent, result.share(\.idle).percent)
      }
    }
    return table
  }

  private static func coldCaches(_ counts: [Int]) throws -> Table {
    var table = Table(
      "workers", "sources cached, s", "1 Gb/s to the coordinator, s", "100 Mb/s to it, s")
    for count in counts {
      let hosts = VirtualHost.equal(count, link: 12_500_000)
      var model = FarmModel()
      var cells = [try run(model, hosts).file.seconds.text(1)]
      model.hasSources = false
      cells.append(try run(model, hosts).file.seconds.text(1))
      model.coordinatorLink = 12_500_000
      cells.append(try run(model, hosts).file.seconds.text(1))
      table.add("\(count)", cells[0], cells[1], cells[2])
    }
    return table
  }
}
