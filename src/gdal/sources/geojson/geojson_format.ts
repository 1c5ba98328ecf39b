import { mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import type { SourceCheck, SourceFile, SourceLayer } from '../source.ts'
import { defineSource, type Opening } from '../source_format.ts'
import { findEscapedNul, holdsHugeNumbers, refuseNul } from '../text/plain_text.ts'
import { recodeIfNeeded } from '../text/recode.ts'
import { type BrokenGeometry, checkGeoJson, type GeoJsonFaults, writeWithout } from './geojson_check.ts'
import { beginsWithRecord, countRecords } from './json_records.ts'

const drivers = ['GeoJSON', 'GeoJSONSeq', 'TopoJSON', 'ESRIJSON']

/** GeoJSON, sequences of it, TopoJSON and Esri JSON. @see RFC 7946, RFC 8142 */
export const geojson = defineSource('GeoJSON', {
  recognizes: ({ text }) => text.startsWith('{') || text.startsWith('\u001e'),
  async open(given, opening) {
    const { file, texts } = await recodeIfNeeded(given, opening.job)
    refuseNul(file, findEscapedNul)
    const { layers, check } = await openChecked(file, opening)
    const isClamped = once(() => holdsHugeNumbers(file.path))
    return layers.map((source) => ({
      ...source,
      ...(source.format === 'TopoJSON' ? { degrees: 'declared' as const } : {}),
      columns: { isClamped, ...(texts === undefined ? {} : { texts }) },
      check,
    }))
  },
})

/** Opens a file, and looks meanwhile for what GDAL passes over in it. */
async function openChecked(
  file: SourceFile,
  { gdal, job }: Opening,
): Promise<{ layers: SourceLayer[]; check: SourceCheck }> {
  const opening = openWithGdal(gdal, file, drivers)
  opening.catch(() => undefined)
  const faults = checkGeoJson(file.path)
  const layers = await opening
  if (!layers.every(({ format }) => format.startsWith('GeoJSON'))) return { layers, check: {} }
  const { broken, stranger } = faults
  if (stranger !== undefined)
    throw unreadable(file, `member ${stranger.number} of its features is no Feature, but ${stranger.reason}`)
  // To lose parts of features is what such a job allows.
  const isWhole = broken.length === 0 || job.fix === 'LOSSY'
  const found = isWhole ? layers : await openWithGdal(gdal, await leaveOut(file, broken, job), drivers)
  const isSequence = layers[0]?.format === 'GeoJSONSeq' || beginsWithRecord(file.path)
  const total = isSequence ? { total: countRecords(file.path) } : {}
  return { layers: found, check: { ...total, ...checkOf(faults, isWhole) } }
}

function checkOf({ broken, hasLongPositions }: GeoJsonFaults, isWhole: boolean): SourceCheck {
  const reasons = new Map(broken.map(({ number, reason }) => [number, reason]))
  const beyond = 'Positions have more than three numbers: those behind the third are left out.'
  return {
    findNotes: () => (hasLongPositions ? [beyond] : []),
    ...(isWhole ? {} : { startReasons: () => (number) => reasons.get(number) }),
  }
}

async function leaveOut(
  { path, name }: SourceFile,
  broken: readonly BrokenGeometry[],
  { folder }: Opening['job'],
): Promise<SourceFile> {
  const target = join(mkdtempSync(join(folder, 'geojson-')), basename(path))
  await writeWithout(path, broken, target)
  return { path: target, name }
}

function once(find: () => boolean): () => boolean {
  let found: boolean | undefined
  return () => {
    found ??= find()
    return found
  }
}
