import { join, resolve } from 'node:path'
import { problem } from '../contract/problems.ts'
import type { Pipeline } from './pipeline_schema.ts'
import { type RunContext, type Step, startStep } from './run_context.ts'
import type { LayerReport, RunResult } from './run_event.ts'
import {
  findSnapshot,
  isIntact,
  openPartial,
  publishSnapshot,
  type SnapshotFile,
  type SnapshotManifest,
  writeFeatureCollection,
} from './snapshot.ts'
import { splitArray } from './splitter.ts'
import { countFeatures, getLayer, type TargetLayer } from './target_layer.ts'

type Export = Extract<Pipeline, { kind: 'export' }>

/**
 * Exports layers to files, then writes a manifest of counts and checksums. Writes nothing if the layers and the files
 * still match the manifest of the previous export.
 *
 * @throws {Problem} pipeline/counts if not all features of a layer arrived; the previous export is unchanged then
 */
export async function runExport(pipeline: Export, context: RunContext, run: string): Promise<RunResult> {
  const folder = resolve(pipeline.folder, pipeline.to.folder)
  const layers: TargetLayer[] = []
  for (const keyname of pipeline.from.layers)
    layers.push(await getLayer(context.api, keyname, context.signal))
  const earlier = context.force ? undefined : await findSnapshot(folder)
  const kept = await findCurrentFiles(folder, { earlier, layers, context })
  if (kept !== undefined)
    return { outcome: 'unchanged', layers: kept.map((file) => reportOf(file, folder, 'unchanged')) }
  const partial = await openPartial(folder)
  const files: SnapshotFile[] = []
  for (const layer of layers) files.push(await exportLayer(layer, partial, context))
  await publishSnapshot(folder, {
    version: 1,
    pipeline: pipeline.pipeline,
    run,
    server: context.api.url,
    format: pipeline.to.format ?? 'GeoJSON',
    exportedAt: new Date().toISOString(),
    files,
  })
  return { outcome: 'exported', layers: files.map((file) => reportOf(file, folder, 'loaded')) }
}

interface Earlier {
  readonly earlier: SnapshotManifest | undefined
  readonly layers: readonly TargetLayer[]
  readonly context: RunContext
}

/** Returns the files of the previous export if all of them are up to date. */
async function findCurrentFiles(
  folder: string,
  { earlier, layers, context }: Earlier,
): Promise<readonly SnapshotFile[] | undefined> {
  if (earlier?.version !== 1 || earlier.server !== context.api.url || earlier.files.length !== layers.length)
    return undefined
  for (const [index, file] of earlier.files.entries()) {
    const layer = layers[index]
    const isSame = layer !== undefined && isSameLayer(layer, file)
    if (!isSame || !(await isIntact(folder, file))) return undefined
  }
  return earlier.files
}

function isSameLayer(layer: TargetLayer, { layer: keyname, resource, dataVersion }: SnapshotFile): boolean {
  const isSame =
    layer.keyname === keyname && layer.id === resource.id && layer.createdAt === resource.createdAt
  return isSame && layer.dataVersion !== undefined && layer.dataVersion === dataVersion
}

async function exportLayer(layer: TargetLayer, folder: string, context: RunContext): Promise<SnapshotFile> {
  const { api, signal } = context
  const step = startStep(context, 'export', layer.keyname)
  const file = `${layer.keyname}.geojson`
  const answer = await api.open('feature.list', {
    params: { id: layer.id },
    query: { geom_format: 'geojson', srs: 4326, dt_format: 'iso', extensions: [] },
    signal,
  })
  const written = await writeFeatureCollection(
    join(folder, file),
    geoJsonFeatures(splitArray(answer.body), step),
  )
  const expected = await countFeatures(api, layer.id, signal)
  if (written.features !== expected) {
    throw problem(
      'pipeline/counts',
      `"${layer.keyname}" has ${expected} features, but ${written.features} were received.`,
      {
        resource: layer.id,
        hint: 'The layer may have changed during the export: run the pipeline again.',
      },
    )
  }
  step.done()
  const resource = { id: layer.id, createdAt: layer.createdAt ?? null }
  return { layer: layer.keyname, file, resource, dataVersion: layer.dataVersion ?? null, ...written }
}

/** Number of features between progress reports. */
const progressEvery = 5000

interface WireFeature {
  readonly id: number
  readonly geom: object | null
  readonly fields: object
}

async function* geoJsonFeatures(items: AsyncIterable<string>, step: Step): AsyncGenerator<string, void> {
  let rows = 0
  for await (const item of items) {
    const { id, geom, fields } = JSON.parse(item) as WireFeature
    yield JSON.stringify({ type: 'Feature', id, geometry: geom, properties: fields })
    rows += 1
    if (rows % progressEvery === 0) step.progress(rows)
  }
}

function reportOf(file: SnapshotFile, folder: string, as: 'loaded' | 'unchanged'): LayerReport {
  return {
    layer: file.layer,
    read: file.features,
    loaded: 0,
    unchanged: 0,
    quarantined: 0,
    [as]: file.features,
    digest: file.sha256,
    file: join(folder, file.file),
    sizeBytes: file.sizeBytes,
    ...(file.dataVersion === null ? {} : { dataVersion: file.dataVersion }),
  }
}
