import { core, type ProblemKind, resource } from './kind.ts'

/** What can be wrong with the files of resources. */
export const fileProblems = {
  'bucket/not-found': {
    title: 'File not found',
    exit: 1,
    status: 404,
    exception: `${resource}.ResourceNotFound`,
    advice: 'Read the resource: it lists its files.',
  },
  'attachment/not-found': {
    title: 'Attachment not found',
    exit: 1,
    status: 404,
    exception: 'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    advice: 'Read the feature: it lists its attachments.',
  },
  'attachment/no-preview': {
    title: 'Attachment without preview',
    exit: 1,
    status: 404,
    exception: 'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    advice: 'Download it: only pictures have a preview, as is_image says.',
  },
  'request/range': {
    title: 'Range not satisfiable',
    exit: 1,
    status: 416,
    exception: `${core}.ValidationError`,
    advice: 'Ask for bytes that the file has.',
  },
} as const satisfies Record<string, ProblemKind>
