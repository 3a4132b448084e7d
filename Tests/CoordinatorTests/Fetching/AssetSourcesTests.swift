import CoordinatorSupport
import FarmAPI
import HTTP
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

/// The checks that a URL and its addresses must pass before it is fetched.
@Suite(.mayBlock) struct AssetSourcesTests {
  /// Sources that allow the hosts of `example.com`, with a resolver that returns the answers one after the other.
  private func sources(_ answers: [[String]]) throws -> AssetSources {
    let left = Answers(answers.map { $0.compactMap(InternetAddress.init) })
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin("https://*.example.com"))]
    sources.resolve = { _ in left.next() }
    return sources
  }

  private final class Answers: Sendable {
    private let left: Mutex<[[InternetAddress]]>

    init(_ answers: [[InternetAddress]]) { left = Mutex(answers) }

    func next() -> [InternetAddress] { left.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
  }

  private func refusal(of url: String, by sources: AssetSources) throws -> String? {
    let url = try AssetURL(url)
    let error = #expect(throws: JobError.self) { try sources.admit(url) }
    #expect(error?.failure.code == "asset-not-allowed")
    return error?.failure.message
  }

  @Test func `a host is contacted only at the addresses that were checked`() throws {
    let sources = try sources([["93.184.216.34", "2606:2800::1"]])
    let host = try sources.admit(AssetURL("https://a.example.com:443/a.mp4"))
    #expect(host.host == "a.example.com" && host.port == 443)
    #expect(host.addresses.map(\.description) == ["93.184.216.34", "2606:2800::1"])
  }

  @Test func `a name that later resolves to a private address is refused`() throws {
    let sources = try sources([["93.184.216.34"], ["127.0.0.1"]])
    let url = "https://a.example.com/a.mp4"
    #expect(try sources.admit(AssetURL(url)).addresses == [InternetAddress("93.184.216.34")])
    #expect(
      try refusal(of: url, by: sources)?.hasPrefix(
        "a.example.com has an address that is not public") == true)
  }

  @Test(arguments: ["10.0.0.1", "169.254.169.254", "100.64.0.1", "fd00::1", "::ffff:127.0.0.1"])
  func `a host with one private address among public ones is refused`(address: String) throws {
    var sources = try sources([["93.184.216.34", address], ["93.184.216.34", address]])
    let url = "https://a.example.com/a.mp4"
    #expect(try refusal(of: url, by: sources)?.contains("--allow-private-asset-addresses") == true)
    sources.allowsPrivateAddresses = true
    #expect(try sources.admit(AssetURL(url)).addresses.count == 2)
  }

  @Test func `a host that is not allowed is not even resolved`() throws {
    var sources = AssetSources()
    sources.resolve = { host in
      Issue.record("\(host) was resolved")
      return []
    }
    let url = "https://a.example.com/a.mp4?key=secret"
    let closed = try refusal(of: url, by: sources)
    #expect(closed?.hasPrefix("fetching from https://a.example.com is not allowed: ") == true)
    #expect(closed?.contains("--asset-url https://a.example.com") == true)
    sources.origins = [try #require(AssetOrigin("https://example.com"))]
    #expect(
      try refusal(of: url, by: sources)?
        .hasPrefix(
          "fetching from https://a.example.com is not allowed, only from https://example.com: ")
        == true)
  }
}
