import type { Principal } from '../../api/read_tree.ts'
import { findHint } from '../../core/suggest.ts'

/** Users and groups by name and id. */
export interface Principals {
  /** Whether the caller can list users and groups. */
  readonly known: boolean
  /** Ids by `user:keyname` and `group:keyname`. */
  readonly ids: ReadonlyMap<string, number>
  /** Full names of users and groups that the manifest creates. */
  readonly created: ReadonlySet<string>
  /** With the names before the plan; absent if it renames none. */
  readonly former?: Principals
  /** Returns `user:guest`, or `id:7` if the caller cannot read the name. */
  nameOf(id: number): string
  /** Finds the full name of `guest`, `user:guest` or `group:editors`. */
  find(name: string): PrincipalMatch
}

/** The full name of a principal, or the reason why it was not found. */
export type PrincipalMatch = { readonly name: string } | { readonly fault: string; readonly hint?: string }

/** Indexes the users and groups of a server, and those that a manifest creates, by their full names. */
export function indexPrincipals(
  list: readonly Principal[] | undefined,
  created: ReadonlySet<string> = new Set(),
): Principals {
  const known = new Set<string>(created)
  const names = new Map((list ?? []).map(({ id, kind, keyname }) => [id, `${kind}:${keyname}`] as const))
  const ids = new Map([...names].map(([id, name]) => [name, id] as const))
  for (const name of ids.keys()) known.add(name)
  return {
    known: list !== undefined,
    ids,
    created,
    nameOf: (id) => names.get(id) ?? `id:${id}`,
    find: (name) => findPrincipal(name, known),
  }
}

function findPrincipal(name: string, known: ReadonlySet<string>): PrincipalMatch {
  if (known.has(name) || /^id:\d+$/.test(name)) return { name }
  const candidates = [`user:${name}`, `group:${name}`].filter((candidate) => known.has(candidate))
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return { name: only }
  if (candidates.length > 1) {
    return { fault: `"${name}" is both a user and a group`, hint: `Write ${candidates.join(' or ')}.` }
  }
  const hint = findHint(
    name,
    [...known].flatMap((full) => [full, full.slice(full.indexOf(':') + 1)]),
  )
  return { fault: `unknown user or group "${name}"`, hint: hint ?? creationHint(name) }
}

function creationHint(name: string): string {
  const [, kind, keyname = name] = /^(user|group):(.*)$/s.exec(name) ?? []
  const commands = (kind === undefined ? ['user', 'group'] : [kind]).map(
    (one) => `landform ${one} create ${keyname}`,
  )
  return `Create it with ${commands.join(' or ')}.`
}

/** Returns the id of a full name, or undefined. */
export function findPrincipalId(name: string, ids: ReadonlyMap<string, number>): number | undefined {
  const byId = /^id:(\d+)$/.exec(name)?.[1]
  return byId === undefined ? ids.get(name) : Number(byId)
}

/** Returns the name of a user or group for records: its id, which stays when it is renamed; the name itself if it has none yet. */
export function identify(name: string, ids: ReadonlyMap<string, number>): string {
  const id = findPrincipalId(name, ids)
  return id === undefined ? name : `id:${id}`
}
