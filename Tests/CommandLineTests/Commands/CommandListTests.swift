import Arguments
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct CommandListTests {
  @Test func `every command has help, completions, a manual and examples that parse`() {
    #expect(syntaxProblems(of: CommandList.program) == [])
  }

  @Test(arguments: CommandList.syntaxes)
  func `every command has help with an example`(syntax: CommandSyntax) {
    #expect(syntax.examples.contains { $0.line.hasPrefix("sheaf \(syntax.name)") })
    #expect(syntax.helpText.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: CommandList.syntaxes)
  func `every command can print JSON`(syntax: CommandSyntax) {
    #expect(syntax.options.contains { $0.name == "json" })
  }
}
