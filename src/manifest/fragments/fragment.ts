import { showValue } from '../../contract/schema/describe.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer, type Pointer } from '../../core/pointer.ts'
import { formatSpan } from '../../core/span.ts'
import { parseExpressions } from '../../document/value_expression.ts'
import { issueAt, keySpanOf, type ManifestSource } from '../resolve_source.ts'
import type { ParameterType } from '../schema/fragment_schema.ts'
import { fragmentValidator } from '../validators.ts'

/** A parameter as declared. */
export interface Parameter {
  readonly type: ParameterType
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

/** A declared fragment. */
export interface Fragment {
  readonly name: string
  readonly source: ManifestSource
  readonly pointer: Pointer
  readonly parameters: Readonly<Record<string, Parameter>>
}

/** Fragments by name, with the faults of their declarations. */
export interface DeclaredFragments {
  readonly fragments: ReadonlyMap<string, Fragment>
  /** Names of all fragments, also of those with faults. */
  readonly names: ReadonlySet<string>
  readonly issues: readonly Issue[]
}

/** Reads the fragments of all files. */
export function declareFragments(sources: readonly ManifestSource[]): DeclaredFragments {
  const fragments = new Map<string, Fragment>()
  const names = new Set<string>()
  const issues: Issue[] = []
  for (const source of sources) {
    const { fragments: section } = (source.value ?? {}) as { readonly fragments?: unknown }
    if (section === undefined) continue
    if (!isObject(section)) {
      const message = `fragments: expected fragments by name, got ${showValue(section)}`
      issues.push(issueAt(source, { code: 'manifest/bad-value', pointer: '/fragments', message }))
      continue
    }
    for (const [name, value] of Object.entries(section)) {
      names.add(name)
      addFragment({ fragments, issues }, { name, value, source, pointer: joinPointer('/fragments', name) })
    }
  }
  return { fragments, names, issues }
}

interface Declaration {
  readonly name: string
  readonly value: unknown
  readonly source: ManifestSource
  readonly pointer: Pointer
}

function addFragment(
  { fragments, issues }: { readonly fragments: Map<string, Fragment>; readonly issues: Issue[] },
  { name, value, source, pointer }: Declaration,
): void {
  const faults = fragmentValidator('fragment')(value, (_, part) => part)
  for (const { kind, pointer: at, message, hint } of faults)
    issues.push(
      issueAt(source, {
        code: `manifest/${kind}`,
        pointer: pointer + at,
        message: `fragment ${name}: ${message}`,
        hint,
        at: kind === 'bad-value' ? 'value' : 'key',
      }),
    )
  const first = fragments.get(name)
  if (first !== undefined) {
    const message = `duplicate fragment ${name}, first declared in ${formatSpan(keySpanOf(first.source, first.pointer))}`
    issues.push(issueAt(source, { code: 'manifest/duplicate-key', pointer, message, at: 'key' }))
    return
  }
  if (faults.length > 0) return
  const { parameters = {} } = value as { readonly parameters?: Readonly<Record<string, Parameter>> }
  fragments.set(name, { name, source, pointer, parameters })
  for (const [parameter, declared] of Object.entries(parameters)) {
    if (declared.default === undefined) continue
    const fault = checkType(declared.default, declared)
    const at = joinPointer(pointer, 'parameters', parameter, 'default')
    const message = `fragment ${name}: the default of ${parameter} ${fault}`
    if (fault !== undefined)
      issues.push(issueAt(source, { code: 'manifest/bad-parameter', pointer: at, message }))
    issues.push(...reportExpressions(source, { name, parameter, pointer: at }))
  }
}

interface Default {
  readonly name: string
  readonly parameter: string
  readonly pointer: Pointer
}

/** Reports expressions within a default, which would become parts of values as they are written. */
function reportExpressions(source: ManifestSource, { name, parameter, pointer }: Default): Issue[] {
  return listStrings(findAtPointer(source.value, pointer), pointer).flatMap(([at, text]) => {
    const found = parseExpressions(text).find(({ kind }) => kind !== 'literal')
    if (found === undefined) return []
    const message = `fragment ${name}: the default of ${parameter} contains ${found.source}; a default takes no expressions`
    const hint = `write ${found.source} where the fragment uses \${param.${parameter}}, or at the use under with:`
    return [issueAt(source, { code: 'manifest/bad-parameter', pointer: at, message, hint })]
  })
}

function listStrings(value: unknown, pointer: Pointer): (readonly [Pointer, string])[] {
  if (typeof value === 'string') return [[pointer, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => listStrings(one, joinPointer(pointer, key)))
}

/** Returns why a value does not fit a parameter; undefined if it does. */
export function checkType(value: unknown, { type, enum: words }: Parameter): string | undefined {
  const article = type === 'integer' ? 'an' : 'a'
  if (!hasType[type](value)) return `is not ${article} ${type}`
  const isAllowed = words === undefined || words.some((word) => word === value)
  return isAllowed ? undefined : `is not one of ${words.map(showValue).join(', ')}`
}

const hasType: Readonly<Record<ParameterType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  map: (value) => isObject(value),
}
