import CoordinatorSupport
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct MetricsPageTests {
  @Test func `a histogram counts values up to each bound`() {
    var histogram = Histogram([1, 2.5])
    for value in [0.5, 1, 2, 3, .infinity] { histogram.observe(value) }
    #expect(histogram.cumulative.map(\.bound) == [1, 2.5, nil])
    #expect(histogram.cumulative.map(\.count) == [2, 3, 4])
    #expect(histogram.count == 4 && histogram.sum == 6.5)
  }

  @Test func `a page has the format that Prometheus reads`() {
    var page = MetricsPage()
    page.gauge("sheaf_free_bytes", "Free bytes.", 12)
    page.counter("sheaf_frames_total", "Frames.", [.init(1, ["codec": "h264"]), .init(2.5)])
    var histogram = Histogram([0.1])
    histogram.observe(0.05)
    page.histogram("sheaf_wait_seconds", "Waits.", [(["kind": "a"], histogram)])
    #expect(
      page.text == """
        # HELP sheaf_free_bytes Free bytes.
        # TYPE sheaf_free_bytes gauge
        sheaf_free_bytes 12
        # HELP sheaf_frames_total Frames.
        # TYPE sheaf_frames_total counter
        sheaf_frames_total{codec="h264"} 1
        sheaf_frames_total 2.5
        # HELP sheaf_wait_seconds Waits.
        # TYPE sheaf_wait_seconds histogram
        sheaf_wait_seconds_bucket{kind="a",le="0.1"} 1
        sheaf_wait_seconds_bucket{kind="a",le="+Inf"} 1
        sheaf_wait_seconds_sum{kind="a"} 0.05
        sheaf_wait_seconds_count{kind="a"} 1

        """)
  }

  @Test func `a name from outside cannot end its label or its line`() throws {
    var page = MetricsPage()
    let name = "a\"} 7\nsheaf_forged 1\\\u{1b}[2K"
    page.gauge("sheaf_worker_slots", "Slots.", [.init(1, ["worker": name])])
    let families = try Exposition(page.text).families
    #expect(families.count == 1)
    let label = families["sheaf_worker_slots"]?.samples.first?.labels["worker"]
    #expect(label == #"a"} 7\nsheaf_forged 1\\u{1B}[2K"#)
  }
}
