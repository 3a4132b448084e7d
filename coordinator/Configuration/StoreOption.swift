import Arguments
import Foundation
import S3

/// The options that name an object store.
enum StoreOption {
  private static let url = Option<String>(
    "store", value: "URL",
    help: "The bucket of an S3 store that keeps assets, chunks and finished files, such as "
      + "s3://farm or s3://bucket/prefix (default: $SHEAF_STORE, else the data directory)")
  private static let endpoint = Option<String>(
    "store-endpoint", value: "URL",
    help: "The address of the store, such as https://store.example:9000 (default: Amazon S3 in the "
      + "region)")
  private static let region = Option<String>(
    "store-region", value: "NAME", help: "The store's region (default: $AWS_REGION, else us-east-1)"
  )
  private static let keyFile = Option<String>(
    "store-key-file", value: "FILE",
    help: "The file with the access key, in the format of ~/.aws/credentials (default: "
      + "$AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY, else the role of the virtual machine)")
  private static let authority = Option<String>(
    "store-ca-file", value: "FILE",
    help: "The CA certificate to verify the store with (default: the system's)")

  /// The options of a command.
  static let declarations = [
    url.declaration, endpoint.declaration, region.declaration, keyFile.declaration,
    authority.declaration,
  ]
  /// The environment variables that replace the options.
  static let variables = [
    Definition("SHEAF_STORE", "The bucket that keeps stored files, unless `--store` is given"),
    Definition(
      "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN",
      "The access key for the store, unless `--store-key-file` is given"),
    Definition("AWS_REGION", "The store's region, unless `--store-region` is given"),
  ]

  /// Reads the address of the object store. Returns `nil` if stored files are in the data directory.
  ///
  /// - Throws: ``UsageError``, which never contains the secret key.
  static func store(
    _ arguments: ParsedArguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UsageError) -> ObjectClient? {
    let given = try arguments.value(url)
    let command = arguments.syntax.invocation
    guard let text = given ?? environment["SHEAF_STORE"], !text.isEmpty else {
      for option in declarations.dropFirst() where arguments.has(option) {
        throw UsageError("the option needs --store", on: "--\(option.name)", command: command)
      }
      return nil
    }
    let authorityFile = try arguments.value(authority)
    if let authorityFile, access(authorityFile, R_OK) != 0 {
      throw UsageError(
        "cannot read the file: \(String(cString: strerror(errno)))", on: "--store-ca-file",
        command: command)
    }
    let region = try arguments.value(region) ?? environment["AWS_REGION"] ?? "us-east-1"
    let endpoint = try arguments.value(endpoint)
    let bucket: Bucket
    do throws(S3Error) {
      bucket = try Bucket(text, endpoint: endpoint, region: region)
    } catch {
      let name = given == nil ? "SHEAF_STORE" : "--store"
      throw UsageError(
        error.message, on: [name, "--store-endpoint", "--store-region"].joined(separator: ", "),
        command: command)
    }
    let keys = try keys(try arguments.value(keyFile), environment, command)
    return ObjectClient(bucket, keys: keys, authorityFile: authorityFile)
  }

  private static func keys(
    _ file: String?, _ environment: [String: String], _ command: String
  ) throws(UsageError) -> KeySource {
    if let file { return .file(file) }
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]
    let values = names.compactMap { environment[$0] }.filter { !$0.isEmpty }
    guard values.count != 1 else {
      throw UsageError(
        "one of the variables is set, and the other is not", on: names.joined(separator: ", "),
        command: command)
    }
    guard values.count == 2 else {
      return .instance(environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"])
    }
    let (id, secret) = (values[0], values[1])
    let session = environment["AWS_SESSION_TOKEN"]
    return .fixed(
      AccessKey(id: id, secret: secret, session: session?.isEmpty == true ? nil : session))
  }
}
