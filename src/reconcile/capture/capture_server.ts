import PQueue from 'p-queue'
import type { CatalogReading } from '../../api/read_catalog.ts'
import type { ExtensionsQuery } from '../../api/read_extensions.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { dataOf, extensionsOf, hasFeatures, isCls } from '../../contract/registry.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { FieldValues } from '../../transfer/count_values.ts'
import { type ActualTree, collectTree, readsAll } from '../model/actual_tree.ts'
import { nameValues } from '../plan/data/lost_values.ts'
import { queryOf } from '../plan/data/plan_extensions.ts'
import { withNewKeynames } from '../plan/fields/renamed_fields.ts'
import { matchResources } from '../plan/match/match.ts'
import { type ExtensionsReading, notCaptured, type PlanReader } from '../plan/plan_reader.ts'
import {
  type Capture,
  type CapturedExtensions,
  type CapturedVisibility,
  captureVersion,
  withoutSecrets,
} from './capture.ts'

/** What to capture. */
export interface CaptureRequest {
  readonly reader: PlanReader
  /** Manifest to plan: what only its plans read is captured, too. */
  readonly manifest?: Manifest | undefined
  /** Whether the values of fields are counted, one request each. */
  readonly countsValues: boolean
  readonly now: Date
}

/** Maximum number of concurrent requests. */
const concurrency = 8

/**
 * Reads all that plans of any manifest read from a server.
 *
 * @throws {Problem} http/*, auth/*
 */
export async function captureServer(request: CaptureRequest): Promise<Capture> {
  const { reader, manifest, countsValues, now } = request
  const resources: Representation[] = []
  const collector = collectTree()
  const head = await reader.readTree((resource) => {
    resources.push(withoutSecrets(resource))
    if (manifest !== undefined) collector.take(resource)
  })
  const actual = collector.finish(head)
  const features = await countFeatures(reader, resources)
  const [users, principals, contents] = await Promise.all([
    reader.readUsers(),
    reader.readPrincipals(),
    reader.readContents(resources.map(({ resource }) => resource.id)),
  ])
  return {
    head: { landform_capture: captureVersion, server: reader.url, captured_at: now.toISOString(), ...head },
    resources,
    end: {
      end: true,
      resources: resources.length,
      catalog: await readCatalog(reader),
      users: users ?? null,
      principals: principals ?? null,
      features,
      contents: contents ?? null,
      values: countsValues ? await countValues(reader, resources, features) : {},
      ...(manifest === undefined ? {} : { extensions: await readExtensions(reader, manifest, actual) }),
      ...(readsAll(head)
        ? {}
        : { visibility: await readVisibility(reader, resources, listKeynames(manifest)) }),
    },
  }
}

/** Guests cannot manage the records, either. */
async function readCatalog(reader: PlanReader): Promise<CatalogReading> {
  try {
    return await reader.readCatalog()
  } catch (error) {
    if (isProblem(error) && error.status === 401) return 'denied'
    throw error
  }
}

type Counts = Record<string, number | null>

async function countFeatures(reader: PlanReader, resources: readonly Representation[]): Promise<Counts> {
  const layers = resources.filter(({ resource: { cls } }) => isCls(cls) && hasFeatures(cls))
  return countEach(
    layers.map(({ resource: { id } }) => id),
    String,
    (id) => reader.countFeatures(id),
  )
}

/** Counts the values of all fields of layers with features. */
async function countValues(
  reader: PlanReader,
  resources: readonly Representation[],
  features: Counts,
): Promise<Counts> {
  const fields = resources.flatMap((wire): FieldValues[] => {
    const { id, cls } = wire.resource
    if (dataOf(cls)?.content !== 'features') return []
    return fieldsOf(wire).map(({ keyname, datatype }) => ({ id, keyname, datatype }))
  })
  const filled = fields.filter(({ id }) => features[id] !== 0)
  const empty = fields.filter(({ id }) => features[id] === 0).map((field) => [nameValues(field), 0] as const)
  const counted = await countEach(
    filled,
    nameValues,
    async (field) => (await reader.countValues(field)) ?? null,
  )
  return { ...Object.fromEntries(empty), ...counted }
}

interface NamedField {
  readonly keyname: string
  readonly datatype: Datatype
}

function fieldsOf(wire: Representation): readonly NamedField[] {
  const { feature_layer: layer } = wire as { feature_layer?: { fields?: readonly NamedField[] } }
  return layer?.fields ?? []
}

async function countEach<T>(
  items: readonly T[],
  name: (item: T) => string,
  count: (item: T) => Promise<number | null>,
): Promise<Counts> {
  const queue = new PQueue({ concurrency })
  const work = items.map((item) => async () => [name(item), await count(item)] as const)
  return Object.fromEntries(await queue.addAll<readonly [string, number | null]>(work))
}

/** Reads descriptions and attachments of the layers whose features the manifest loads or extends. */
async function readExtensions(
  reader: PlanReader,
  manifest: Manifest,
  actual: ActualTree,
): Promise<CapturedExtensions[]> {
  const { pairs } = matchResources(manifest, actual)
  const queries = [...manifest.resources.values()].flatMap((wanted): ExtensionsQuery[] => {
    const found = pairs.get(wanted.key)
    const isRead = wanted.features !== undefined || wanted.data !== undefined
    if (found === undefined || !isRead || extensionsOf(found.cls) === undefined) return []
    return [queryOf(wanted, withNewKeynames(wanted, found))]
  })
  const queue = new PQueue({ concurrency })
  const work = queries.map((query) => async () => ({ query, features: await reader.readExtensions(query) }))
  const read = await queue.addAll<{ query: ExtensionsQuery; features: ExtensionsReading }>(work)
  return read.flatMap(({ query, features }) => (features === notCaptured ? [] : [{ ...query, features }]))
}

/** Lists the keys of a manifest, and its old keys. */
function listKeynames(manifest: Manifest | undefined): string[] {
  const keys = [...(manifest?.resources.values() ?? [])].flatMap(({ key, was }) =>
    was === undefined ? [key] : [key, was],
  )
  return [...new Set(keys)]
}

async function readVisibility(
  reader: PlanReader,
  resources: readonly Representation[],
  keynames: readonly string[],
): Promise<CapturedVisibility> {
  const readable = new Set(resources.map(({ resource }) => resource.keyname))
  const missing = keynames.filter((keyname) => !readable.has(keyname))
  const parents = resources.map(({ resource }) => resource.id)
  const { unreadable, creatable } = await reader.readVisibility({ keynames: missing, parents })
  return {
    keynames: missing,
    unreadable: unreadable === undefined ? null : [...unreadable],
    creatable: Object.fromEntries([...creatable].map(([id, classes]) => [id, [...classes]] as const)),
  }
}
