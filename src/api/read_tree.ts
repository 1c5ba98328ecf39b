import { randomUUID } from 'node:crypto'
import type { Representation } from '../contract/bodies/bodies.ts'
import { keyHeader } from '../contract/bodies/idempotency.ts'
import { dialectHeader } from '../contract/dialect/dialect.ts'
import { decodeResource, type WireResource } from '../contract/dialect/dialect_codec.ts'
import { problem } from '../contract/problems.ts'
import type { BodyOf } from '../contract/route.ts'
import type { resourceRoutes } from '../contract/routes/resource.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { detectDialect } from './detect_server.ts'
import { readLines } from './read_lines.ts'

/** A user or group. */
export interface Principal {
  readonly id: number
  readonly kind: 'user' | 'group'
  readonly keyname: string
}

/** Metadata of a read of the tree. */
export interface TreeHead {
  /** Version of landform on the server; undefined for other servers. */
  readonly landform: string | undefined
  /** Keyname of the caller; undefined if the server does not report it. */
  readonly caller: string | undefined
  readonly administrator: boolean
  /** Whether the caller can read all resources of the subtree. */
  readonly complete: boolean
  /** Users and groups that the caller may list; undefined if the server lists none. */
  readonly principals: readonly Principal[] | undefined
  /** Whether only the resources of a manifest were read. */
  readonly part?: boolean
}

type PartBody = BodyOf<(typeof resourceRoutes)['resource.tree_part']>

/** Resources that a plan depends on, apart from those above them. */
export type TreePart = Pick<PartBody, 'manifest'> & Required<Omit<PartBody, 'manifest'>>

/** Selection of a read of the tree. */
export interface TreeRequest {
  /** Id of the root of the subtree. */
  readonly root?: number
  /** What a plan depends on: only this is read, if it is a small part of all. */
  readonly part?: TreePart
  readonly signal?: AbortSignal | undefined
}

/** Receives each resource as it is read, in the names of the documents. */
export type TakeResource = (resource: Representation) => void

/**
 * Reads a subtree: in one streamed response if the server has the route, else by a full search and lists of users and
 * groups. Sets the dialect of the client to that of the server.
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

/** Time-out of reads of the complete tree, which take longer than other reads. */
const treeTimeoutMs = 300_000

async function readStream(api: Api, request: TreeRequest, take: TakeResource): Promise<TreeHead> {
  const { root = 0, part, signal } = request
  // Only landform has the route, and it sends the names of the documents on request: no translation is needed.
  const headers = { [dialectHeader]: 'document' }
  const limits = { signal, timeoutMs: treeTimeoutMs }
  const answer = await (part === undefined
    ? api.open('resource.tree', { query: { root }, headers, ...limits })
    : // With a key, since a read can be repeated.
      api.open('resource.tree_part', {
        body: part,
        headers: { ...headers, [keyHeader]: randomUUID() },
        ...limits,
      }))
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
    throw problem(
      'http/unexpected',
      `The response of ${api.url} ended after ${count} resources, before the end of the tree.`,
      {
        hint: 'Retry the command.',
      },
    )
  }
  return {
    landform: head.server?.landform ?? 'unknown',
    caller: head.caller?.keyname,
    administrator: head.caller?.administrator === true,
    complete: head.complete === true,
    principals: head.principals,
    ...(head.part === true ? { part: true } : {}),
  }
}

interface WireHead {
  readonly part?: boolean
  readonly server?: { readonly landform?: string }
  readonly caller?: { readonly keyname?: string; readonly administrator?: boolean }
  readonly complete?: boolean
  readonly principals?: readonly Principal[]
  readonly count?: number
}

function parseHead(line: string, url: string): WireHead {
  const head = parseLine(line, url) as WireHead
  if (head.server === undefined)
    throw problem('http/unexpected', `The response of ${url} has no tree header.`)
  return head
}

function parseLine(line: string, url: string): WireResource {
  try {
    return JSON.parse(line) as WireResource
  } catch {
    throw problem('http/unexpected', `The response of ${url} contains a line that is not JSON.`)
  }
}

async function readBySearch(api: Api, { root, signal }: TreeRequest, take: TakeResource): Promise<TreeHead> {
  api.setDialect(await detectDialect(api, signal))
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

// Only administrators can read the full list of users, which flags administrators.
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
