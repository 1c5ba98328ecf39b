/** A stored file. */
export interface Blob {
  /** SHA-256 of the content, in hexadecimal: its name. */
  readonly digest: string
  readonly sizeBytes: number
}

/** Content-addressed files. What `put` gave is on the disk for good before it returns. */
export interface BlobStore {
  /**
   * Streams content in, hashing on the way; the same content twice is stored once.
   *
   * @throws {Problem} request/too-large past the limit, files/full where the disk is; nothing is left behind
   */
  put(content: AsyncIterable<Uint8Array>, options?: { readonly limitBytes?: number }): Promise<Blob>
  /** @throws {Problem} files/missing */
  read(digest: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /** Gives a path that programs of this machine may read, until the returned blob is deleted. */
  localPath(digest: string): Promise<string>
  delete(digest: string): Promise<void>
  list(): AsyncIterable<Blob & { readonly modifiedAt: Date }>
}
