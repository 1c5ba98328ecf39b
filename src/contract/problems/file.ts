import { core, kind, type ProblemKind, resource } from './kind.ts'

/** What can be wrong with the files of resources. */
export const fileProblems = {
  'bucket/not-found': kind(
    404,
    1,
    'File not found',
    `${resource}.ResourceNotFound`,
    'Read the resource: it lists its files.',
  ),
  'attachment/not-found': kind(
    404,
    1,
    'Attachment not found',
    'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    'Read the feature: it lists its attachments.',
  ),
  'attachment/no-preview': kind(
    404,
    1,
    'Attachment without preview',
    'nextgisweb.feature_attachment.exception.AttachmentNotFound',
    'Download it: only pictures have a preview, as is_image says.',
  ),
  'request/range': kind(
    416,
    1,
    'Range not satisfiable',
    `${core}.ValidationError`,
    'Ask for bytes that the file has.',
  ),
} as const satisfies Record<string, ProblemKind>
