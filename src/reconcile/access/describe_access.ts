import { classMask, maskOf } from '../../access/permission_mask.ts'
import { findPermission, type PermissionName } from '../../contract/permissions.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import { countOf, joinFirst, joinWords, pluralOf } from '../../core/count.ts'
import { formatLine, type Span } from '../../core/span.ts'
import type { AccessChange, AccessTarget } from '../model/access_change.ts'

/** Changes of access in words. */
export interface AccessSentence {
  readonly change: AccessChange['change']
  /** `guests gain read on 2 layers`. */
  readonly sentence: string
  /** Keys of the resources; the first ones of many. */
  readonly names: string
  /** Positions of the causes, one a line. */
  readonly causes: readonly Span[]
}

/** Describes changes of access, one sentence for those with the same words. Leaves out implied changes. */
export function describeAccess(changes: readonly AccessChange[]): AccessSentence[] {
  return foldForPeople(changes).map(describeLine)
}

interface Line extends Pick<AccessChange, 'change' | 'principals' | 'on' | 'except'> {
  readonly words: string
  readonly resources: AccessTarget[]
  readonly causes: Map<string, AccessChange['causes'][number]>
}

/** Folds changes that have the same words, such as `read` on a layer and on its styles. */
function foldForPeople(changes: readonly AccessChange[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { change, principals, permissions, except, on, resources, causes, implied } of changes) {
    if (implied) continue
    for (const resource of resources) {
      const words = wordsOf(resource.cls, permissions)
      const key = JSON.stringify([change, principals, except, words, on])
      const parts = { change, principals, on, words, ...(except === undefined ? {} : { except }) }
      const line: Line = lines.get(key) ?? { ...parts, resources: [], causes: new Map() }
      lines.set(key, line)
      line.resources.push(resource)
      for (const span of causes) line.causes.set(formatLine(span), span)
    }
  }
  return [...lines.values()]
}

/** Words for permissions that are not named as they are. */
const words: Partial<Record<PermissionName, string>> = {
  'data.read': 'read',
  'data.write': 'write',
  'metadata.read': 'read metadata',
  'metadata.write': 'write metadata',
  'datastruct.read': 'read structure',
  'datastruct.write': 'write structure',
  'connection.read': 'read connection',
  'connection.write': 'write connection',
  'connection.connect': 'connect',
  'service.connect': 'connect',
  'service.configure': 'configure',
}

/** Permissions that go without saying for those who read a resource. */
const minor: ReadonlySet<PermissionName> = new Set(['resource.read', 'metadata.read', 'datastruct.read'])

/** Describes permissions on a resource of a class: `read and write`, `update, delete and change permissions`. */
function wordsOf(cls: string, permissions: readonly PermissionName[]): string {
  if (isCls(cls) && maskOf(permissions) === classMask(cls)) return 'all permissions'
  const major = permissions.filter((name) => !minor.has(name))
  // Data first: it is what most rules are about.
  const found = major.toSorted((a, b) => rankOf(a) - rankOf(b)).map((name) => words[name] ?? labelOf(name))
  // Reading a class without data is reading the resource; the others have data that it does not include.
  const hasData = isCls(cls) && descriptorOf(cls).scopes.some((scope) => scope === 'data')
  const seesOnly = permissions.includes('resource.read') && !permissions.includes('data.read')
  if (seesOnly) found.unshift(hasData ? 'read (without data)' : 'read')
  else if (found.length === 0) found.push(...permissions.map((name) => words[name] ?? labelOf(name)))
  return joinWords(found)
}

const rankOf = (name: PermissionName) => Number(!name.startsWith('data.'))

const labelOf = (name: PermissionName) => (findPermission(name)?.label ?? name).toLowerCase()

function describeLine({ words: what, resources, causes, ...line }: Line): AccessSentence {
  const { change, principals, except = [], on } = line
  const { text, isPlural } = describePrincipals(principals)
  const others = except.length === 0 ? '' : `, except ${describePrincipals(except).text},`
  const verb = change === 'gain' ? 'gain' : 'lose'
  const sorted = resources.toSorted((a, b) => placeOf(a) - placeOf(b))
  return {
    change,
    sentence: `${text}${others} ${isPlural ? verb : `${verb}s`} ${what} on ${countResources(sorted, on)}`,
    names: joinFirst(sorted.map(({ key }) => key)),
    causes: [...causes.values()],
  }
}

/** Describes users and groups: `signed-in users and guests`, `group editors`, `users ada and bob`. */
export function describePrincipals(names: readonly string[]): {
  readonly text: string
  readonly isPlural: boolean
} {
  const signedIn = names.includes('user:authenticated') ? ['signed-in users'] : []
  const guests = names.includes('user:guest') ? ['guests'] : []
  const everyone = names.includes('user:everyone') ? ['everyone'] : []
  const keynamesOf = (kind: string) =>
    names
      .filter((name) => name.startsWith(`${kind}:`) && !general.has(name))
      .map((name) => name.slice(kind.length + 1))
  const kinds = ['group', 'user'].flatMap((kind) => {
    const keynames = keynamesOf(kind)
    return keynames.length === 0 ? [] : [`${pluralOf(kind, keynames.length)} ${joinFirst(keynames)}`]
  })
  const text = joinWords([...kinds, ...signedIn, ...guests, ...everyone])
  return { text, isPlural: names.length > 1 || guests.length + signedIn.length > 0 }
}

const general: ReadonlySet<string> = new Set(['user:guest', 'user:authenticated', 'user:everyone'])

const nouns: Readonly<Record<string, string>> = {
  vector_layer: 'layer',
  geodb_layer: 'layer',
  raster_layer: 'layer',
  wmsclient_layer: 'layer',
  mapsrv_style: 'style',
  desk_vector_style: 'style',
  raster_style: 'style',
  resource_group: 'resource group',
  baselayers: 'base layer set',
}

/** Nouns that come first, the most important one of all first; the others come between them and those that come last. */
const firstNouns = ['layer', 'web map']
const lastNouns = ['style', 'resource group']

function placeOf({ cls }: AccessTarget): number {
  const noun = nounOf(cls)
  const first = firstNouns.indexOf(noun)
  return first >= 0 ? first : firstNouns.length + 1 + lastNouns.indexOf(noun)
}

/** Counts resources by kind: `2 layers and 1 style`, `3 new web maps`. */
function countResources(resources: readonly AccessTarget[], on: AccessChange['on']): string {
  const counts = new Map<string, number>()
  for (const { cls } of resources) {
    const noun = nounOf(cls)
    counts.set(noun, (counts.get(noun) ?? 0) + 1)
  }
  const state = on === 'existing' ? '' : `${on} `
  return joinWords([...counts].map(([noun, count]) => countOf(count, `${state}${noun}`)))
}

function nounOf(cls: string): string {
  const label = nouns[cls] ?? (isCls(cls) ? descriptorOf(cls).label : 'resource')
  return /^.[a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label
}
