/**
 * Protocol of resumable uploads.
 *
 * @see tus resumable upload protocol 1.0.0
 */
export const tus = {
  version: '1.0.0',
  extensions: ['creation', 'creation-with-upload', 'termination', 'checksum', 'expiration'],
  /** Checksum algorithms, by their names in headers and in node:crypto. */
  checksums: ['sha1', 'sha256', 'sha512', 'md5'],
  /** Media type of a part. */
  mediaType: 'application/offset+octet-stream',
  /** Header of every request and response. */
  header: 'tus-resumable',
  /** Response headers exposed to cross-origin scripts. */
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

/** Retention time of unused uploads, complete or not, in hours. */
export const uploadHours = 24
