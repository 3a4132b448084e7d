import Foundation
import Support
import Testing

/// The status page of a farm that needs tokens.
@Suite(.mayBlock, .needsChromium, .timeLimit(.minutes(15))) struct PageAccessTests {
  /// Buttons and links that change something.
  private static let changes = """
    $$("main button, main a").map(each => (each.getAttribute("aria-label") ?? each.textContent).trim())
      .filter(name => /^((Cancel|Retry|Delete|Drain|Resume|Submit|Revoke|Create)\\b|Priority -?\\d)/.test(name))
    """

  @Test func `a user signs in and out, an observer sees no buttons, and a submitter only its own`()
    throws
  {
    let folder = try TemporaryDirectory()
    var tokens: [String: String] = [:]
    for (role, name) in [("admin", "ops"), ("submitter", "ada"), ("observer", "wall")] {
      let outcome = try Program.coordinator.run([
        "token", "create", "--data", folder.path("data"), "--role", role, "--name", name,
      ])
      try #require(outcome.status == 0, "\(outcome.standardError)")
      tokens[name] = outcome.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let farm = try PageFarm(["--require-tokens"], folder: folder)
    let page = farm.page
    _ = try farm.clip("a.mp4", y: 80, frames: 60)

    try page.wait("the page asks for a token", "return $('#token');")
    try page.keepPicture("sign-in")
    try signIn("nonsense", page)
    try page.wait("a wrong token is refused", "return text('#sign-in-problem') !== '';")
    #expect(try page.audit() == [])

    try signIn(tokens["ada"] ?? "", page)
    try page.wait("the submitter sees its farm", "return text('main').includes('No jobs yet');")
    try farm.show("submit")
    try page.choose([farm.folder.path("a.mp4")], in: "#files")
    try page.wait("the clip is there", "return !$('.submit-side .primary')?.disabled;")
    try page.press("Submit job")
    try page.wait("the submitter may cancel its job", "return named('Cancel');")
    try farm.show("workers")
    try page.wait("it may not see workers", "return text('h1').includes('cannot see workers');")
    try page.keepPicture("not-allowed")
    try page.press("Menu for ada")
    try page.press("Sign out")
    try page.wait("the page asks again", "return $('#token');")

    try signIn(tokens["wall"] ?? "", page)
    for place in ["", "jobs", "workers"] {
      try farm.show(place)
      if place != "workers" {
        try page.wait("the observer sees the job", "return $('main .name')?.innerText === 'a';")
      }
      try page.wait("no button changes anything", "return \(Self.changes).length === 0;")
    }
    try farm.show("submit")
    try page.wait("it may not submit", "return text('h1').includes('cannot submit');")
    try farm.show("jobs")
    try page.wait("it selects nothing", "return $('.row') && !$('.row input');")
    try page.press("Menu for wall")
    try page.press("Sign out")

    try signIn(tokens["ops"] ?? "", page)
    try farm.show("tokens")
    try page.type("eve", into: ".token-form input")
    try page.press("Create a token")
    try page.wait("the token is shown once", "return text('.secret').length > 20;")
    try page.press("Done")
    try page.press("Revoke the token of eve")
    try page.press("Revoke")
    try page.wait("it is revoked", "return !named('Revoke the token of eve');")
    try page.keepPicture("tokens")
  }

  private func signIn(_ token: String, _ page: Chromium.Driver) throws {
    try page.type(token, into: "#token")
    try page.press("Sign in")
  }
}
