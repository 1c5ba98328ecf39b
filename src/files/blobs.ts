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
  /**
   * Streams the content, or its bytes from `start` up to and without `end`.
   *
   * @throws {Problem} files/missing
   */
  read(digest: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /**
   * Gives a path that programs of this machine may read, until the blob is deleted.
   *
   * @throws {Problem} files/missing
   */
  localPath(digest: string): Promise<string>
  /** Deletes a blob; one that is not there is no fault. */
  delete(digest: string): Promise<void>
  /** Lists all blobs; `modifiedAt` is when the content was last put. */
  list(): AsyncIterable<Blob & { readonly modifiedAt: Date }>
}
