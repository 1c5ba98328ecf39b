import PQueue from 'p-queue'
import type { CatalogReading } from '../../api/read_catalog.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { dataOf, hasFeatures, isCls } from '../../contract/registry.ts'
import { isProblem } from '../../core/problem.ts'
import type { FieldValues } from '../../transfer/count_values.ts'
import { readsAll } from '../model/actual_tree.ts'
import { nameValues } from '../plan/data/lost_values.ts'
import type { PlanReader } from '../plan/plan_reader.ts'
import { type Capture, type CapturedVisibility, captureVersion, withoutSecrets } from './capture.ts'

/** What to capture. */
export interface CaptureRequest {
  readonly reader: PlanReader
  /** Keys of manifests; an account that cannot read all resources asks whether they exist. */
  readonly keynames: readonly string[]
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
  const { reader, keynames, countsValues, now } = request
  const resources: Representation[] = []
  const head = await reader.readTree((resource) => resources.push(withoutSecrets(resource)))
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
      ...(readsAll(head) ? {} : { visibility: await readVisibility(reader, resources, keynames) }),
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
