import { core, type ProblemKind } from './kind.ts'

/** Problems with features and their sources. */
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
    advice: 'Correct the value named in the message.',
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
  'data/key': {
    title: 'Invalid key of features',
    exit: 3,
    advice: 'Choose key fields whose values identify each feature.',
  },
  'data/not-comparable': {
    title: 'Features cannot be compared',
    exit: 1,
    advice: 'Replace the data instead of synchronizing them.',
  },
  'data/managed': {
    title: 'Data managed by a manifest',
    exit: 1,
    advice: 'Change the source in the manifest and apply it, or replace the data anyway with --take.',
  },
  'source/not-prepared': {
    title: 'Prepared source not found',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Prepare the upload again: a prepared source is kept for a day, and only the user who prepared it can use it, once.',
  },
  'source/not-kept': {
    title: 'Kept data not found',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'List the kept data with GET /api/component/landform/kept/. Data are restored once, in the layer that had them; of a deleted layer, by administrators and who deleted it.',
  },
  'source/unreadable': {
    title: 'Source cannot be read',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Send a complete file in a supported format.',
  },
  'source/layers': {
    title: 'Source has several layers',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Set source_layer to one of them.',
  },
  'source/no-srs': {
    title: 'Source has no coordinate reference system',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Add the coordinate reference system to the file.',
  },
  'source/bad-raster': {
    title: 'Unsupported raster',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Send a georeferenced GeoTIFF with one band, or with red, green, blue and perhaps alpha, and a coordinate reference system.',
  },
  'source/bad-features': {
    title: 'Source has invalid features',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice:
      'Repair them, set fix_errors or skip_errors, or select one type with cast_geometry_type and skip_other_geometry_types.',
  },
} as const satisfies Record<string, ProblemKind>
