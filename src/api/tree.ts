import type { Representation } from '../contract/bodies.ts'
import { dialectHeader } from '../contract/dialect.ts'
import { decodeResource, type WireResource } from '../contract/dialect_codec.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { readLines } from './lines.ts'
import { detectDialect } from './server.ts'

/** A user or a group. */
export interface Principal {
  readonly id: number
  readonly kind: 'user' | 'group'
  readonly keyname: string
}

/** What a reading of the tree says about itself. */
export interface TreeHead {
  /** Version of landform on the server; undefined on other servers. */
  readonly landform: string | undefined
  /** Keyname of the caller; undefined where the server does not tell. */
  readonly caller: string | undefined
  readonly administrator: boolean
  /** Whether nothing was left out because the caller may not read it. */
  readonly complete: boolean
  /** Users and groups the caller may know of; undefined where the server tells nothing. */
  readonly principals: readonly Principal[] | undefined
}

/** What to read. */
export interface TreeRequest {
  /** Top of the subtree. */
  readonly root?: number
  /** Further resources to include, wherever they stand. */
  readonly keynames?: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** Takes one resource after the other as they come, in the documents' names. */
export type TakeResource = (resource: Representation) => void

/**
 * Reads a subtree: in one streamed answer where the server has the route, else by a full search and the lists of users
 * and groups. Finds out on the way which names the server speaks.
 */
export async function readTree(api: Api, request: TreeRequest, take: TakeResource): Promise<TreeHead> {
  if (api.dialect === 'document') {
    try {
      return await readStream(api, request, take)
    } catch (error) {
      if (!isRouteMissing(error)) throw error
    }
  }
  return readBySearch(api, request, take)
}

function isRouteMissing(error: unknown): boolean {
  return (
    isProblem(error, 'request/not-found') ||
    isProblem(error, 'request/not-built') ||
    (isProblem(error) && error.status === 404 && error.code !== 'resource/not-found')
  )
}

/** Waiting for the whole tree of a large server takes longer than any other read. */
const treeTimeoutMs = 300_000

async function readStream(api: Api, request: TreeRequest, take: TakeResource): Promise<TreeHead> {
  const { root = 0, keynames = [], signal } = request
  const query = keynames.length > 0 ? { root, keyname: [...keynames] } : { root }
  // Only landform has the route, and writes the documents' names for who asks for them: lines need no translation.
  const headers = { [dialectHeader]: 'document' }
  const answer = await api.open('resource.tree', { query, headers, signal, timeoutMs: treeTimeoutMs })
  let head: WireHead | undefined
  let count = 0
  for await (const line of readLines(answer.body)) {
    if (head === undefined) head = parseHead(line, api.url)
    else {
      take(parseLine(line, api.url) as unknown as Representation)
      count += 1
    }
  }
  if (head === undefined || (head.count !== undefined && head.count !== count)) {
    throw problem('http/unexpected', `${api.url} broke the tree off after ${count} resources.`, {
      hint: 'Try again.',
    })
  }
  return {
    landform: head.server?.landform ?? 'unknown',
    caller: head.caller?.keyname,
    administrator: head.caller?.administrator === true,
    complete: head.complete === true,
    principals: head.principals,
  }
}

interface WireHead {
  readonly server?: { readonly landform?: string }
  readonly caller?: { readonly keyname?: string; readonly administrator?: boolean }
  readonly complete?: boolean
  readonly principals?: readonly Principal[]
  readonly count?: number
}

function parseHead(line: string, url: string): WireHead {
  const head = parseLine(line, url) as WireHead
  if (head.server === undefined) throw problem('http/unexpected', `${url} sent a tree without a head.`)
  return head
}

function parseLine(line: string, url: string): WireResource {
  try {
    return JSON.parse(line) as WireResource
  } catch {
    throw problem('http/unexpected', `${url} sent a line of the tree that is no JSON.`)
  }
}

async function readBySearch(api: Api, { root, signal }: TreeRequest, take: TakeResource): Promise<TreeHead> {
  api.speak(await detectDialect(api, signal))
  const query = { serialization: 'full', ...(root === undefined || root === 0 ? {} : { root }) }
  const found = await api.call('resource.search', { query, signal, timeoutMs: treeTimeoutMs })
  for (const wire of found) take(decodeResource(wire) as unknown as Representation)
  const caller = await unlessRefused(api.call('auth.current_user', { signal }))
  const administrator = await isAdministrator(api, caller?.id, signal)
  const principals = await listPrincipals(api, signal)
  return {
    landform: undefined,
    caller: caller?.keyname,
    administrator,
    complete: administrator,
    principals,
  }
}

// The full list of users is for administrators, and says of each whether it is one.
async function isAdministrator(
  api: Api,
  id: number | undefined,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const users = await unlessRefused(api.call('auth.user_list', { signal }))
  const self = users?.find((user) => user.id === id) as { is_administrator?: boolean } | undefined
  return self?.is_administrator === true
}

async function listPrincipals(api: Api, signal: AbortSignal | undefined): Promise<Principal[] | undefined> {
  const query = { brief: true }
  const users = await unlessRefused(api.call('auth.user_list', { query, signal }))
  const groups = await unlessRefused(api.call('auth.group_list', { query, signal }))
  if (users === undefined && groups === undefined) return undefined
  const user = (users ?? []).map(({ id, keyname }) => ({ id, kind: 'user', keyname }) as const)
  const group = (groups ?? []).map(({ id, keyname }) => ({ id, kind: 'group', keyname }) as const)
  return [...user, ...group]
}

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isProblem(error) && [401, 403, 404, 405, 501].includes(error.status ?? 0)) return undefined
    throw error
  }
}
