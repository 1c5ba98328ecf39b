/** A stored file. */
export interface Blob {
  /** SHA-256 of the content, in hexadecimal; also its name. */
  readonly digest: string
  readonly sizeBytes: number
}

/** Content-addressed files. `put` returns after the content is flushed to disk. */
export interface BlobStore {
  /**
   * Stores streamed content. Equal content is stored once.
   *
   * @throws {Problem} request/too-large, files/full; nothing is left behind
   */
  put(content: AsyncIterable<Uint8Array>, options?: { readonly limitBytes?: number }): Promise<Blob>
  /**
   * Streams the content, or its bytes from `start` to `end`, exclusive.
   *
   * @throws {Problem} files/missing
   */
  read(digest: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
  /**
   * Returns a path that local programs may read until the blob is deleted.
   *
   * @throws {Problem} files/missing
   */
  localPath(digest: string): Promise<string>
  /** Deletes a blob, if it exists. */
  delete(digest: string): Promise<void>
  /** Lists all blobs; `modifiedAt` is the time of the last `put` of the content. */
  list(): AsyncIterable<Blob & { readonly modifiedAt: Date }>
}
