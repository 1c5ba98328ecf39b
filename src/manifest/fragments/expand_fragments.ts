import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Span } from '../../core/span.ts'
import { findHint } from '../../core/suggest.ts'
import { spanOfRange } from '../../document/line_starts.ts'
import { coerceString, type ParameterValue } from '../../document/resolve_values.ts'
import { parseExpressions } from '../../document/value_expression.ts'
import {
  createDocument,
  findPart,
  isItems,
  isMembers,
  type Node,
  nearestNode,
  spanAt,
} from '../../document/yaml_node.ts'
import { isUse } from '../read_blocks.ts'
import {
  describeUse,
  type FragmentUse,
  issueAt,
  type ManifestSource,
  resolveSource,
  type SourceFault,
  showAt,
} from '../resolve_source.ts'
import { keyParameter } from '../schema/fragment_schema.ts'
import { fragmentValidator } from '../validators.ts'
import { checkType, declareFragments, type Fragment, type Parameter } from './fragment.ts'

/** The documents of a manifest, followed by one source for each use of a fragment. */
export interface ExpandedSources {
  readonly sources: readonly ManifestSource[]
  readonly issues: readonly Issue[]
}

/** Maximum number of uses, nested ones included. */
const maxUses = 100_000

/**
 * Replaces the uses of fragments: each becomes a source with the resources of the fragment, below the resource that has the use. Its
 * document is that of the fragment, so that faults have positions in the fragment, and messages name the use. Pure.
 *
 * @param complete whether all files could be read; if not, unknown fragments are not reported
 */
export function expandFragments(documents: readonly ManifestSource[], complete: boolean): ExpandedSources {
  const { fragments, names, issues: declared } = declareFragments(documents)
  const issues = [...declared]
  const sources = [...documents]
  for (let at = 0; at < sources.length && at < maxUses; at += 1) {
    const source = sources[at]
    if (source === undefined) continue
    for (const use of listUses(source)) {
      const made = expandUse(use, { fragments, names, complete })
      issues.push(...made.issues)
      if (made.source !== undefined) sources.push(made.source)
    }
  }
  return { sources, issues }
}

interface Use {
  readonly source: ManifestSource
  readonly pointer: Pointer
  /** Key of the entry. */
  readonly key: string
  readonly parent?: string
  readonly value: { readonly use: unknown; readonly was?: unknown; readonly with?: unknown }
}

function* listUses(source: ManifestSource): Generator<Use> {
  const { resources } = (source.value ?? {}) as { readonly resources?: unknown }
  yield* usesWithin(resources, { source, pointer: '/resources', parent: source.use?.parent })
}

interface Place {
  readonly source: ManifestSource
  readonly pointer: Pointer
  readonly parent: string | undefined
}

function* usesWithin(map: unknown, { source, pointer, parent }: Place): Generator<Use> {
  if (!isObject(map)) return
  for (const [key, value] of Object.entries(map)) {
    const { children } = (value ?? {}) as { readonly children?: unknown }
    if (isUse(value)) {
      const at = joinPointer(pointer, key)
      yield { source, pointer: at, key, value, ...(parent === undefined ? {} : { parent }) }
    } else if (isObject(children))
      yield* usesWithin(children, { source, pointer: joinPointer(pointer, key, 'children'), parent: key })
  }
}

interface Context {
  readonly fragments: ReadonlyMap<string, Fragment>
  readonly complete: boolean
  /** Names of all fragments, also of those with faults. */
  readonly names: ReadonlySet<string>
}

interface Expansion {
  readonly source?: ManifestSource
  readonly issues: readonly Issue[]
}

