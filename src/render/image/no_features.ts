import type { JobFeatures } from './draw_job.ts'

/** Returns a layer without features. Each job has its own, because its memory is moved to the thread that draws it. */
export const noFeatures = (): JobFeatures => ({
  family: 'POINT',
  ids: new Float64Array(),
  unitsPerPixel: [1, 1],
  corner: [0, 0],
  points: new Float64Array(),
  worldUnits: 1,
  geometries: new Uint8Array(),
  ends: new Uint32Array(),
  isLocal: new Uint8Array(),
  fields: [],
  columns: [],
})
