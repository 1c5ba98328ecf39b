import { core, type ProblemKind } from './kind.ts'

const uploadModule = 'nextgisweb.file_upload.exception'

/** Problems with resumable uploads. */
export const uploadProblems = {
  'upload/incomplete': {
    title: 'Upload incomplete',
    exit: 1,
    status: 422,
    exception: `${uploadModule}.FileUploadNotCompleted`,
    advice: 'Send the rest, starting at the offset that a HEAD request returns.',
  },
  'upload/offset': {
    title: 'Wrong upload offset',
    exit: 1,
    status: 409,
    exception: `${core}.ValidationError`,
    advice: 'Send the part at the offset that a HEAD request returns.',
  },
  'upload/version': {
    title: 'Unknown protocol version',
    exit: 1,
    status: 412,
    exception: `${core}.ValidationError`,
    advice: 'Send the header Tus-Resumable: 1.0.0.',
  },
  'upload/media-type': {
    title: 'Unsupported media type',
    exit: 1,
    status: 415,
    exception: `${core}.ValidationError`,
    advice: 'Send parts as application/offset+octet-stream.',
  },
  'upload/checksum': {
    title: 'Checksum mismatch',
    exit: 1,
    status: 460,
    exception: `${core}.ValidationError`,
    advice: 'Send the part again: the server discarded it.',
  },
  'upload/too-many': {
    title: 'Too many unfinished uploads',
    exit: 1,
    status: 429,
    exception: `${core}.ForbiddenError`,
    advice: 'Finish or delete some of them, or wait until they expire.',
  },
  'upload/guests': {
    title: 'Guest upload quota exceeded',
    exit: 1,
    status: 429,
    exception: `${core}.ForbiddenError`,
    advice: 'Sign in, or try again later.',
  },
} as const satisfies Record<string, ProblemKind>
