import type { MetadataValue } from '../contract/bodies/resource.ts'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import { resolveData } from './data_files.ts'
import type { SpanOf, WantedPermissions, WantedResource, WantedRule } from './manifest.ts'
import type { Block } from './manifest_block.ts'

/** A block whose fields match the schema. */
export type ValidBlock = Pick<Block, 'key' | 'value' | 'cls' | 'existing' | 'parent'>

/** Where a block was written. */
interface BlockPlace {
  /** Absolute path that data files are relative to. */
  readonly folder: string
  readonly spanOf: SpanOf
}

type Draft = { -readonly [Field in keyof WantedResource]: WantedResource[Field] }

// Assigned field by field: object spreads are measurably slower for trees of 10,000 resources.
/** Returns the desired state that a valid block describes. */
export function wantedResource(
  { key, value, cls, existing, parent }: ValidBlock,
  { folder, spanOf }: BlockPlace,
): WantedResource {
  const protect = value.protect === true
  const members = cls === undefined ? {} : membersOf(cls, value)
  const wanted: Draft = { key, existing, protect, members, spanOf }
  if (cls !== undefined) wanted.cls = cls
  if (parent !== undefined) wanted.parent = parent
  if (value.id !== undefined) wanted.id = Number(value.id)
  if (value.was !== undefined) wanted.was = String(value.was)
  if (value.display_name !== undefined) wanted.displayName = String(value.display_name)
  if (value.description !== undefined) wanted.description = value.description as string | null
  if (value.owner !== undefined) wanted.owner = String(value.owner)
  if (value.permissions !== undefined) wanted.permissions = wantedPermissions(value.permissions)
  if (value.resmeta !== undefined) wanted.resmeta = value.resmeta as Record<string, MetadataValue>
  if (value.unmanaged !== undefined) wanted.unmanaged = new Set(value.unmanaged as readonly string[])
  if (value.data !== undefined) wanted.data = resolveData(folder, value.data)
  takeFormerFields(wanted)
  return wanted
}

/** Moves the previous keynames of fields out of the members, which are sent to the server. */
function takeFormerFields(wanted: Draft): void {
  const layer = wanted.members.feature_layer
  const fields = layer?.fields as readonly WrittenField[] | undefined
  if (fields?.some(({ was }) => was !== undefined) !== true) return
  const former = fields.flatMap(({ keyname, was }) => (was === undefined ? [] : [[keyname, was] as const]))
  wanted.formerFields = new Map(former)
  const sent = fields.map(({ was: _, ...field }) => field)
  wanted.members = { ...wanted.members, feature_layer: { ...layer, fields: sent } }
}

interface WrittenField {
  readonly keyname: string
  readonly was?: string
}

function membersOf(cls: Cls, value: Block['value']): WantedResource['members'] {
  const members: Record<string, Record<string, unknown>> = {}
  for (const name in descriptorOf(cls).members)
    if (value[name] !== undefined) members[name] = value[name] as Record<string, unknown>
  return members
}

function wantedPermissions(value: unknown): WantedPermissions {
  const owned = Array.isArray(value)
  const rules = (owned ? value : (value as { include: unknown }).include) as readonly Partial<WantedRule>[]
  return {
    owns: owned ? 'all' : 'listed',
    rules: rules.map((rule) => ({ identity: '', ...rule }) as WantedRule),
  }
}
