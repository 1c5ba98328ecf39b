import { core, type ProblemKind } from './kind.ts'

const uploadModule = 'nextgisweb.file_upload.exception'

/** What can be wrong with uploads that come in parts. */
export const uploadProblems = {
  'upload/incomplete': {
    title: 'Upload not complete',
    exit: 1,
    status: 422,
    exception: `${uploadModule}.FileUploadNotCompleted`,
    advice: 'Send the rest: a HEAD request says where it goes on.',
  },
  'upload/offset': {
    title: 'Part out of place',
    exit: 1,
    status: 409,
    exception: `${core}.ValidationError`,
    advice: 'Ask with HEAD where the upload goes on, and send the part from there.',
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
    advice: 'Send the part again: nothing of it was kept.',
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
