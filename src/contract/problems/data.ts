import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with features and their sources. */
export const dataProblems = {
  'feature/not-found': kind(
    404,
    1,
    'Feature not found',
    'nextgisweb.feature_layer.exception.FeatureNotFound',
    'Check the id.',
  ),
  'feature/invalid': kind(
    422,
    1,
    'Validation error',
    `${core}.ValidationError`,
    'Correct the value that the message names.',
  ),
  'upload/not-found': kind(
    422,
    1,
    'Upload not found',
    'nextgisweb.file_upload.exception.FileUploadNotFound',
    'Upload the file again; unused uploads are kept for a day.',
  ),
  'data/loss': kind(
    409,
    4,
    'Load would lose data',
    `${core}.ValidationError`,
    'Check the source. If the loss is intended, allow it with --allow-loss.',
  ),
  'data/managed': kind(
    409,
    1,
    'Data managed by a manifest',
    `${core}.ValidationError`,
    'Change the source in the manifest and apply it, or replace the data all the same with --take.',
  ),
  'source/not-prepared': kind(
    422,
    1,
    'Prepared source not found',
    `${core}.ValidationError`,
    'Prepare the upload again: what is prepared waits for a day, is used once, and by whom it was prepared.',
  ),
  'source/unreadable': kind(
    422,
    3,
    'Source cannot be read',
    `${core}.ValidationError`,
    'Send a file of a supported format, whole.',
  ),
  'source/layers': kind(
    422,
    3,
    'Source has several layers',
    `${core}.ValidationError`,
    'Name one of them in source_layer.',
  ),
  'source/no-srs': kind(
    422,
    3,
    'Source has no reference system',
    `${core}.ValidationError`,
    'Add the reference system to the file.',
  ),
  'source/bad-raster': kind(
    422,
    3,
    'Picture cannot be a layer',
    `${core}.ValidationError`,
    'Send a GeoTIFF with 3 or 4 bands of 8 bits, a reference system and a place.',
  ),
  'source/bad-features': kind(
    422,
    3,
    'Source has bad features',
    `${core}.ValidationError`,
    'Mend them, set fix_errors or skip_errors, or take one type with cast_geometry_type and skip_other_geometry_types.',
  ),
} as const satisfies Record<string, ProblemKind>
