import fc from 'fast-check'
import { type Cls, isAllowedParent } from '../../../src/contract/registry.ts'
import type { WantedRule } from '../../../src/manifest/manifest.ts'
import type { Block } from './literals.ts'
import { keysOf, otherMembersOf } from './members.ts'

/**
 * Class of the resource of each key: `k0` is a group, `k3` a style, … The same key has the same class in every tree. What
 * others may refer to or stand under comes first among the classes of one tree, whatever its key.
 */
const kinds = [
  'resource_group',
  'resource_group',
  'vector_layer',
  'mapsrv_style',
  'webmap',
  'resource_group',
  'vector_layer',
  'mapsrv_style',
  'mapsrv_style',
  'webmap',
  'resource_group',
  'lookup_table',
  'lookup_table',
  'wmsclient_connection',
  'wmsclient_connection',
  'wmsclient_layer',
  'basemap_layer',
  'desk_vector_style',
  'formbuilder_form',
  'trackers_group',
  'tracker',
  'tracker',
  'wmsserver_service',
  'wfsserver_service',
  'file_bucket',
  'baselayers',
  'collector_project',
] as const satisfies readonly Cls[]

/** Classes of one tree in the order they are placed. */
const ranks: readonly Cls[] = [
  'resource_group',
  'lookup_table',
  'wmsclient_connection',
  'basemap_layer',
  'trackers_group',
  'vector_layer',
  'wmsclient_layer',
  'mapsrv_style',
  'desk_vector_style',
]

/** What is drawn for one key; what it may refer to is decided when the tree is put together. */
export interface Draw {
  readonly chance: number
  readonly rank: number
  readonly pick: number
  readonly name: string
  readonly description: string | null | undefined
  readonly meta: Readonly<Record<string, string | number | boolean>> | undefined
  readonly rules: readonly WantedRule[] | undefined
  readonly protect: boolean
  readonly fields: readonly object[]
  readonly colour: number
  readonly map: Items
  readonly extent: number | undefined
}

type Items = readonly (
  | { readonly pick: number; readonly on: boolean; readonly scale: number | null }
  | { readonly title: string; readonly items: Items }
)[]

const word = fc.constantFrom('Roads', 'Rivers', 'Straße', 'a/b', '~x', 'Ёлка', '"quoted"', "it's")
const text = fc.oneof(
  word,
  fc.string({ minLength: 1, maxLength: 12 }).filter((one) => !one.includes('\0')),
)

const meta = fc.dictionary(
  fc.constantFrom('source', 'year', 'a.b', 'x/y'),
  fc.oneof(text, fc.integer({ min: -9, max: 3000 }), fc.boolean()),
  { maxKeys: 3, noNullPrototype: true },
)

const rule: fc.Arbitrary<WantedRule> = fc.record({
  action: fc.constantFrom('allow' as const, 'deny' as const),
  principal: fc.constantFrom('guest', 'user:guest', 'group:administrators'),
  identity: fc.constantFrom('', 'webmap', 'mapsrv_style'),
  scope: fc.constantFrom('resource', 'data'),
  permission: fc.constantFrom('', 'read'),
  propagate: fc.boolean(),
})

// Administrators keep what they have: a rule that takes it from them would end the test.
const safeRule = rule.map((one) =>
  one.principal === 'group:administrators' ? { ...one, action: 'allow' as const } : one,
)

const field = fc.record({
  keyname: fc.constantFrom('name', 'Größe', 'x', 'note', 'a b'),
  datatype: fc.constantFrom('INTEGER', 'STRING', 'REAL', 'DATE'),
  grid_visibility: fc.boolean(),
})

const items: fc.Arbitrary<Items> = fc.letrec<{ items: Items }>((tie) => ({
  items: fc.array(
    fc.oneof(
      { maxDepth: 2 },
      fc.record({ pick: fc.nat(50), on: fc.boolean(), scale: fc.constantFrom(null, 10_000) }),
      fc.record({ title: text, items: tie('items') }),
    ),
    { maxLength: 3 },
  ) as fc.Arbitrary<Items>,
})).items

const draw: fc.Arbitrary<Draw> = fc.record({
  chance: fc.nat(7),
  rank: fc.nat(1000),
  pick: fc.nat(50),
  name: text,
  description: fc.option(fc.constantFrom('<b>about</b>', 'x', null), { nil: undefined }),
  meta: fc.option(meta, { nil: undefined }),
  rules: fc.option(fc.array(safeRule, { maxLength: 3 }), { nil: undefined }),
  protect: fc.constant(false),
  fields: fc.uniqueArray(field, { maxLength: 4, selector: ({ keyname }) => keyname }),
  colour: fc.integer({ min: 0, max: 255 }),
  map: items,
  extent: fc.option(fc.integer({ min: -90, max: 0 }), { nil: undefined }),
})

const draws = fc.array(draw, { minLength: kinds.length, maxLength: kinds.length })

