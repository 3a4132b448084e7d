import HTTP
import Support
import Testing

/// Tests which addresses are public according to IANA's registries of special-purpose addresses.
@Suite(.mayBlock) struct InternetAddressTests {
  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
    "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2606:4700::1111",
    "3ffe:ffff::", "3fff:1000::",
  ])
  func `an address outside the special ranges is public`(text: String) throws {
    #expect(try #require(InternetAddress(text)).isPublic)
  }

  @Test(arguments: [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
    "127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254",
    "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.1",
    "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
    "198.51.100.255", "203.0.113.0", "224.0.0.1", "239.255.255.255", "240.0.0.0",
    "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "1fff:ffff::", "2001::1", "2001:1ff:ffff::",
    "2001:db8::1", "2001:db8:ffff::", "2002::1", "2002:7f00:1::", "3fff::1", "3fff:fff::",
    "4000::", "5f00::1", "fbff::", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
  ])
  func `an address in a special range is not public`(text: String) throws {
    #expect(try !#require(InternetAddress(text)).isPublic)
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "0x7f.1", "256.1.1.1", "[::1]", "host"])
  func `text that is not an address is rejected`(text: String) {
    #expect(InternetAddress(text) == nil)
  }

  @Test func `an address has one textual form`() {
    #expect(InternetAddress("2001:DB8:0:0::1")?.description == "2001:db8::1")
    #expect(InternetAddress("10.0.0.1")?.description == "10.0.0.1")
  }

  @Test func `a name is resolved, and an unknown name is an error that says so`() throws {
    #expect(try InternetAddress.resolve("127.0.0.1") == [InternetAddress("127.0.0.1")])
    #expect(try InternetAddress.resolve("::1") == [InternetAddress("::1")])
    let local = try InternetAddress.resolve("localhost")
    #expect(!local.isEmpty && local.allSatisfy { !$0.isPublic })
    let error = #expect(throws: ResolutionError.self) {
      try InternetAddress.resolve("a name that none has")
    }
    #expect(error?.description.hasPrefix("cannot resolve a name that none has: ") == true)
  }
}
