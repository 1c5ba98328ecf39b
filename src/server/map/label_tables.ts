import type { Queryable } from '../../database/database.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { bindLabels } from '../../style/expression/representation.ts'
import type { Style } from '../../style/style_model.ts'
import type { ServerContext } from '../context.ts'
import { areItemsVisible } from '../features/field_labels.ts'
import { findHotSources, remembered } from '../hot/hot_reads.ts'

/** Versions of the lookup tables of fields that a caller may read, by resource id. */
export type LabelTables = ReadonlyMap<number, number>

/** Fields without labels. */
export const noLabelTables: LabelTables = new Map()

type LayerTables = Pick<Layer, 'fields'>

/** Finds the lookup tables of layers that the caller may read. */
export async function findLabelTables(
  context: ServerContext,
  caller: PermissionSubject,
  layers: Iterable<LayerTables>,
): Promise<LabelTables> {
  const ids = tableIds(layers)
  if (ids.length === 0) return noLabelTables
  const [masks, sources] = [
    await context.permissions.findMasks(caller, ids),
    await findHotSources(context, ids),
  ]
  return chooseReadable(ids, masks, sources)
}

/** Returns what `findLabelTables` finds; undefined if it has to be read. */
export function rememberedLabelTables(
  context: ServerContext,
  caller: PermissionSubject,
  layers: Iterable<LayerTables>,
): LabelTables | undefined {
  const ids = tableIds(layers)
  if (ids.length === 0) return noLabelTables
  const [masks, sources] = [remembered.masks(context, caller, ids), remembered.sources(context, ids)]
  return masks && sources && chooseReadable(ids, masks, sources)
}

function tableIds(layers: Iterable<LayerTables>): number[] {
  const ids = new Set<number>()
  for (const { fields } of layers)
    for (const { lookupTableId } of fields) if (lookupTableId !== null) ids.add(lookupTableId)
  return [...ids]
}

function chooseReadable(
  ids: readonly number[],
  masks: ReadonlyMap<number, number>,
  sources: ReadonlyMap<number, { readonly version: number }>,
): LabelTables {
  return new Map(
    ids.flatMap((id): [number, number][] => {
      const version = sources.get(id)?.version
      return version !== undefined && areItemsVisible(masks.get(id) ?? 0) ? [[id, version]] : []
    }),
  )
}

/** Lists the tables of the fields of a layer with their versions, for keys of caches; empty for most layers. */
export function tablesKey({ fields }: LayerTables, tables: LabelTables): readonly unknown[] {
  return fields.flatMap(({ keyname, lookupTableId: id }) =>
    id === null || !tables.has(id) ? [] : [[keyname, id, tables.get(id)]],
  )
}

/** Gives the fields that a style represents the labels of their lookup tables, where the style itself has none. */
export async function bindLabelTables(
  tx: Queryable,
  style: Style,
  { fields, tables }: LayerTables & { readonly tables: LabelTables },
): Promise<Style> {
  const used = new Set<number>()
  const tableOf = (name: string) => {
    const field = fields.find(({ keyname }) => keyname === name) ?? fields.find(isNamed(name))
    const id = field?.lookupTableId ?? null
    return id !== null && tables.has(id) ? id : undefined
  }
  bindLabels(style, (name) => {
    const id = tableOf(name)
    if (id !== undefined) used.add(id)
    return undefined
  })
  if (used.size === 0) return style
  const found = await memberTable('lookup_table').find(tx, [...used])
  const texts = new Map([...found].map(([id, { items }]) => [id, JSON.stringify(items)]))
  return bindLabels(style, (name) => texts.get(tableOf(name) ?? 0))
}

const isNamed = (name: string) => {
  const folded = name.toLowerCase()
  return ({ keyname }: LayerTables['fields'][number]) => keyname.toLowerCase() === folded
}