/** Out of how many keys one is present: many small trees find more than few large ones, and take less time. */
const sparseness = fc.constantFrom(3, 4, 8, 8)

/** A tree that a manifest might want below a key: resources of every class that refer to each other. */
export function arbitraryTree(top: string): fc.Arbitrary<Record<string, Block>> {
  return fc.tuple(draws, sparseness).map(([drawn, sparse]) => {
    const present = drawn.map((one) => ({ ...one, present: one.chance % sparse === 0 }))
    return blocksOf(present, top)
  })
}

function blocksOf(
  drawn: readonly (Draw & { readonly present: boolean })[],
  top: string,
): Record<string, Block> {
  const order = drawn.map((one, at) => ({ ...one, at })).sort((a, b) => a.rank - b.rank || a.at - b.at)
  const placed: { key: string; cls: Cls }[] = []
  const blocks: Record<string, Block> = {}
  const rankOf = (cls: Cls) => (ranks.includes(cls) ? ranks.indexOf(cls) : ranks.length)
  const sorted = order.sort((a, b) => rankOf(kinds[a.at] ?? 'webmap') - rankOf(kinds[b.at] ?? 'webmap'))
  for (const one of sorted) {
    const cls = kinds[one.at]
    if (!isPresent(one) || cls === undefined || lacksConnection(cls, placed)) continue
    const parents = placed.filter((other) => isAllowedParent(cls, other.cls))
    const tops = isAllowedParent(cls, 'resource_group') ? [{ key: top }] : []
    const parent = choose([...parents, ...tops], one.pick)
    if (parent === undefined) continue
    const key = `${top}.k${one.at}`
    blocks[key] = blockOf(one, { key, cls, parent: parent.key, placed })
    placed.push({ key, cls })
  }
  return blocks
}

/** The first classes are what most trees are made of; of the others, each has some, so that a case stays quick. */
function isPresent({ present, at, pick }: { present: boolean; at: number; pick: number }): boolean {
  return present && (at < 11 || pick % 2 === 0)
}

function lacksConnection(cls: Cls, placed: Place['placed']): boolean {
  return cls === 'wmsclient_layer' && keysOf(placed, ['wmsclient_connection']).length === 0
}

/** Gives one of a list; undefined of an empty one. */
export function choose<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(1, list.length)]
}

/** Where a resource stands, and what stands already. */
export interface Place {
  readonly key: string
  readonly cls: Cls
  readonly parent: string
  readonly placed: readonly { key: string; cls: Cls }[]
}

function blockOf(one: Draw & { readonly at: number }, place: Place): Block {
  const { cls, parent } = place
  return {
    cls,
    parent,
    // Siblings have different names.
    displayName: `${one.name} ${one.at}`,
    ...(one.description === undefined ? {} : { description: one.description }),
    ...(one.meta === undefined ? {} : { resmeta: one.meta }),
    ...(one.rules === undefined ? {} : { permissions: { owns: 'all' as const, rules: one.rules } }),
    members: membersOf(one, place),
  }
}

function membersOf(one: Draw, place: Place): NonNullable<Block['members']> {
  const { cls, placed } = place
  if (cls === 'vector_layer') {
    const tables = [...keysOf(placed, ['lookup_table']), null]
    const fields = one.fields.map((drawn, at) => ({ ...drawn, lookup_table: choose(tables, one.pick + at) }))
    return { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' }, feature_layer: { fields } }
  }
  if (cls === 'mapsrv_style') {
    const xml = `<map>\n  <layer><class><style><color red="${one.colour}" green="1" blue="2"/></style></class></layer>\n</map>`
    return { mapsrv_style: { xml } }
  }
  if (cls !== 'webmap') return otherMembersOf(one, place)
  const styles = keysOf(placed, ['mapsrv_style', 'desk_vector_style', 'wmsclient_layer'])
  const bookmark = choose([...keysOf(placed, ['vector_layer']), null], one.pick)
  const basemaps = keysOf(placed, ['basemap_layer']).map((key, position) => ({
    resource_id: key,
    display_name: `Base ${one.colour}`,
    position,
  }))
  return {
    webmap: {
      ...(one.extent === undefined ? {} : { extent_left: one.extent }),
      bookmark_resource: bookmark ?? null,
      root_item: { item_type: 'root', children: itemsOf(one.map, styles) },
    },
    basemap_webmap: { basemaps },
  }
}

function itemsOf(list: Items, styles: readonly string[]): object[] {
  return list.flatMap((item): object[] => {
    if ('title' in item) {
      return [{ item_type: 'group', display_name: item.title, children: itemsOf(item.items, styles) }]
    }
    const style = choose(styles, item.pick)
    if (style === undefined) return []
    const scale = item.scale === null ? {} : { layer_min_scale_denom: `1 : ${item.scale}` }
    return [
      {
        item_type: 'layer',
        display_name: `L${item.pick}`,
        layer_style_id: style,
        layer_enabled: item.on,
        ...scale,
      },
    ]
  })
}
