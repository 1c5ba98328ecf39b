import { type BodyUse, bodySchema } from '../../contract/bodies.ts'
import { documentName } from '../../contract/dialect.ts'
import { decodeBody, decodeMemberNames } from '../../contract/dialect_codec.ts'
import { type Cls, clsNames, isCls } from '../../contract/registry.ts'
import { createValidatorCompiler, type Validator } from '../../contract/validate.ts'
import type { Pointer } from '../../core/pointer.ts'
import { catchProblem, type Problem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import { checkValue, invalidAt } from '../http/invalid_request.ts'
import { type MemberValues, writtenMembers } from './attributes.ts'

/** The body of a creation or a change, in the names of the documents. */
export interface ReadBody {
  /** What the class knows and the request may write, by member and attribute. */
  readonly written: MemberValues
  /** Why the body does not fit its schema. Thrown once it is clear that the caller may try at all. */
  readonly fault: Problem | undefined
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Reads the members of a body as those of a class. */
export function readMembers(cls: Cls, use: BodyUse, body: JsonObject): ReadBody {
  const decoded = decodeBody(cls, decodeMemberNames(body))
  const fault = catchProblem(() => checkValue(validatorOf(cls, use), decoded))
  return { written: writtenMembers(cls, decoded), fault }
}

/** Gives member `resource` of a body, whatever it holds; empty where there is none. */
export function resourceOf(body: JsonObject): JsonObject {
  const { resource } = body
  if (resource === undefined) return {}
  if (typeof resource !== 'object' || resource === null || Array.isArray(resource))
    throw invalidAt('/resource', 'expected an object')
  return resource as JsonObject
}

/**
 * Reads the name of a class, in whichever spelling it comes.
 *
 * @throws {Problem} request/invalid
 */
export function parseCls(value: unknown, pointer: Pointer = '/resource/cls'): Cls {
  if (value === undefined) throw invalidAt(pointer, 'missing field "cls"')
  const name = typeof value === 'string' ? documentName(value) : value
  if (isCls(name)) return name
  const hint = typeof name === 'string' ? findHint(name, clsNames) : undefined
  throw invalidAt(pointer, `unknown class ${JSON.stringify(value)}`, hint)
}

const compile = createValidatorCompiler({ faults: 'first' })
const validators = new Map<string, Validator>()

// Compiled when first used: a server that never sees a class does not pay for it.
function validatorOf(cls: Cls, use: BodyUse): Validator {
  const key = `${cls} ${use}`
  const validator = validators.get(key) ?? compile(bodySchema(cls, use))
  validators.set(key, validator)
  return validator
}
