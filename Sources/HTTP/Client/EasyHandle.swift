import CCurl
import Foundation

/// A libcurl easy handle with the data that it points to. Only one thread may use it at a time.
final class EasyHandle {
  /// libcurl's handle.
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var resolveList: UnsafeMutablePointer<curl_slist>?

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// Creates a handle. The first one initializes libcurl.
  init() {
    guard Self.isReady, let pointer = curl_easy_init() else {
      preconditionFailure("libcurl cannot be initialized, or there is no memory for a handle")
    }
    self.pointer = pointer
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    curl_slist_free_all(resolveList)
    errorText.deallocate()
  }

  /// Resets every option. Connections stay open.
  func reset() {
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    curl_slist_free_all(resolveList)
    resolveList = nil
    errorText[0] = 0
    sheaf_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  func set(_ option: CURLoption, _ value: Int) {
    sheaf_curl_set_number(pointer, option, value)
  }

  func set(_ option: CURLoption, size value: Int64) {
    sheaf_curl_set_size(pointer, option, curl_off_t(value))
  }

  func set(_ option: CURLoption, _ value: String) {
    sheaf_curl_set_text(pointer, option, value)
  }

  func set(_ option: CURLoption, to context: UnsafeMutableRawPointer) {
    sheaf_curl_set_pointer(pointer, option, context)
  }

  /// Sets the header lines, in libcurl's syntax.
  func set(headerLines: [String]) {
    curl_slist_free_all(headerList)
    headerList = nil
    for line in headerLines { headerList = curl_slist_append(headerList, line) }
    sheaf_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
  }

  /// Sets the addresses of a host name, in libcurl's syntax. Call it at most once after a reset.
  func set(resolveLine: String) {
    resolveList = curl_slist_append(nil, resolveLine)
    sheaf_curl_set_pointer(pointer, CURLOPT_RESOLVE, resolveList)
  }

  /// Sets the body, which libcurl copies.
  func set(body: Data) {
    set(CURLOPT_POST, 1)
    set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(body.count))
    body.withUnsafeBytes { bytes in
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      // For an empty body, any pointer other than null tells libcurl that there is a body.
      sheaf_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, start ?? pointer)
    }
  }

  /// The text with which libcurl explains `result`.
  func reason(for result: CURLcode) -> String {
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
  }
}