function expandUse(use: Use, context: Context): Expansion {
  const { source, pointer, key, value } = use
  const refuse = (fault: SourceFault): Issue =>
    issueAt(source, { ...fault, message: `${key}: ${fault.message}` })
  const faults = fragmentValidator('use')(value, (at) => showAt(source, pointer + at))
  if (faults.length > 0)
    return {
      issues: faults.map(({ kind, pointer: at, message, hint }) =>
        refuse({
          code: `manifest/${kind}`,
          pointer: pointer + at,
          message,
          hint: kind === 'unknown-field' ? (hint ?? useHint) : hint,
          at: kind === 'bad-value' ? 'value' : 'key',
        }),
      ),
    }
  const fragment = context.fragments.get(String(value.use))
  const at = joinPointer(pointer, 'use')
  if (fragment === undefined) {
    if (!context.complete || context.names.has(String(value.use))) return { issues: [] }
    const message = `unknown fragment ${showAt(source, at)}`
    const hint = findHint(String(value.use), [...context.names]) ?? 'declare it in the section fragments:'
    return { issues: [refuse({ code: 'manifest/unknown-fragment', pointer: at, message, hint })] }
  }
  const cycle = findCycle(source.use, fragment.name)
  if (cycle !== undefined) {
    const message = `the fragment ${fragment.name} uses itself: ${cycle.join(' → ')}`
    return { issues: [refuse({ code: 'manifest/fragment-cycle', pointer: at, message })] }
  }
  const { values, faults: wrong } = bindParameters(use, fragment)
  const same: SourceFault[] = value.was === key ? [sameKey(pointer)] : []
  if (wrong.length + same.length > 0) return { issues: [...wrong, ...same].map(refuse) }
  const former = findFormer(use)
  const renamed = former && { values: bindParameters(former.use, fragment).values, span: former.span }
  return instantiate(use, fragment, { values, renamed })
}

const useHint = 'a use has the fields use, was and with; write values of parameters under with:'

const sameKey = (pointer: Pointer): SourceFault => ({
  code: 'manifest/conflict',
  pointer: joinPointer(pointer, 'was'),
  message: 'the old key equals the new one',
  hint: 'remove was:',
})

/** Returns a use as it was under its previous key, or under that of the use that it is part of; undefined if none is renamed. */
function findFormer(use: Use): { readonly use: Use; readonly span: Span } | undefined {
  const { source, pointer, key, value } = use
  const outer = source.use?.former
  const own = value.was === undefined ? undefined : String(value.was)
  const span = own === undefined ? outer?.span : spanAt(source.document, joinPointer(pointer, 'was'))
  if (span === undefined) return undefined
  const before = (outer && findAtPointer(outer.value, pointer)) as Use['value'] | undefined
  const former = { ...use, key: own ?? outer?.keys.get(pointer) ?? key, value: before ?? value }
  return { use: former, span }
}

/** Returns the chain of fragments from a name to itself. */
function findCycle(use: FragmentUse | undefined, name: string): string[] | undefined {
  const chain = [name]
  for (let at = use; at !== undefined; at = at.source.use) {
    chain.unshift(at.fragment)
    if (at.fragment === name) return chain
  }
  return undefined
}

interface Bound {
  readonly values: ReadonlyMap<string, ParameterValue>
  readonly faults: readonly SourceFault[]
}

function bindParameters({ source, pointer, key, value }: Use, { name, parameters }: Fragment): Bound {
  const given = (value.with ?? {}) as Readonly<Record<string, unknown>>
  const base = joinPointer(pointer, 'with')
  const values = new Map<string, ParameterValue>([[keyParameter, { value: key, isHidden: false }]])
  const faults: SourceFault[] = Object.keys(given)
    .filter((one) => !Object.hasOwn(parameters, one))
    .map((one) => ({
      code: 'manifest/bad-parameter',
      pointer: joinPointer(base, one),
      message: `the fragment ${name} has no parameter ${JSON.stringify(one)}`,
      hint: findHint(one, Object.keys(parameters)) ?? listNames(parameters),
      at: 'key',
    }))
  for (const [parameter, declared] of Object.entries(parameters)) {
    const at = joinPointer(base, parameter)
    if (!Object.hasOwn(given, parameter)) {
      if (declared.default !== undefined) values.set(parameter, { value: declared.default, isHidden: false })
      else
        faults.push({
          code: 'manifest/bad-parameter',
          pointer,
          message: `missing parameter ${JSON.stringify(parameter)} of the fragment ${name}`,
          hint: `write with: { ${parameter}: … }`,
          at: 'key',
        })
      continue
    }
    const isHidden = hidesWithin(source, at)
    const bound = coerce(given[parameter], declared, isHidden)
    const fault = checkType(bound, declared)
    if (fault === undefined) values.set(parameter, { value: bound, isHidden })
    else {
      const message = `the parameter ${parameter} of the fragment ${name} ${fault}: ${showAt(source, at)}`
      faults.push({ code: 'manifest/bad-parameter', pointer: at, message })
    }
  }
  return { values, faults }
}

function listNames(parameters: Fragment['parameters']): string {
  const names = Object.keys(parameters)
  return names.length === 0 ? 'the fragment has no parameters' : `its parameters: ${names.join(', ')}`
}

