import PQueue from 'p-queue'
import { documentName } from '../contract/dialect/dialect.ts'
import { clsNames } from '../contract/registry.ts'
import { maxKeynames } from '../contract/routes/resource.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/** Resources missing from a read of the tree that the account may not be able to see. */
export interface VisibilityQuery {
  /** Keynames missing from the tree. */
  readonly keynames: readonly string[]
  /** Ids of the parents of resources to create. */
  readonly parents: readonly number[]
}

/** What an account can see and create. */
export interface Visibility {
  /** Keynames of existing resources that the account cannot read; undefined if the server does not report them. */
  readonly unreadable: ReadonlySet<string> | undefined
  /** Classes that the account may create, by id of the parent. */
  readonly creatable: ReadonlyMap<number, ReadonlySet<string>>
}

/**
 * Reads which resources an account cannot read, and which it may create.
 *
 * @throws {Problem} http/*
 */
export async function readVisibility(
  api: Api,
  { keynames, parents }: VisibilityQuery,
  signal: AbortSignal | undefined,
): Promise<Visibility> {
  const unreadable = await findUnreadable(api, keynames, signal)
  const creatable =
    (await findCreatable(api, parents, signal)) ?? (await findCreatableByPermission(api, parents, signal))
  return { unreadable, creatable }
}

async function findUnreadable(
  api: Api,
  keynames: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Set<string> | undefined> {
  const found = new Set<string>()
  for (let at = 0; at < keynames.length; at += maxKeynames) {
    const body = { keynames: keynames.slice(at, at + maxKeynames) }
    const answer = await unlessRefused(api.call('resource.keynames', { body, signal }))
    if (answer === undefined) return undefined
    for (const keyname of answer.unreadable) found.add(keyname)
  }
  return found
}

/** Maximum number of resources per request for attributes. */
export const maxAttributeIds = 500

async function findCreatable(
  api: Api,
  parents: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Map<number, Set<string>> | undefined> {
  const creatable = new Map<number, Set<string>>()
  for (let at = 0; at < parents.length; at += maxAttributeIds) {
    const body = {
      resources: parents.slice(at, at + maxAttributeIds),
      attributes: [['resource.children_creatable']],
    }
    const answer = await unlessRefused(api.call('resource.attributes', { body, signal }))
    if (answer === undefined) return undefined
    for (const [id, [value]] of answer.items) {
      const classes = Array.isArray(value?.[1]) ? (value[1] as string[]) : []
      creatable.set(id, new Set(classes.map(documentName)))
    }
  }
  return creatable
}

/** For servers that do not report classes: assumes all classes if the account may manage children. */
async function findCreatableByPermission(
  api: Api,
  parents: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Map<number, Set<string>>> {
  const creatable = new Map<number, Set<string>>()
  const queue = new PQueue({ concurrency: 8 })
  await queue.addAll(
    parents.map((id) => async () => {
      const answer = await unlessRefused(api.call('resource.permission', { params: { id }, signal }))
      creatable.set(id, new Set(answer?.resource?.manage_children === true ? clsNames : []))
    }),
  )
  return creatable
}

/** Status codes of servers that do not have a route, or deny it to this account. */
const refusalStatuses: readonly number[] = [400, 401, 403, 404, 405, 422, 501]

/** Returns undefined if the server does not have the route, or denies it to this account. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isProblem(error) && refusalStatuses.includes(error.status ?? 0)) return undefined
    throw error
  }
}
