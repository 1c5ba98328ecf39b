import { core, type ProblemKind } from './kind.ts'

/** What can be wrong with features and their sources. */
export const dataProblems = {
  'feature/not-found': {
    title: 'Feature not found',
    exit: 1,
    status: 404,
    exception: 'nextgisweb.feature_layer.exception.FeatureNotFound',
    advice: 'Check the id.',
  },
  'feature/invalid': {
    title: 'Validation error',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Correct the value that the message names.',
  },
  'upload/not-found': {
    title: 'Upload not found',
    exit: 1,
    status: 422,
    exception: 'nextgisweb.file_upload.exception.FileUploadNotFound',
    advice: 'Upload the file again; unused uploads are kept for a day.',
  },
  'data/loss': {
    title: 'Load would lose data',
    exit: 4,
    advice: 'Check the source. If the loss is intended, allow it with --allow-loss.',
  },
  'data/managed': {
    title: 'Data managed by a manifest',
    exit: 1,
    advice: 'Change the source in the manifest and apply it, or replace the data all the same with --take.',
  },
  'source/not-prepared': {
    title: 'Prepared source not found',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Prepare the upload again: what is prepared waits for a day, is used once, and by whom it was prepared.',
  },
  'source/unreadable': {
    title: 'Source cannot be read',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Send a file of a supported format, whole.',
  },
  'source/layers': {
    title: 'Source has several layers',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Name one of them in source_layer.',
  },
  'source/no-srs': {
    title: 'Source has no reference system',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Add the reference system to the file.',
  },
  'source/bad-raster': {
    title: 'Picture cannot be a layer',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Send a GeoTIFF with 3 or 4 bands of 8 bits, a reference system and a place.',
  },
  'source/bad-features': {
    title: 'Source has bad features',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Mend them, set fix_errors or skip_errors, or take one type with cast_geometry_type and skip_other_geometry_types.',
  },
} as const satisfies Record<string, ProblemKind>
