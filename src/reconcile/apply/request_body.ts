import type { MetadataValue } from '../../contract/bodies/resource.ts'
import { fieldMarkKey, withNewDigests } from '../../contract/field_marks.ts'
import { formatSource, markerKeys } from '../../contract/markers.ts'
import { dataOf } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { PreparedSource, UploadedChanges } from '../../transfer/prepare_source.ts'
import { formatByIds, formatRule, type NamedRule } from '../model/access_rules.ts'
import type { Change, DataLoad, Plan, Step } from '../model/change.ts'
import { writeLoadedFields } from '../model/layer_fields.ts'
import { digestOf, recordValue } from '../model/owned_fields.ts'
import { findPrincipalId, identify } from '../model/principals.ts'
import { partName, ruleName } from '../model/rule_records.ts'
import { toWire } from '../model/value_equality.ts'
import { sourceDigest } from '../plan/data/decide_load.ts'
import { takesFirstKey } from '../plan/steps/step_graph.ts'
import { schemasOf } from './send_request.ts'

/** The body of a request, by member. */
export type Body = Record<string, unknown>

/** Context of a request body. */
export interface BodyContext {
  readonly plan: Plan
  /** Resolves a key to an id, or to the local name of a resource that the same request creates. */
  readonly findResource: (key: string) => number | string | undefined
  /** Keys of resources that get a temporary name. */
  readonly renamed: ReadonlySet<string>
}

/** Lists the keys of resources that get a temporary name. */
export function listRenamed({ steps }: Pick<Plan, 'steps'>): ReadonlySet<string> {
  return new Set(steps.filter(({ kind }) => kind === 'rename').map(({ change }) => change.key))
}

/** Writes the request body of a change, without its data: keys become ids, a temporary name the final one. */
export function writeBody(
  { cls, body: planned, key, displayName }: Change,
  { plan, findResource, renamed }: BodyContext,
): Body {
  const schemas = schemasOf(cls)
  const wire: Body = {}
  for (const [member, value] of Object.entries(withCreated(planned, plan))) {
    const schema = schemas[member]
    wire[member] =
      schema === undefined
        ? value
        : toWire(schema as Schema, value, (name, target) =>
            target === 'principal' ? findPrincipalId(name, plan.principals) : findResource(name),
          )
  }
  if (renamed.has(key))
    wire.resource = { ...(wire.resource as object | undefined), display_name: displayName }
  return wire
}

/** Users and groups are recorded by ids, which those that this apply has created did not have in the plan. */
function withCreated(body: Change['body'], { manifest, principals, created }: Plan): Change['body'] {
  const { permissions, owner_user: owner } = (body.resource ?? {}) as Recorded
  const rules = permissions?.filter(({ principal }) => created?.has(principal)) ?? []
  const isNewOwner = owner !== undefined && created?.has(owner) === true
  const items = body.resmeta?.items as Readonly<Record<string, MetadataValue>> | undefined
  const key = fieldMarkKey(manifest)
  const mark = items?.[key]
  if (typeof mark !== 'string' || (rules.length === 0 && !isNewOwner)) return body
  const completed = withNewDigests(mark, {
    digests: {
      ...(rules.length === 0
        ? {}
        : { permissions: recordValue('permissions', formatByIds(permissions ?? [], principals)) }),
      ...(isNewOwner ? { owner: digestOf(identify(owner, principals)) } : {}),
    },
    names: new Map(
      rules.map((rule) => {
        const line = formatRule(rule)
        return [partName('permissions', line), ruleName(line, principals)]
      }),
    ),
  })
  return { ...body, resmeta: { ...body.resmeta, items: { ...items, [key]: completed } } }
}

interface Recorded {
  readonly permissions?: readonly NamedRule[]
  readonly owner_user?: string
}

/** Data to load into a layer. */
export interface Load {
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  /** Members of the class with the data. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Adds data and their source marker to a body, so that the server writes both or neither. */
export function addLoad(wire: Body, { cls, data, id, action }: Change, load: Load): Body {
  if (data === undefined) return wire
  // The data define the geometry type; new layers are stored in the reference system of the class.
  const { geometry_type: _, ...layer } = (wire[cls] ?? {}) as Record<string, unknown>
  const srs = id === undefined || action === 'replace' ? { srs: { id: dataOf(cls)?.srs } } : {}
  return { ...withSource(wire, data, load.sha256), [cls]: { ...srs, ...layer, ...load.fields } }
}

/** Writes the request body of a change with prepared data. */
export function writePreparedBody(change: Change, context: BodyContext, source: PreparedSource): Body {
  if (source.changes !== undefined) return writeSyncBody(change, context, source.changes)
  const { feature_layer: _, ...rest } = change.body
  const fields = change.fieldsAfterLoad
  const layer =
    fields === undefined ? {} : { feature_layer: { fields: writeLoadedFields(fields, source.fields) } }
  const body = writeBody({ ...change, body: { ...rest, ...layer } }, context)
  return addLoad(body, change, { sha256: source.sha256, fields: { source: { prepared: source.token } } })
}

/** Writes the request body of a change of features, and of their source marker. */
function writeSyncBody(change: Change, context: BodyContext, { upload, dataVersion }: UploadedChanges): Body {
  const { cls, data } = change
  const wire = writeBody(change, context)
  if (data?.sync === undefined) return wire
  const geometryType = data.change?.difference?.geometryType
  const changes = { source: upload, data_version: dataVersion }
  const layer = {
    ...(wire[cls] as object | undefined),
    ...(geometryType === undefined ? {} : { geometry_type: geometryType }),
    ...(upload === undefined ? {} : { feature_changes: changes }),
  }
  return { ...withSource(wire, data, data.sync.sha256), [cls]: layer }
}

/** Adds the source marker of a load to a body. */
function withSource(wire: Body, { options, version }: DataLoad, sha256: string): Body {
  const marker = { [markerKeys.source]: formatSource({ digest: sourceDigest(sha256, options), version }) }
  return {
    ...wire,
    resmeta: { items: { ...(wire.resmeta as { items?: object } | undefined)?.items, ...marker } },
  }
}

/**
 * Writes the request that sets a temporary display name or keyname. A resource without a keyname gets its own, so that it is found
 * again after an interruption.
 */
export function writeRename({ change, temporaryName, temporaryKey }: Omit<Step, 'after' | 'phase'>): Body {
  const keyname = temporaryKey ?? (takesFirstKey(change) ? change.body.resource?.keyname : undefined)
  return {
    resource: {
      ...(temporaryName === undefined ? {} : { display_name: temporaryName }),
      ...(keyname === undefined ? {} : { keyname }),
    },
  }
}
