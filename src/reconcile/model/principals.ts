import type { Principal } from '../../api/read_tree.ts'
import { findHint } from '../../core/suggest.ts'

/** Users and groups by name and id. */
export interface Principals {
  /** Whether the server told who there is. */
  readonly known: boolean
  /** Ids by `user:keyname` and `group:keyname`. */
  readonly ids: ReadonlyMap<string, number>
  /** Gives `user:guest`, or `id:7` for one the caller may not know. */
  nameOf(id: number): string
  /** Finds the full name of `guest`, `user:guest` or `group:editors`. */
  find(name: string): FoundPrincipal
}

/** A principal, or why there is none. */
export type FoundPrincipal = { readonly name: string } | { readonly fault: string; readonly hint?: string }

/** Makes an index of the users and groups of a server. */
export function indexPrincipals(list: readonly Principal[] | undefined): Principals {
  const names = new Map((list ?? []).map(({ id, kind, keyname }) => [id, `${kind}:${keyname}`] as const))
  const ids = new Map([...names].map(([id, name]) => [name, id] as const))
  return {
    known: list !== undefined,
    ids,
    nameOf: (id) => names.get(id) ?? `id:${id}`,
    find: (name) => findPrincipal(name, ids),
  }
}

function findPrincipal(name: string, ids: ReadonlyMap<string, number>): FoundPrincipal {
  if (ids.has(name) || /^id:\d+$/.test(name)) return { name }
  const candidates = [`user:${name}`, `group:${name}`].filter((candidate) => ids.has(candidate))
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return { name: only }
  if (candidates.length > 1) {
    return { fault: `"${name}" is both a user and a group`, hint: `Write ${candidates.join(' or ')}.` }
  }
  const hint = findHint(
    name,
    [...ids.keys()].flatMap((full) => [full, full.slice(full.indexOf(':') + 1)]),
  )
  return { fault: `there is no user or group "${name}"`, ...(hint ? { hint } : {}) }
}

/** Gives the id that a full name stands for, or undefined. */
export function findPrincipalId(name: string, ids: ReadonlyMap<string, number>): number | undefined {
  const byId = /^id:(\d+)$/.exec(name)?.[1]
  return byId === undefined ? ids.get(name) : Number(byId)
}
