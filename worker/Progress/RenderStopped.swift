/// Thrown by a render that stopped because it was asked to.
package struct RenderStopped: Error {
  package init() {}
}
