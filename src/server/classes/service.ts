import type { Static } from 'typebox'
import type { wfsserverService } from '../../contract/classes/wfsserver_service.ts'
import type { wmsserverService } from '../../contract/classes/wmsserver_service.ts'
import type { Members } from '../../contract/registry.ts'
import { formatScale, scaleDenominator } from '../../contract/scale.ts'
import { joinPointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import {
  findServiceLayers,
  replaceServiceLayers,
  type ServiceLayer,
} from '../../store/classes/service_layer.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { requireReferences } from '../resource/references.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'

type Service = 'wmsserver_service' | 'wfsserver_service'
type WmsEntry = Static<(typeof wmsserverService)['members']['wmsserver_service']>['layers'][number]
type WfsEntry = Static<(typeof wfsserverService)['members']['wfsserver_service']>['layers'][number]

/** A kind of service: parses and formats the entries of its list. */
interface Kind<C extends Service, Entry> {
  readonly cls: C
  parse(entry: Entry): ServiceLayer
  format(layer: ServiceLayer): Entry
}

/** Styles and WMS layers published as a web map service. */
export const wmsserverServiceBehaviour = serviceBehaviour<'wmsserver_service', WmsEntry>({
  cls: 'wmsserver_service',
  parse: (entry) => ({
    ...parseShared(entry),
    minScaleDenom: parseScale(entry.min_scale_denom),
    maxScaleDenom: parseScale(entry.max_scale_denom),
    maxFeatures: null,
  }),
  format: (layer) => ({
    ...formatShared(layer),
    min_scale_denom: layer.minScaleDenom === null ? null : formatScale(layer.minScaleDenom),
    max_scale_denom: layer.maxScaleDenom === null ? null : formatScale(layer.maxScaleDenom),
  }),
})

/** Layers published as a web feature service. */
export const wfsserverServiceBehaviour = serviceBehaviour<'wfsserver_service', WfsEntry>({
  cls: 'wfsserver_service',
  parse: (entry) => ({
    ...parseShared(entry),
    minScaleDenom: null,
    maxScaleDenom: null,
    maxFeatures: entry.maxfeatures ?? null,
  }),
  format: (layer) => ({ ...formatShared(layer), maxfeatures: layer.maxFeatures }),
})

const parseScale = (scale: string | number | null | undefined) =>
  scale === null || scale === undefined ? null : scaleDenominator(scale)

type SharedEntry = Pick<WmsEntry, 'keyname' | 'display_name' | 'resource_id'>

const parseShared = ({ keyname, display_name: displayName, resource_id: resourceId }: SharedEntry) => ({
  keyname,
  displayName,
  resourceId,
})

const formatShared = ({ keyname, displayName, resourceId }: ServiceLayer): SharedEntry => ({
  keyname,
  display_name: displayName,
  resource_id: resourceId,
})

function serviceBehaviour<C extends Service, Entry extends SharedEntry>(kind: Kind<C, Entry>): Behaviour<C> {
  const { cls, format } = kind
  return {
    async readMembers(tx, ids) {
      const layers = await findServiceLayers(tx, ids)
      const members = (id: number) => ({ [cls]: { layers: (layers.get(id) ?? []).map(format) } })
      return new Map(ids.map((id) => [id, members(id) as unknown as Members<C>]))
    },
    create: (tx, changes) => write(tx, kind, { changes, current: new Map() }),
    async update(tx, changes) {
      await write(tx, kind, { changes, current: await findServiceLayers(tx, changes.map(idOf)) })
    },
  }
}

interface Writing<C extends Service> {
  readonly changes: readonly MemberChange<C>[]
  readonly current: ReadonlyMap<number, readonly ServiceLayer[]>
}

async function write<C extends Service, Entry extends SharedEntry>(
  tx: Queryable,
  { cls, parse }: Kind<C, Entry>,
  { changes, current }: Writing<C>,
): Promise<void> {
  const lists = changes.flatMap(({ id, caller, members }) => {
    const { layers } = (members as { readonly [M in Service]?: { readonly layers?: Entry[] } })[cls] ?? {}
    return layers === undefined ? [] : [{ id, caller, members, layers }]
  })
  const [first] = lists
  if (first === undefined) return
  for (const { layers } of lists) checkKeynames(cls, layers)
  const checks = lists.map(({ id, members }) => ({ members, current: resourcesOf(current.get(id)) }))
  await requireReferences(tx, { caller: first.caller, cls, checks })
  await replaceServiceLayers(tx, new Map(lists.map(({ id, layers }) => [id, layers.map(parse)])))
}

const resourcesOf = (layers: readonly ServiceLayer[] = []) => new Set(layers.map((layer) => layer.resourceId))

/** Checks that keynames are distinct, since requests name layers by keyname. */
function checkKeynames(cls: Service, layers: readonly SharedEntry[]): void {
  const seen = new Set<string>()
  for (const [at, { keyname }] of layers.entries()) {
    if (seen.has(keyname))
      throw invalidAt(
        joinPointer('', cls, 'layers', at, 'keyname'),
        `the keyname "${keyname}" is listed twice`,
      )
    seen.add(keyname)
  }
}
