import type { CatalogReading } from '../../api/read_catalog.ts'
import { serviceNameOf, webMercator } from '../../contract/classes/basemap_layer.ts'
import type { Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import { type ActualTree, labelOf } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import type { Referrer } from '../model/takes.ts'
import { issueAt } from '../plan/issue_at.ts'
import { type ActualRecord, indexCatalog } from './actual_catalog.ts'

const pointer = '/basemap_layer/qms'

/** Returns the key or guid by which a resource names a geoservice; undefined if it names none. */
export function namedService({ members }: Pick<WantedResource, 'members'>): string | undefined {
  const { qms } = members.basemap_layer ?? {}
  return typeof qms === 'string' ? serviceNameOf(qms) : undefined
}

/** Base maps of a plan, with what happens to the catalog. */
export interface BaseMapInput {
  readonly manifest: Manifest
  readonly catalog: CatalogReading | undefined
  /** Changes to records of the catalog. */
  readonly changes: readonly Change[]
}

/** Reports base maps of the manifest whose geoservice does not exist after the plan, or cannot be drawn on a map. */
export function checkBaseMaps({ manifest, catalog, changes }: BaseMapInput): Issue[] {
  if (typeof catalog !== 'object') return []
  const named = [...manifest.resources.values()].flatMap((wanted) => {
    const name = namedService(wanted)
    return name === undefined ? [] : [{ wanted, name }]
  })
  if (named.length === 0) return []
  const services = servicesAfter([...indexCatalog(catalog).geoservice.values()], changes)
  return named.flatMap(({ wanted, name }) => {
    const service = services.get(name) ?? services.get(name.toLowerCase())
    if (service === undefined) return [missing(wanted, name, { changes, services })]
    const fault = findFault(service)
    return fault === undefined
      ? []
      : [issueAt(wanted, 'plan/missing', `the geoservice "${name}" ${fault}`, pointer)]
  })
}

type Service = Readonly<Record<string, unknown>>

/** Returns the members of the geoservices after the changes, by key and by guid. */
function servicesAfter(
  records: readonly ActualRecord[],
  changes: readonly Change[],
): ReadonlyMap<string, Service> {
  const changeOf = new Map(
    changes.flatMap((one) => (one.record === 'geoservice' && one.id !== undefined ? [[one.id, one]] : [])),
  )
  const kept = records.flatMap(({ id, members }) => {
    const change = changeOf.get(id)
    if (change === undefined) return [members]
    return change.action === 'delete' || change.action === 'replace'
      ? []
      : [{ ...members, ...change.body.geoservice }]
  })
  const made = changes.flatMap(({ action, record, body }) =>
    record === 'geoservice' && (action === 'create' || action === 'replace') ? [body.geoservice ?? {}] : [],
  )
  return new Map(
    [...kept, ...made].flatMap((service: Service) =>
      [service.keyname, service.guid].flatMap((name) =>
        typeof name === 'string' ? [[name, service] as const] : [],
      ),
    ),
  )
}

function findFault({ type, epsg }: Service): string | undefined {
  if (type !== 'tms') return `is of type ${type}; a base map shows services of type tms`
  if (typeof epsg === 'number' && epsg !== webMercator)
    return `is in EPSG:${epsg}; a base map shows services in EPSG:${webMercator}`
  return undefined
}

function missing(
  wanted: WantedResource,
  name: string,
  { changes, services }: { changes: readonly Change[]; services: ReadonlyMap<string, Service> },
): Issue {
  const renamed = changes.find(({ edits }) =>
    edits.some(({ pointer: at, from }) => at === '/keyname' && from === name),
  )
  const message = `the catalog has no geoservice with the key or guid "${name}" after this plan`
  const keys = [...services].flatMap(([key, { keyname }]) => (key === keyname ? [key] : []))
  const hint = renamed === undefined ? findHint(name, keys) : `Its key is now "${renamed.key}": write that.`
  return { ...issueAt(wanted, 'plan/missing', message, pointer), ...(hint === undefined ? {} : { hint }) }
}

/** Resources of the server whose base maps a change to the catalog may break. */
export interface Bystanders {
  readonly actual: ActualTree
  /** Ids of resources that the manifest describes, or that the plan deletes. */
  readonly planned: ReadonlySet<number>
}

/**
 * Finds the base maps that lose their tiles: those that name a deleted geoservice, or a renamed one by its old key.
 * Base maps of the manifest are excluded, because `checkBaseMaps` reports them.
 */
export function findBaseMaps(
  { members }: ActualRecord,
  { actual, planned }: Bystanders,
  names: readonly ('key' | 'guid')[],
): Referrer[] {
  const { base_maps: all = [] } = members as {
    readonly base_maps?: readonly { readonly id: number; readonly by: 'key' | 'guid' }[]
  }
  return all
    .filter(({ id, by }) => names.includes(by) && !planned.has(id))
    .map(({ id }) => {
      const resource = actual.byId.get(id)
      return {
        key: labelOf(resource ?? { keyname: null, id }),
        cls: 'basemap_layer',
        path: [resource?.displayName ?? `resource ${id}`],
        loses: ['qms'],
        refuses: false,
      }
    })
}
