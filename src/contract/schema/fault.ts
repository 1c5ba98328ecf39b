import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Pointer } from '../../core/pointer.ts'
import { describeFault } from './describe.ts'

/** Kind of a fault. */
export type FaultKind = 'bad-value' | 'unknown-field' | 'missing-field'

/** Violation of a schema. */
export interface Fault {
  readonly kind: FaultKind
  /** Invalid value; for unknown fields the field itself, for missing fields their object. */
  readonly pointer: Pointer
  /** Sentence with the value. */
  readonly message: string
  readonly hint?: string
}

/** Returns the part of a value for a message, or a replacement of a secret. */
export type ShowPart = (pointer: Pointer, part: unknown) => unknown

/** Checks a value and returns its faults. */
export type Validator = (value: unknown, show?: ShowPart) => Fault[]

/** Returns the validator of a compiled schema. */
export function toValidator(validate: ValidateFunction): Validator {
  return (value, show) => (validate(value) ? [] : faultsOf(validate, show))
}

function faultsOf(validate: ValidateFunction, show: ShowPart = (_, part) => part): Fault[] {
  const errors = (validate.errors ?? []).filter((error, _, all) => !isShadowed(error, all))
  return errors.map((error) => describeFault({ ...error, data: show(error.instancePath, error.data) }))
}

/**
 * Ajv reports the faults of each branch of a union and then a fault of the union itself. If a branch matched deeper, its
 * faults are more precise than that of the union; otherwise the fault of the union replaces those of the branches.
 */
function isShadowed(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return true
  // An empty string is reported as such.
  if (error.keyword === 'pattern' && error.data === '') return all.some((other) => isEmptiness(other, error))
  // The fault of an enumeration implies the type.
  if (error.keyword === 'type' && all.some((other) => isEnumOf(other, error))) return true
  const unions = all.filter((other) => other.keyword === 'anyOf' || other.keyword === 'oneOf')
  if (unions.includes(error)) return all.some((other) => isDeeper(other, error))
  return unions.some(
    (union) => isBranchOf(error, union) && error.instancePath === union.instancePath && !isDeepFault(error),
  )
}

function isEmptiness({ keyword, instancePath, params }: ErrorObject, pattern: ErrorObject): boolean {
  return keyword === 'minLength' && params.limit === 1 && instancePath === pattern.instancePath
}

function isEnumOf({ keyword, instancePath, parentSchema }: ErrorObject, type: ErrorObject): boolean {
  return keyword === 'enum' && instancePath === type.instancePath && parentSchema === type.parentSchema
}

function isBranchOf(error: ErrorObject, union: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`)
}

function isDeeper(other: ErrorObject, union: ErrorObject): boolean {
  if (other.instancePath.startsWith(`${union.instancePath}/`)) return true
  return isBranchOf(other, union) && isDeepFault(other)
}

/** Tells whether a value has the type of the branch, and the fault concerns its members, length or bounds. */
function isDeepFault(error: ErrorObject): boolean {
  return !['type', 'enum', 'const', 'anyOf', 'oneOf'].includes(error.keyword)
}
