import PQueue from 'p-queue'
import { documentName } from '../contract/dialect.ts'
import { clsNames } from '../contract/registry.ts'
import { maxKeynames } from '../contract/routes/resource.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/** What a reading of the tree leaves open, because the account may not read all of it. */
export interface SightQuestion {
  /** Keynames that were not found. */
  readonly keynames: readonly string[]
  /** Ids of the resources that something would be created under. */
  readonly parents: readonly number[]
}

/** What an account may find out about resources that it does not see. */
export interface Sight {
  /** Keynames of resources that are there and may not be read; undefined where the server does not tell. */
  readonly unreadable: ReadonlySet<string> | undefined
  /** By id of a parent, the classes of which the account may create resources there. */
  readonly creatable: ReadonlyMap<number, ReadonlySet<string>>
}

/**
 * Asks a server which resources an account may not read, and where it may create some.
 *
 * @throws {Problem} http/*
 */
export async function readSight(
  api: Api,
  { keynames, parents }: SightQuestion,
  signal: AbortSignal | undefined,
): Promise<Sight> {
  const unreadable = await findUnreadable(api, keynames, signal)
  const creatable = (await askCreatable(api, parents, signal)) ?? (await askManaged(api, parents, signal))
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

/** Parents that are asked for at a time. */
const partLength = 500

async function askCreatable(
  api: Api,
  parents: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Map<number, Set<string>> | undefined> {
  const creatable = new Map<number, Set<string>>()
  for (let at = 0; at < parents.length; at += partLength) {
    const body = {
      resources: parents.slice(at, at + partLength),
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

/** For servers that do not tell classes: who may manage children may create all of them. */
async function askManaged(
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

/** Status codes of servers that do not have a route, or refuse it to this account. */
const refusals: readonly number[] = [400, 401, 403, 404, 405, 422, 501]

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isProblem(error) && refusals.includes(error.status ?? 0)) return undefined
    throw error
  }
}
