import fc from 'fast-check'
import { type Cls, clsNames, descriptorOf, isCls } from '../../../src/contract/registry.ts'
import { listReferenceFields, type ReferenceField } from '../../../src/contract/schema/reference_fields.ts'
import type { Schema } from '../../../src/contract/schema/schema.ts'
import { splitPointer } from '../../../src/core/pointer.ts'
import { listReferences, type WantedReference } from '../../../src/manifest/references.ts'
import { arbitraryMember, type Targets } from './arbitrary_member.ts'
import type { Block } from './literals.ts'
import type { Blocks } from './sandbox.ts'

type Members = NonNullable<Block['members']>

/** A place where resources of a class refer to others. */
export interface Site extends ReferenceField {
  readonly cls: Cls
}

/** Every place where a resource refers to another, as the contract declares them. */
export const sites: readonly Site[] = clsNames.flatMap((cls) =>
  listReferenceFields(cls).map((field) => ({ cls, ...field })),
)

/** Classes whose resources need data or secrets: they exist before, with these numbers of resources. */
const outside: { readonly [C in Cls]?: number } = { geodb_connection: 2, raster_style: 1 }

/** Table of the foreign database that `geodb_layer` shows. */
export const foreignTable =
  'create table sites (id serial primary key, geom geometry(Point, 3857), a integer, b text)'

const fields = [
  { keyname: 'a', datatype: 'INTEGER' },
  { keyname: 'b', datatype: 'STRING' },
]

/** Members whose references alone are drawn. Classes without a base are drawn whole: web maps and services. */
const bases: { readonly [C in Cls]?: Members } = {
  vector_layer: { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' }, feature_layer: { fields } },
  geodb_layer: {
    geodb_layer: { schema: 'public', table: 'sites', column_id: 'id', column_geom: 'geom' },
    feature_layer: { fields },
  },
  wmsclient_layer: { wmsclient_layer: { srs: { id: 3857 }, wmslayers: 'a', imgformat: 'image/png' } },
  wmsclient_connection: { wmsclient_connection: { url: 'https://maps.example.org/', version: '1.3.0' } },
  basemap_layer: { basemap_layer: { url: 'https://tiles.example.org/{z}/{x}/{y}.png' } },
  mapsrv_style: { mapsrv_style: { xml: '<map><layer><class><style/></class></layer></map>' } },
}

const referring = clsNames.filter((cls) => sites.some((site) => site.cls === cls))
const referredTo = clsNames.filter((cls) => sites.some(({ target }) => target.classes.includes(cls)))

/** Resources that others refer to, two of each class; those that exist before are named by these ids. */
export function targetBlocks(ids: Partial<Record<Cls, readonly number[]>> = {}): Record<string, Block> {
  const own = referredTo
    .filter((cls) => outside[cls] === undefined && canStandAlone(cls))
    .flatMap((cls) =>
      [0, 1].map((at): [string, Block] => [
        keyOf('a', cls, at),
        { ...placeOf('a', cls, at), members: bases[cls] ?? {} },
      ]),
    )
  const others = referredTo.flatMap((cls) =>
    Array.from({ length: outside[cls] ?? 0 }, (_, at): [string, Block] => [
      keyOf('x', cls, at),
      { existing: true, id: ids[cls]?.[at] ?? 0 },
    ]),
  )
  return Object.fromEntries([...others, ...own])
}

/** Whether resources of a class need no other but the one they stand under. */
function canStandAlone(cls: Cls): boolean {
  return cls === 'vector_layer' || !referring.includes(cls)
}

/** Resources of every class that refers to others, two of each, with any references. */
export function arbitraryReferrers(): fc.Arbitrary<Record<string, Block>> {
  const targets = new Map<string, string[]>()
  const add = (key: string) => {
    const cls = clsOfKey(key)
    targets.set(cls, [...(targets.get(cls) ?? []), key])
  }
  for (const key of Object.keys(targetBlocks())) add(key)
  const keys = referring.flatMap((cls) => [0, 1].map((at) => keyOf('b', cls, at)))
  for (const key of keys) if (referredTo.includes(clsOfKey(key))) add(key)
  const drawn = keys.map((key, at) => [key, arbitraryBlock(clsOfKey(key), at % 2, targets)] as const)
  return fc.record(Object.fromEntries(drawn), { noNullPrototype: true })
}

function arbitraryBlock(cls: Cls, at: number, targets: Targets): fc.Arbitrary<Block> {
  const members = Object.entries(descriptorOf(cls).members).map(
    ([name, schema]) => [name, arbitraryMember(schema as Schema, targets, bases[cls]?.[name])] as const,
  )
  return fc
    .record(Object.fromEntries(members), { noNullPrototype: true })
    .map((drawn) => ({ ...placeOf('b', cls, at), members: repaired(drawn as Members) }))
}

/** Keeps the order of edges, which schemas do not tell. */
function repaired({ webmap, ...members }: Members): Members {
  if (webmap === undefined) return members
  const { extent_bottom: bottom, extent_top: top, ...rest } = webmap
  const edges = [bottom, top].filter((one) => typeof one === 'number').sort((one, other) => one - other)
  const extent = edges.length === 2 ? { extent_bottom: edges[0], extent_top: edges[1] } : {}
  return { ...members, webmap: { ...rest, ...extent } }
}

function placeOf(part: 'a' | 'b', cls: Cls, at: number): Pick<Block, 'cls' | 'parent' | 'displayName'> {
  const parents: readonly string[] = descriptorOf(cls).parents
  const parent = parents.includes('resource_group') ? 'T' : keyOf('a', 'vector_layer', at)
  return { cls, parent, displayName: `${part} ${cls} ${at}` }
}

const keyOf = (part: 'a' | 'b' | 'x', cls: Cls, at: number) => `T.${part}-${cls}-${at}`

/** Gives the class of a key of this world. */
export function clsOfKey(key: string): Cls {
  const name = key.split('-').at(-2) ?? ''
  if (!isCls(name)) throw new Error(`no class in ${key}`)
  return name
}

/** A reference of a block. */
export interface Use extends WantedReference {
  readonly from: string
  readonly to: string
  readonly site: Site
}

/** Lists the references of blocks. */
export function listUses(blocks: Blocks): Use[] {
  return Object.entries(blocks).flatMap(([from, { cls, members = {} }]) =>
    cls === undefined
      ? []
      : listReferences({ cls, members }).flatMap((found): Use[] =>
          found.key === undefined
            ? []
            : [{ ...found, from, to: found.key, site: siteOf(cls, found.pointer) }],
        ),
  )
}

/** Finds the site of a pointer in the members of a class. */
export function siteOf(cls: Cls, pointer: string): Site {
  const names = splitPointer(pointer).filter((name) => !/^\d+$/.test(name))
  // Groups are nested.
  const path = names.filter((name, at) => name !== 'children' || names[at - 1] !== 'children').join('.')
  const site = sites.find((one) => one.cls === cls && one.path === path)
  if (site === undefined) throw new Error(`${cls} has no reference at ${pointer}`)
  return site
}

/** Names a site and the class that a reference there names. */
export const describeSite = ({ cls, path }: Site, target: string) => `${cls} ${path} → ${target}`
