import {
  type CatalogKind,
  type CatalogOperation,
  GeoserviceBodySchema,
  IconBodySchema,
} from '../../contract/catalog/catalog_edit.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { createValidatorCompiler } from '../../contract/schema/validate.ts'
import { atOperation } from '../batch/operation_place.ts'
import { checkValue, invalidAt } from '../http/invalid_request.ts'

/** Members of a record, complete for a new one, else those that change. */
export type Members = Readonly<Record<string, unknown>>

/** A parsed operation on the catalog. */
export interface Operation {
  /** Position in the batch. */
  readonly index: number
  readonly op: CatalogOperation['op']
  readonly kind: CatalogKind
  /** Local name of a new icon. */
  readonly name: string | undefined
  /** Undefined for new records. */
  readonly id: number | undefined
  readonly version: number | undefined
  readonly members: Members
}

const compile = createValidatorCompiler({ faults: 'first' })
const bodies = {
  icon: { whole: compile(IconBodySchema), part: compile({ ...IconBodySchema, required: [] }) },
  geoservice: {
    whole: compile(GeoserviceBodySchema),
    part: compile({ ...GeoserviceBodySchema, required: [] }),
  },
} as const

/**
 * Parses the operations of a batch.
 *
 * @throws {Problem} request/invalid, with the index of the operation as `data.operation`
 */
export function readOperations(wire: readonly CatalogOperation[]): Operation[] {
  const targets = new Set<string>()
  const names = new Set<string>()
  return wire.map((operation, index) =>
    atOperation({ index }, () => {
      const { kind, id, name } = operation
      const target = `${kind} ${id}`
      if (id !== undefined && targets.has(target)) throw invalidAt('/id', `two operations on ${target}`)
      if (name !== undefined && names.has(name))
        throw invalidAt('/name', `the local name "${name}" is used twice`)
      targets.add(target)
      if (name !== undefined) names.add(name)
      return readOperation(operation, index)
    }),
  )
}

function readOperation(wire: CatalogOperation, index: number): Operation {
  const { op, kind, name, id, if_version: version, body } = wire
  if (op === 'create' && id !== undefined) throw invalidAt('/id', 'the server assigns the id of a new record')
  if (op !== 'create' && id === undefined) throw invalidAt('/id', 'missing field "id"')
  if (name !== undefined && (op !== 'create' || kind !== 'icon'))
    throw invalidAt('/name', 'only operations that create an icon can have a local name')
  if (id !== undefined && !isResourceId(id)) throw recordNotFound(kind, id)
  if (op !== 'delete') checkValue(bodies[kind][op === 'create' ? 'whole' : 'part'], body ?? {})
  return { index, op, kind, name, id, version, members: op === 'delete' ? {} : (body ?? {}) }
}

/** Creates the error for a record that does not exist. */
export function recordNotFound(kind: CatalogKind, id: number) {
  return problem('catalog/not-found', `The catalog has no ${kind} with id = ${id}.`)
}
