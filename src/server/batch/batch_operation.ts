import type { Static } from 'typebox'
import { membersOf } from '../../contract/bodies/bodies.ts'
import { decodeMemberNames } from '../../contract/dialect/dialect_codec.ts'
import type { Cls } from '../../contract/registry.ts'
import type { BatchOperationSchema } from '../../contract/routes/batch.ts'
import { mapReferences, targetIdOf } from '../../contract/schema/references.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Creation, readCreation } from '../resource/create_resource.ts'
import type { RemovalStep } from '../resource/delete_resources.ts'
import { type JsonObject, parseCls, resourceOf } from '../resource/read_members.ts'
import { etagOf } from '../resource/representation.ts'
import { notFound } from '../resource/require_permission.ts'
import { readUpdate } from '../resource/update_resource.ts'
import type { ResourceUpdate } from '../resource/write_updates.ts'
import { atOperation, type OperationPlace } from './operation_place.ts'

/** An operation of a batch, as on the wire. */
export type WireOperation = Static<typeof BatchOperationSchema>

/** A parsed operation. All resources have ids, including those to be created. */
export type Operation = OperationPlace & {
  /** Result of its preparation. */
  prepared?: Prepared | undefined
} & (
    | {
        readonly op: 'create'
        readonly id: number
        readonly creation: Creation
        /** Whether the id is that of a deleted resource. */
        readonly restores: boolean
      }
    | { readonly op: 'update'; readonly change: ResourceUpdate; readonly ifMatch: string | undefined }
    | ({ readonly op: 'delete' } & RemovalStep)
  )

/** Returns the id of the resource that an operation creates, updates or deletes. */
export function targetOf(operation: Operation): number {
  return operation.op === 'update' ? operation.change.id : operation.id
}

/** Input for parsing the operations of a batch. */
export interface Reading {
  /** Reserved ids, one for each creation. */
  readonly reservedIds: readonly number[]
  /** Ids of deleted resources that the caller may restore. */
  readonly restorableIds: ReadonlySet<number>
  /** Classes of updated resources; without missing ones. */
  readonly classes: ReadonlyMap<number, Cls>
}

/**
 * Parses the operations of a batch, and replaces local names by ids.
 *
 * @throws {Problem} request/invalid, resource/not-found, resource/class-disabled, with the operation
 */
export function readOperations(wire: readonly WireOperation[], reading: Reading): Operation[] {
  const reader = {
    ...{ classes: new Map(reading.classes), names: new Map<string, number>() },
    restorable: new Set(reading.restorableIds),
  }
  const free = [...reading.reservedIds].reverse()
  return wire.map((operation, index) =>
    atOperation({ index, name: operation.name }, () => readOne(operation, { ...reader, index, free })),
  )
}

interface Reader {
  readonly classes: Map<number, Cls>
  readonly names: Map<string, number>
  readonly index: number
  readonly free: number[]
  /** Ids that no creation has taken. */
  readonly restorable: Set<number>
}

function readOne(wire: WireOperation, reader: Reader): Operation {
  const { name } = wire
  const at = { index: reader.index, name }
  if (wire.op !== 'delete' && wire.if_deletes !== undefined)
    throw invalidAt('/if_deletes', 'only operations with op "delete" can have "if_deletes"')
  const ifMatch = wire.if_version === undefined ? undefined : etagOf(wire.if_version)
  if (wire.op === 'create') return { ...at, op: 'create', ...readOneCreation(wire, reader) }
  if (name !== undefined) throw invalidAt('/name', 'only operations with op "create" can have a local name')
  const id = readTarget(wire, reader)
  if (wire.op === 'delete') return { ...at, op: 'delete', id, ifMatch, ifDeletes: wire.if_deletes }
  const cls = reader.classes.get(id)
  if (cls === undefined) throw notFound(id)
  return {
    ...at,
    op: 'update',
    change: readUpdate({ id, cls }, resolveNames(cls, wire.body, reader)),
    ifMatch,
  }
}

function readOneCreation({ name, id: given, body }: WireOperation, reader: Reader) {
  const { classes, names, free, restorable } = reader
  if (typeof given === 'string') throw invalidAt('/id', 'expected the id of a deleted resource')
  if (name !== undefined && names.has(name))
    throw invalidAt('/name', `the local name "${name}" is used twice`)
  const cls = parseCls(resourceOf(decodeMemberNames(body ?? {})).cls)
  const creation = readCreation({ body: resolveNames(cls, body, reader) })
  const reserved = free.pop()
  if (reserved === undefined) throw new Error('fewer ids were reserved than creations asked for')
  if (given !== undefined && !restorable.delete(given))
    throw invalidAt('/id', `${given} is not the id of a deleted resource that this account may restore`)
  const id = given ?? reserved
  classes.set(id, cls)
  if (name !== undefined) names.set(name, id)
  return { id, creation, restores: given !== undefined }
}

function readTarget({ id }: WireOperation, { names }: Reader): number {
  if (id === undefined) throw invalidAt('/id', 'missing field "id"')
  return typeof id === 'number' ? id : findNamed(id, names, '/id')
}

/** Replaces local names in references by ids. */
function resolveNames(cls: Cls, body: JsonObject = {}, { names }: Reader): JsonObject {
  const members = decodeMemberNames(body)
  for (const [member, schema] of Object.entries(membersOf(cls))) {
    if (!Object.hasOwn(members, member)) continue
    members[member] = mapReferences(schema, members[member], ({ target, pointer, value }) => {
      const name = targetIdOf(value)
      if (target === 'principal' || typeof name !== 'string') return value
      const inside = value === name ? '' : '/id'
      const id = findNamed(name, names, `/body/${member}${pointer}${inside}`)
      if (value !== name) return { ...(value as object), id }
      return target.form === 'object' ? { id } : id
    })
  }
  return members
}

function findNamed(name: string, names: ReadonlyMap<string, number>, pointer: string): number {
  const id = names.get(name)
  if (id !== undefined) return id
  throw invalidAt(pointer, `no earlier operation creates a resource with the local name "${name}"`)
}
