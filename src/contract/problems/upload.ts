import { core, kind, type ProblemKind } from './kind.ts'

const uploadModule = 'nextgisweb.file_upload.exception'

/** What can be wrong with uploads that come in parts. */
export const uploadProblems = {
  'upload/incomplete': kind(
    422,
    1,
    'Upload not complete',
    `${uploadModule}.FileUploadNotCompleted`,
    'Send the rest: a HEAD request says where it goes on.',
  ),
  'upload/offset': kind(
    409,
    1,
    'Part out of place',
    `${core}.ValidationError`,
    'Ask with HEAD where the upload goes on, and send the part from there.',
  ),
  'upload/version': kind(
    412,
    1,
    'Unknown protocol version',
    `${core}.ValidationError`,
    'Send the header Tus-Resumable: 1.0.0.',
  ),
  'upload/media-type': kind(
    415,
    1,
    'Unsupported media type',
    `${core}.ValidationError`,
    'Send parts as application/offset+octet-stream.',
  ),
  'upload/checksum': kind(
    460,
    1,
    'Checksum mismatch',
    `${core}.ValidationError`,
    'Send the part again: nothing of it was kept.',
  ),
  'upload/too-many': kind(
    429,
    1,
    'Too many unfinished uploads',
    `${core}.ForbiddenError`,
    'Finish or delete some of them, or wait until they expire.',
  ),
  'upload/guests': kind(
    429,
    1,
    'Guest upload quota exceeded',
    `${core}.ForbiddenError`,
    'Sign in, or try again later.',
  ),
} as const satisfies Record<string, ProblemKind>
