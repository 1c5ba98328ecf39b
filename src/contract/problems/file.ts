import { core, type ProblemKind, resource } from './kind.ts'

/** Problems with the files of resources. */
export const fileProblems = {
  'bucket/not-found': {
    title: 'File not found',
    exit: 1,
    status: 404,
    exception: `${resource}.ResourceNotFound`,
    advice: 'See the list of files in the resource.',
  },
  'attachment/not-found': {
    title: 'Attachment not found',
    exit: 1,
    status: 404,
    exception: 'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    advice: 'See the list of attachments in the feature.',
  },
  'attachment/no-preview': {
    title: 'Attachment without preview',
    exit: 1,
    status: 404,
    exception: 'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    advice: 'Download the file: only images (is_image) have a preview.',
  },
  'request/range': {
    title: 'Range not satisfiable',
    exit: 1,
    status: 416,
    exception: `${core}.ValidationError`,
    advice: 'Request a range within the file.',
  },
} as const satisfies Record<string, ProblemKind>
