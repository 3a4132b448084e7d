import CoordinatorSupport
import Support
import Testing
import sheaf_coordinator

/// Messages about the farm's hosts, in the form that submitters see.
@Suite(.mayBlock) struct PublicMessageTests {
  @Test(arguments: [
    ("cannot write: /var/cache/sheaf/ab/file: disk full", "cannot write: …/file: disk full"),
    ("beach.mp4: frame 3: no decoder", "beach.mp4: frame 3: no decoder"),
    (
      "PUT failed: http://10.0.0.5:7420/api/v1: refused",
      "PUT failed: http://a private address/api/v1: refused"
    ),
    ("connect to [fd00::7]:80 failed", "connect to [a private address]:80 failed"),
    ("from 192.168.1.9.", "from a private address."),
    ("at 8.8.8.8 and 1.5 s, 12:30:05", "at 8.8.8.8 and 1.5 s, 12:30:05"),
    ("and/or, 1/25, s3://bucket/a", "and/or, 1/25, s3://bucket/a"),
    ("open file:///srv/media/a.mp4 failed", "open file:…/a.mp4 failed"),
    ("open file://host/srv/media/a.mp4 failed", "open file:…/a.mp4 failed"),
    ("input=/srv/media/a.mp4, [/srv/b], /srv/c/", "input=…/a.mp4, […/b], …/c/"),
    ("input:/srv/media/a.mp4", "input:…/a.mp4"),
    ("/a.mp4 / …/b.mp4 ./c ../d/e", "…/a.mp4 / …/b.mp4 ./c ../d/e"),
    ("https://host/a/b.mp4: 404", "https://host/a/b.mp4: 404"),
    ("application/json, layers[0]/x, {id}/x", "application/json, layers[0]/x, {id}/x"),
  ])
  func `folders and private addresses are left out`(message: String, shown: String) {
    #expect(PublicMessage.withoutPlaces(message) == shown)
  }

  @Test func `filtering a message for submitters again does not change it`() {
    let message = "https://host/a?key=1: cannot read /srv/data/assets/a and file:///srv/b/c"
    let shown = PublicMessage.forSubmitters(message, data: "/srv/data")
    #expect(shown == "https://host/a?…: cannot read the coordinator's data and file:…/c")
    #expect(PublicMessage.forSubmitters(shown, data: "/srv/data") == shown)
  }

  @Test func `the coordinator's own files are not named`() {
    let message = "logo.png: cannot read: /srv/data/assets/ab/abcd: gone (/srv/data)"
    #expect(
      PublicMessage.without("/srv/data", in: message)
        == "logo.png: cannot read: the coordinator's data: gone (the coordinator's data)")
  }
}
