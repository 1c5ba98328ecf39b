import { type BodyUse, bodySchema } from '../../contract/bodies/bodies.ts'
import { documentName } from '../../contract/dialect/dialect.ts'
import { decodeBody, decodeMemberNames } from '../../contract/dialect/dialect_codec.ts'
import { type Cls, clsNames, isCls } from '../../contract/registry.ts'
import { showValue } from '../../contract/schema/describe.ts'
import type { Validator } from '../../contract/schema/fault.ts'
import { createValidatorCompiler } from '../../contract/schema/validate.ts'
import type { Pointer } from '../../core/pointer.ts'
import { catchProblem, type Problem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import { checkValue, invalidAt } from '../http/invalid_request.ts'
import { type MemberValues, writtenMembers } from './attributes.ts'

/** Parsed body of a creation or an update, in names of the document dialect. */
export interface ReadBody {
  /** Attributes to write, by member; without unknown and read-only ones. */
  readonly written: MemberValues
  /** Why the body violates its schema. Thrown after the permission check. */
  readonly fault: Problem | undefined
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Decodes and validates the members of a body for a class. */
export function readMembers(cls: Cls, use: BodyUse, body: JsonObject): ReadBody {
  const decoded = decodeBody(cls, decodeMemberNames(body))
  const fault = catchProblem(() => checkValue(validatorOf(cls, use), decoded))
  return { written: writtenMembers(cls, decoded), fault }
}

/** Returns member `resource` of a body, not validated; empty if absent. */
export function resourceOf(body: JsonObject): JsonObject {
  const { resource } = body
  if (resource === undefined) return {}
  if (typeof resource !== 'object' || resource === null || Array.isArray(resource))
    throw invalidAt('/resource', 'expected an object')
  return resource as JsonObject
}

/**
 * Parses a class name in either dialect.
 *
 * @throws {Problem} request/invalid
 */
export function parseCls(value: unknown, pointer: Pointer = '/resource/cls'): Cls {
  if (value === undefined) throw invalidAt(pointer, 'missing field "cls"')
  const name = typeof value === 'string' ? documentName(value) : value
  if (isCls(name)) return name
  const hint = typeof name === 'string' ? findHint(name, clsNames) : undefined
  throw invalidAt(pointer, `unknown class ${showValue(value)}`, hint)
}

const compile = createValidatorCompiler({ faults: 'first' })
const validators = new Map<string, Validator>()

// Compiled on first use, since most servers use few classes.
function validatorOf(cls: Cls, use: BodyUse): Validator {
  const key = `${cls} ${use}`
  const validator = validators.get(key) ?? compile(bodySchema(cls, use))
  validators.set(key, validator)
  return validator
}