function hidesWithin({ expressions }: ManifestSource, pointer: Pointer): boolean {
  return [...expressions.keys()].some((at) => at === pointer || at.startsWith(`${pointer}/`))
}

/** A value of a variable is text, and becomes what the parameter is. */
function coerce(value: unknown, { type }: Parameter, isHidden: boolean): unknown {
  if (!isHidden || typeof value !== 'string' || type === 'string') return value
  return coerceString(value) ?? value
}

interface Values {
  readonly values: ReadonlyMap<string, ParameterValue>
  /** Values under the previous key of a renamed use, and the position of that key. */
  readonly renamed: { readonly values: Values['values']; readonly span: Span } | undefined
}

/** Makes the source of a use: the resources of the fragment with the values of its parameters. */
function instantiate(
  { source, pointer, parent }: Use,
  { name, source: declaring, pointer: at }: Fragment,
  { values: parameters, renamed }: Values,
): Expansion {
  const { document, folder, surroundings } = declaring
  const resources = nearestNode(document, joinPointer(at, 'resources'))
  const id = findPart(document.root, 'manifest') ?? document.root
  const state: KeyFaults = { parameters, former: renamed?.values, formerKeys: new Map(), faults: [] }
  const members = new Map([
    ['manifest', id],
    ['resources', replaceKeys(state, resources, '/resources')],
  ])
  const root: Node = { ...document.root, content: members }
  const own = createDocument({ file: document.file, text: document.text, readRoot: () => root })
  const resolve = (values: Values['values']) =>
    resolveSource(own, folder, { ...surroundings, parameters: values })
  const made = resolve(parameters)
  const former = renamed && {
    keys: state.formerKeys,
    value: resolve(renamed.values).source.value,
    span: renamed.span,
  }
  const use: FragmentUse = {
    fragment: name,
    source,
    pointer,
    ...(parent === undefined ? {} : { parent }),
    ...(former === undefined ? {} : { former }),
  }
  const tell = (issue: Issue): Issue => ({ ...issue, message: `${issue.message} (${describeUse(use)})` })
  const keys = state.faults.map(({ node: { keyStart, keyEnd }, message, hint }): Issue => {
    const span = spanOfRange(document.file, document.lines, { start: keyStart, end: keyEnd })
    const code = 'manifest/bad-parameter'
    return { code, severity: 'error', message, span, ...(hint === undefined ? {} : { hint }) }
  })
  return { source: { ...made.source, use }, issues: [...keys, ...made.issues].map(tell) }
}

interface KeyFaults {
  readonly parameters: ReadonlyMap<string, ParameterValue>
  /** Values of the parameters under the previous key of a renamed use. */
  readonly former: ReadonlyMap<string, ParameterValue> | undefined
  readonly formerKeys: Map<Pointer, string>
  readonly faults: { readonly node: Node; readonly message: string; readonly hint?: string | undefined }[]
}

/** Replaces parameters in the keys of maps. */
function replaceKeys(state: KeyFaults, node: Node, pointer: Pointer): Node {
  const { content } = node
  if (isItems(content))
    return {
      ...node,
      content: content.map((item, index) => replaceKeys(state, item, joinPointer(pointer, index))),
    }
  if (!isMembers(content)) return node
  const members = new Map<string, Node>()
  for (const [key, member] of content) {
    const replaced = replaceKey(state, key, member)
    const at = joinPointer(pointer, replaced)
    if (state.former !== undefined && key !== replaced)
      state.formerKeys.set(at, replaceKey({ parameters: state.former, faults: [] }, key, member))
    if (members.has(replaced))
      state.faults.push({ node: member, message: `duplicate key ${JSON.stringify(replaced)}` })
    members.set(replaced, replaceKeys(state, member, at))
  }
  return { ...node, content: members }
}

function replaceKey(
  { parameters, faults }: Pick<KeyFaults, 'parameters' | 'faults'>,
  key: string,
  node: Node,
): string {
  if (!key.includes('${param.')) return key
  const parts = parseExpressions(key).map((part) => {
    if (part.kind !== 'parameter') return part.source
    const found = parameters.get(part.name)
    if (found !== undefined && typeof found.value !== 'object') return String(found.value)
    const message =
      found === undefined ? `unknown parameter ${part.source}` : `${part.source} is not a string or number`
    faults.push({
      node,
      message,
      hint: found === undefined ? findHint(part.name, [...parameters.keys()]) : undefined,
    })
    return part.source
  })
  return parts.join('')
}
