import { dataOf } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import { digestSource } from '../../transfer/pack.ts'
import { haveSameFeatures } from '../../transfer/sync/same_features.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { loadOptionsOf, sourceDigest } from '../plan/data/decide_load.ts'
import { targetOf } from '../plan/data/read_load_change.ts'
import { issueAt } from '../plan/issue_at.ts'
import { matchResources } from '../plan/match/match.ts'
import type { PlanReader } from '../plan/plan_reader.ts'

/** Sources whose features are those of their layers. */
export interface SameData {
  /** Digest by key, for the marker of the layer. */
  readonly sources: ReadonlyMap<string, string>
  readonly issues: readonly Issue[]
}

/** Input of the comparison of sources with layers. */
export interface SameDataRequest {
  readonly reader: Pick<PlanReader, 'features' | 'countFeatures'>
  readonly manifest: Manifest
  readonly actual: ActualTree
  readonly signal?: AbortSignal | undefined
}

/**
 * Compares the sources of a manifest with the features of its layers on the server, unless the marker of the layer names
 * the source already.
 *
 * @throws {Problem} http/*, pipeline/interrupted, file/*
 */
export async function findSameData(request: SameDataRequest): Promise<SameData> {
  const { manifest, actual, signal } = request
  const sources = new Map<string, string>()
  const issues: Issue[] = []
  for (const [key, layer] of matchResources(manifest, actual).pairs) {
    const wanted = manifest.resources.get(key)
    if (wanted?.data === undefined || layer.resmeta === undefined || wanted.cls !== layer.cls) continue
    const file = await digestSource(wanted.data.path, signal)
    const digest = sourceDigest(file.sha256, loadOptionsOf(wanted))
    if (layer.source?.digest === digest) continue
    const answer = await compare(request, wanted, layer)
    if (answer === 'same') sources.set(key, digest)
    else if (wanted.data.mode !== 'seed' && !(await isEmpty(request, layer)))
      issues.push(reportOther(wanted, answer))
  }
  return { sources, issues }
}

/** The first apply loads an empty layer. */
async function isEmpty({ reader }: SameDataRequest, { id, cls }: ActualResource): Promise<boolean> {
  return dataOf(cls)?.content === 'features' && (await reader.countFeatures(id)) === 0
}

/** Result of a comparison: `same`, or why the layer is not marked. */
async function compare(
  { reader, signal }: SameDataRequest,
  wanted: WantedResource,
  layer: ActualResource,
): Promise<string> {
  if (dataOf(layer.cls)?.content !== 'features' || layer.dataVersion === undefined)
    return 'they cannot be compared'
  if (reader.features === undefined) return 'the server cannot compare them'
  const source = { path: wanted.data?.path ?? '', options: loadOptionsOf(wanted), signal }
  try {
    const isSame = await haveSameFeatures(reader.features, { source, target: targetOf(layer) })
    if (isSame === undefined) return 'the server cannot compare them'
    return isSame ? 'same' : 'their features differ'
  } catch (error) {
    if (isProblem(error) && /^(source|gdal|data|request)\//.test(error.code)) return error.message
    throw error
  }
}

function reportOther(wanted: WantedResource, reason: string): Issue {
  const message = `the data of "${wanted.key}" are not marked as loaded from ${wanted.data?.source}: ${reason}`
  const hint = `To replace the data, apply with --overwrite-data ${wanted.key}. To keep them, use data: { mode: seed }.`
  return { ...issueAt(wanted, 'plan/data-unknown', message, '/data'), severity: 'warning', hint }
}
