/**
 * The protocol of uploads that come in parts.
 *
 * @see tus resumable upload protocol 1.0.0
 */
export const tus = {
  version: '1.0.0',
  extensions: ['creation', 'creation-with-upload', 'termination', 'checksum', 'expiration'],
  /** Algorithms of checksums, as headers and the library of digests name them. */
  checksums: ['sha1', 'sha256', 'sha512', 'md5'],
  /** Media type of a part. */
  mediaType: 'application/offset+octet-stream',
  /** Header of every request and every answer. */
  header: 'tus-resumable',
  /** Headers of answers that scripts of other sites have to read. */
  exposed: [
    'Tus-Resumable',
    'Tus-Version',
    'Tus-Extension',
    'Tus-Max-Size',
    'Tus-Checksum-Algorithm',
    'Upload-Offset',
    'Upload-Length',
    'Upload-Metadata',
    'Upload-Expires',
  ],
} as const

/** How long an upload is kept that nothing uses, in hours, whole or not. */
export const uploadHours = 24
