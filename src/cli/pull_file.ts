import { mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import PQueue from 'p-queue'
import type { Api } from '../api/api.ts'
import { readExtensions } from '../api/read_extensions.ts'
import { dataOf, extensionsOf } from '../contract/registry.ts'
import { writeAtomically } from '../files/atomic_write.ts'
import { type ActualResource, type ActualTree, listDescendants } from '../reconcile/model/actual_tree.ts'
import { liveReader } from '../reconcile/plan/plan_reader.ts'
import { identifies, listKeyFields, type PulledExtensions } from '../reconcile/pull/pull_features.ts'
import type { PulledFile } from '../reconcile/pull/pulled_file.ts'
import { loadTimeoutMs } from '../transfer/prepare_source.ts'
import type { Terminal } from './terminal.ts'

/** Maximum number of concurrent requests. */
const maxRequests = 8

interface Subtree {
  readonly tree: ActualTree
  readonly root: number
  readonly signal: AbortSignal | undefined
}

/** Counts the features of the layers of a subtree; null for those that the server cannot count. */
export async function countFeatures(
  api: Api,
  { tree, root, signal }: Subtree,
): Promise<Map<number, number | null>> {
  const ids = [root, ...listDescendants(tree, root)]
  const layers = ids.filter((id) => dataOf(tree.byId.get(id)?.cls)?.content === 'features')
  const queue = new PQueue({ concurrency: maxRequests })
  const reader = liveReader(api, signal)
  const count = async (id: number) => [id, await reader.countFeatures(id)] as const
  return new Map(await queue.addAll(layers.map((id) => () => count(id))))
}

/** Reads the descriptions and attachments of features of the layers of a subtree that have some. */
export async function readPulledExtensions(
  api: Api,
  { tree, root, signal }: Subtree,
): Promise<Map<number, PulledExtensions>> {
  const layers = [root, ...listDescendants(tree, root)].flatMap((id) => tree.byId.get(id) ?? [])
  const queue = new PQueue({ concurrency: maxRequests })
  const read = async (layer: ActualResource) => [layer.id, await readLayer(api, layer, signal)] as const
  const found = await queue.addAll(
    layers.filter(({ cls }) => extensionsOf(cls) !== undefined).map((layer) => () => read(layer)),
  )
  return new Map(found.flatMap(([id, extensions]) => (extensions === undefined ? [] : [[id, extensions]])))
}

async function readLayer(
  api: Api,
  layer: ActualResource,
  signal: AbortSignal | undefined,
): Promise<PulledExtensions | undefined> {
  const features = await readExtensions(api, { id: layer.id }, signal)
  if (features === null || features.length === 0) return undefined
  for (const key of listKeyFields(layer)) {
    const keyed = await readExtensions(api, { id: layer.id, key }, signal)
    if (keyed !== null && identifies(keyed)) return { key, features: keyed }
  }
  return { key: undefined, features }
}

/**
 * Writes a file that a pulled manifest names, as a stream, replacing an existing one.
 *
 * @throws {Problem} http/*, access/denied, files/full
 */
export async function writePulledFile(
  api: Api,
  { file, folder }: { readonly file: PulledFile; readonly folder: string },
  { cwd, interrupt: signal }: Terminal,
): Promise<void> {
  const path = join(folder, file.path)
  await mkdir(dirname(path), { recursive: true })
  const bytes = await openFile(api, file, signal)
  await writeAtomically(path, bytes, { shownPath: relative(cwd, path), overwrite: true, signal })
}

async function openFile(api: Api, file: PulledFile, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  if (file.kind === 'text') return textBytes(file.text)
  const params = { id: file.id }
  // Some formats are complete before their first byte is sent.
  const limits = { signal, timeoutMs: loadTimeoutMs }
  if (file.kind === 'attachment') {
    const place = { ...params, fid: file.featureId, aid: file.attachmentId }
    return (await api.open('attachment.download', { params: place, ...limits })).body
  }
  if (file.kind === 'file')
    return (await api.open('file.download', { params: { ...params, name: file.name }, ...limits })).body
  if (file.kind === 'form') return (await api.open('form.ngfp', { params, ...limits })).body
  if (file.kind === 'raster') return (await api.open('raster.download', { params, ...limits })).body
  return (await api.open('feature.export', { params, query: { format: 'GPKG', zipped: false }, ...limits }))
    .body
}

async function* textBytes(text: string) {
  yield Buffer.from(text)
}
