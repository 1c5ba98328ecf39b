import { annotationsOf } from '../../contract/descriptor.ts'
import { fieldMarkKey, formatFieldMark } from '../../contract/field_marks.ts'
import { formatManager, markerKeys } from '../../contract/markers.ts'
import { descriptorOf } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { formatRule, fullName, type NamedRule, sortedRules, withFullNames } from '../model/access_rules.ts'
import type { Change, Edit, WantedBody } from '../model/change.ts'
import { digestFields, listOwned } from '../model/owned_fields.ts'
import type { Principals } from '../model/principals.ts'
import { canonical, type Names, withTitles } from '../model/value_equality.ts'
import type { DiffContext } from './diff.ts'
import { planKeyRecord } from './match/renamed_keys.ts'

/** Edits and request body of a new resource. */
export interface Creation {
  readonly edits: readonly Edit[]
  readonly body: WantedBody
  readonly fieldsAfterLoad?: NonNullable<Change['fieldsAfterLoad']>
}

/** What a creation depends on, besides its block. */
export type CreationContext = Pick<DiffContext, 'manifestId' | 'names' | 'keyRecords'>

/** Builds the request that creates a resource from its block, marked as managed by this manifest, or as before its deletion. */
export function planCreation(
  wanted: WantedResource,
  { manifestId, names, keyRecords }: CreationContext,
): Creation {
  const { principals } = names
  const rules = sortedRules(withFullNames(wanted.permissions?.rules ?? [], principals))
  const resource = resourceFields(wanted, principals, rules)
  const items = {
    ...withoutNull(wanted.resmeta ?? {}),
    ...managerOf(wanted, manifestId),
    ...markOf(wanted, manifestId, principals),
    ...planKeyRecord(wanted, { id: 0, marks: {}, resmeta: {} }, keyRecords),
    ...(wanted.protect ? { [markerKeys.protect]: true } : {}),
  }
  const { feature_layer: featureLayer, ...members } = wanted.members
  const fields = featureLayer?.fields as Creation['fieldsAfterLoad']
  // The file defines the fields of a loaded layer; the block's fields are set after the load.
  const later = wanted.data !== undefined && fields !== undefined
  const early = featureLayer === undefined || later ? {} : { feature_layer: featureLayer }
  return {
    edits: listEdits(wanted, rules, names),
    body: { resource, resmeta: { items }, ...members, ...early },
    ...(later ? { fieldsAfterLoad: fields } : {}),
  }
}

/** An undo of a deletion gives a resource back to the manifest that managed it. */
function managerOf({ formerManager: former }: WantedResource, manifestId: string) {
  if (former === null) return {}
  // The server replaces 0 with the new id.
  return { [markerKeys.manager]: formatManager({ manifest: former?.manifest ?? manifestId, id: 0 }) }
}

function markOf(wanted: WantedResource, manifestId: string, principals: Principals) {
  const { records, cls = '' } = wanted
  // References are keys: the comparison with the server names those outside of the manifest by id, as the block does.
  const own = () => digestFields(listOwned(wanted, cls, { keyOf: new Map(), principals }), cls)
  const marks = records ?? new Map([[manifestId, own()]])
  return Object.fromEntries(
    [...marks].map(([manifest, fields]) => [fieldMarkKey(manifest), formatFieldMark(0, fields)]),
  )
}

function resourceFields(
  { cls, parent, key, formerKeyname, displayName, description, owner, permissions }: WantedResource,
  principals: Principals,
  rules: readonly NamedRule[],
): Record<string, unknown> {
  return {
    cls,
    parent,
    ...(formerKeyname === null ? {} : { keyname: key }),
    display_name: displayName ?? key,
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner_user: fullName(owner, principals) }),
    ...(permissions === undefined ? {} : { permissions: rules }),
  }
}

function withoutNull(items: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(items).filter(([, value]) => value !== null))
}

/** Lists the fields of a new resource as edits. */
function listEdits(wanted: WantedResource, rules: readonly NamedRule[], names: Names): Edit[] {
  const edits: Edit[] = []
  if (wanted.formerManager !== undefined)
    edits.push({ pointer: '/managed_by', to: wanted.formerManager?.manifest ?? null })
  if (wanted.description) edits.push({ pointer: '/description', to: wanted.description })
  if (wanted.owner !== undefined)
    edits.push({ pointer: '/owner', to: fullName(wanted.owner, names.principals) })
  for (const rule of rules) edits.push({ pointer: '/permissions', to: formatRule(rule) })
  for (const [key, to] of Object.entries(wanted.resmeta ?? {}))
    if (to !== null) edits.push({ pointer: joinPointer('/resmeta', key), to })
  if (wanted.protect) edits.push({ pointer: '/protect', to: true })
  for (const [member, fields] of Object.entries(wanted.members))
    for (const [field, to] of Object.entries(fields)) {
      const pointer = joinPointer('', member, field)
      const schema = wanted.cls && descriptorOf(wanted.cls).members[member]?.properties[field]
      const titled = schema === undefined ? to : withTitles(schema, to, names)
      edits.push(schema === undefined ? { pointer, to } : creationEdit(schema, pointer, titled))
    }
  return edits
}

/** The form of later comparisons, so that drift tells a value of the server from the created one. */
function creationEdit(schema: Schema, pointer: Pointer, to: unknown): Edit {
  const words = annotationsOf(schema)
  if (words['x-secret']) return { pointer, secret: true }
  return { pointer, to: words['x-form'] === undefined ? to : canonical(schema, to) }
}
