import type { GeoserviceType } from '../contract/catalog/catalog.ts'
import { WebmapItemSchema } from '../contract/classes/webmap.ts'
import type { Annotations } from '../contract/descriptor.ts'
import type { PrincipalKind } from '../contract/principal.ts'
import { type Cls, clsNames } from '../contract/registry.ts'
import { toValidator, type Validator } from '../contract/schema/fault.ts'
import { blockSchema } from './schema/block_schema.ts'
import { compileDefinition } from './schema/compile_definition.ts'

const compiled = new Map<string, Validator>()

function validatorOf(name: string): Validator {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const validator = toValidator(compileDefinition(name))
  compiled.set(name, validator)
  return validator
}

/** Returns the validator of a block, by class and whether it is existing; `children` may be any object. */
export function blockValidator(cls: Cls | undefined, existing: boolean): Validator {
  if (cls === undefined) return validatorOf('existing_resource')
  return validatorOf(`${existing ? 'block' : 'own'}_${cls}`)
}

/** Returns the validator of an icon, or of a geoservice by its type. */
export function recordValidator(type: 'icon' | GeoserviceType): Validator {
  return validatorOf(type === 'icon' ? type : `geoservice_${type}`)
}

/** Returns the validator of a user or a group. */
export function accountValidator(kind: PrincipalKind): Validator {
  return validatorOf(kind)
}

/** Returns the validator of a fragment, whose resources may be any object, or of a use of one. */
export function fragmentValidator(what: 'fragment' | 'use'): Validator {
  return validatorOf(what)
}

/** Returns the validator of a file's top level; its sections may be any objects. */
export function fileValidator(): Validator {
  return validatorOf('file')
}

/** Lists the classes that have a member. */
export function classesWithMember(name: string): Cls[] {
  return clsNames.filter((cls) => Object.hasOwn(blockSchema(cls).properties as object, name))
}

type Word = keyof Annotations

const known = new Map<Word, WeakMap<object, boolean>>()

/** Reports whether a schema or a part of it has an annotation, so that callers can skip values without it. */
export function mentionsWord(schema: object, word: Word): boolean {
  const answers = known.get(word) ?? new WeakMap<object, boolean>()
  known.set(word, answers)
  const answer = answers.get(schema) ?? holdsWord(schema, word, new Set())
  answers.set(schema, answer)
  return answer
}

function holdsWord(part: unknown, word: Word, seen: Set<object>): boolean {
  if (part === null || typeof part !== 'object' || seen.has(part)) return false
  seen.add(part)
  if (Object.hasOwn(part, word)) return true
  const parts = Object.hasOwn(part, '$ref') ? [WebmapItemSchema] : Object.values(part)
  return parts.some((one) => holdsWord(one, word, seen))
}
