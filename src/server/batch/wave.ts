import { membersOf } from '../../contract/bodies/bodies.ts'
import { maxWaves } from '../../contract/routes/batch.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import type { Queryable } from '../../database/database.ts'
import { listReferrers } from '../../store/resource/reference.ts'
import { findTreeFacts, listSubtreeKeynames, type TreeFacts } from '../../store/resource/resource_tree.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { type Operation, targetOf } from './batch_operation.ts'
import { addOperation } from './operation_place.ts'

/** Keys that an operation reads and writes. */
interface Access {
  readonly reads: Set<string>
  readonly writes: Set<string>
}

/**
 * Assigns levels to a sequence of operations. Operations of one level can run together, since none of them reads or
 * writes what another one writes.
 */
class AccessLevels {
  readonly #reads = new Map<string, number>()
  readonly #writes = new Map<string, number>()

  /** Returns the lowest level above all earlier operations that the next one depends on. */
  place({ reads, writes }: Access): number {
    let level = 0
    for (const key of reads) level = Math.max(level, after(this.#writes, key))
    for (const key of writes) level = Math.max(level, after(this.#writes, key), after(this.#reads, key))
    for (const key of reads) raise(this.#reads, key, level)
    for (const key of writes) raise(this.#writes, key, level)
    return level
  }
}

const after = (levels: ReadonlyMap<string, number>, key: string) => (levels.get(key) ?? -1) + 1

type Kind<O extends Operation['op']> = Extract<Operation, { readonly op: O }>

/** Operations of one kind, none of which depends on another. */
export type Wave = {
  [O in Operation['op']]: { readonly op: O; readonly operations: readonly Kind<O>[] }
}[Operation['op']]

/** Database state that the order of operations depends on. */
export interface BatchFacts {
  /** Existing resources that the operations name, and those that their permissions depend on. */
  readonly nodes: readonly TreeFacts[]
  /** For each deleted resource, the ids and keynames in its subtree and the referrers that prevent the deletion. */
  readonly removals: ReadonlyMap<number, RemovalFacts>
}

interface RemovalFacts {
  /** Ids of the subtree. */
  readonly ids: readonly number[]
  readonly keynames: readonly string[]
  /** Resources that refer to the subtree, which prevents its deletion. */
  readonly referrerIds: readonly number[]
}

/**
 * Groups operations into waves. The dependencies of an operation, such as its parent, are in earlier waves; operations of
 * one wave are independent. A large tree of resources needs few waves.
 *
 * @throws {Problem} request/invalid if the operations need too many waves
 */
export async function findWaves(tx: Queryable, operations: readonly Operation[]): Promise<Wave[]> {
  return planWaves(operations, await readFacts(tx, operations))
}

async function readFacts(tx: Queryable, operations: readonly Operation[]): Promise<BatchFacts> {
  const named = new Set<number>()
  for (const operation of operations) {
    named.add(targetOf(operation))
    for (const id of listNeeded(operation)) named.add(id)
  }
  const deleted = operations.filter(({ op }) => op === 'delete').map(targetOf)
  return { nodes: await findTreeFacts(tx, [...named]), removals: await readRemovals(tx, deleted) }
}

async function readRemovals(tx: Queryable, ids: readonly number[]): Promise<Map<number, RemovalFacts>> {
  if (ids.length === 0) return new Map()
  const nodes = await listSubtreeKeynames(tx, ids)
  const referrers = await listReferrers(tx, [...new Set(nodes.map(({ id }) => id))])
  const byTarget = Map.groupBy(referrers, ({ targetId }) => targetId)
  const trees = Map.groupBy(nodes, ({ rootId }) => rootId)
  return new Map(
    [...trees].map(([id, tree]) => [
      id,
      {
        ids: tree.map((node) => node.id),
        keynames: tree.flatMap(({ keyname }) => keyname ?? []),
        referrerIds: tree.flatMap((node) => (byTarget.get(node.id) ?? []).map((referrer) => referrer.id)),
      },
    ]),
  )
}

/** Groups operations into waves. */
export function planWaves(operations: readonly Operation[], facts: BatchFacts): Wave[] {
  const planner = new Planner(facts)
  const levels: Record<Operation['op'], Operation[]>[] = []
  let count = 0
  for (const operation of operations) {
    const level = planner.place(operation)
    levels[level] ??= { create: [], update: [], delete: [] }
    const wave = levels[level][operation.op]
    if (wave.length === 0) count += 1
    if (count > maxWaves) throw addOperation(tooManyWaves(), operation)
    wave.push(operation)
  }
  const kinds = ['create', 'update', 'delete'] as const
  return levels
    .flatMap((level) => kinds.map((op) => ({ op, operations: level[op] }) as unknown as Wave))
    .filter((wave) => wave.operations.length > 0)
}

const tooManyWaves = () =>
  invalidAt(
    '/operations',
    `the operations depend on each other in more than ${maxWaves} steps`,
    'Send them in several batches.',
  )

/** State of a resource after earlier operations. */
interface Node {
  readonly parentId: number | null
  /** Resources that its permissions depend on, besides its ancestors. */
  readonly links: readonly number[]
  readonly displayName: string
  readonly keyname: string | null
}

/** Simulates operations on the tree, and finds the level of each. */
class Planner {
  readonly #nodes: Map<number, Node>
  readonly #removals: BatchFacts['removals']
  readonly #levels = new AccessLevels()

  constructor({ nodes, removals }: BatchFacts) {
    this.#nodes = new Map(
      nodes.map(({ id, connectionId, ...rest }) => [
        id,
        { ...rest, links: connectionId === null ? [] : [connectionId] },
      ]),
    )
    this.#removals = removals
  }

  /** Returns the level of an operation, which is higher than those of its dependencies. */
  place(operation: Operation): number {
    const access: Access = { reads: new Set(), writes: new Set() }
    const id = targetOf(operation)
    const needed = listNeeded(operation)
    for (const one of needed) {
      access.reads.add(contentKey(one))
      this.#readRights(one, access)
    }
    if (operation.op === 'delete') this.#remove(id, access)
    else if (operation.op === 'create') {
      const { parentId, written } = operation.creation
      this.#put(id, { parentId, links: needed, ...namesOf(written.resource, unnamed) }, access)
    } else this.#change(operation, needed, access)
    access.writes.add(contentKey(id))
    return this.#levels.place(access)
  }

  #change({ change }: Kind<'update'>, needed: readonly number[], access: Access): void {
    const { id, written, parentId: wanted } = change
    this.#readRights(id, access)
    const current = this.#nodes.get(id)
    if (current === undefined) return
    const { resource = {} } = written
    const parentId = wanted ?? current.parentId
    const isMoved = parentId !== current.parentId
    if (isMoved || resource.permissions !== undefined || resource.owner_user !== undefined)
      access.writes.add(rightsKey(id))
    const next = { parentId, links: [...current.links, ...needed], ...namesOf(resource, current) }
    const { displayName, keyname } = current
    if (!isMoved && next.displayName === displayName && next.keyname === keyname) this.#nodes.set(id, next)
    else {
      writeNames(current, access)
      this.#put(id, next, access)
    }
  }

  #put(id: number, node: Node, access: Access): void {
    writeNames(node, access)
    this.#nodes.set(id, node)
  }

  #remove(id: number, access: Access): void {
    this.#readRights(id, access)
    access.writes.add(rightsKey(id))
    const current = this.#nodes.get(id)
    if (current !== undefined) writeNames(current, access)
    const { ids = [], keynames = [], referrerIds = [] } = this.#removals.get(id) ?? {}
    // What these refer to can be deleted only after them.
    for (const one of ids) access.writes.add(contentKey(one))
    for (const keyname of keynames) access.writes.add(keynameKey(keyname))
    for (const referrerId of referrerIds) {
      access.reads.add(contentKey(referrerId))
      this.#readRights(referrerId, access)
    }
  }

  /** Adds the keys that the permissions on a resource depend on. */
  #readRights(id: number, { reads }: Access): void {
    const open = [id]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const key = rightsKey(at)
      if (reads.has(key)) continue
      reads.add(key)
      const node = this.#nodes.get(at)
      if (node === undefined) continue
      if (node.parentId !== null) open.push(node.parentId)
      for (const link of node.links) open.push(link)
    }
  }
}

const unnamed = { displayName: '', keyname: null }

function namesOf(
  resource: Readonly<Record<string, unknown>> = {},
  current: Pick<Node, 'displayName' | 'keyname'>,
): Pick<Node, 'displayName' | 'keyname'> {
  const { display_name: displayName, keyname } = resource
  return {
    displayName: typeof displayName === 'string' ? displayName : current.displayName,
    keyname: keyname === null || typeof keyname === 'string' ? keyname : current.keyname,
  }
}

function writeNames({ parentId, displayName, keyname }: Node, { writes }: Access): void {
  writes.add(`name ${parentId} ${displayName}`)
  if (keyname !== null) writes.add(keynameKey(keyname))
}

/** Key of a resource with its members. */
const contentKey = (id: number) => `content ${id}`
/** Key of the permissions on a resource and its descendants. */
const rightsKey = (id: number) => `rights ${id}`
const keynameKey = (keyname: string) => `keyname ${keyname}`

/** Lists the resources that an operation refers to, including the parent. */
function listNeeded(operation: Operation): number[] {
  if (operation.op === 'delete') return []
  const { cls, parentId, written } = operation.op === 'create' ? operation.creation : operation.change
  const schemas = membersOf(cls)
  const needed = new Set<unknown>(parentId === undefined ? [] : [parentId])
  for (const [name, value] of Object.entries(written)) {
    const schema = schemas[name]
    if (schema === undefined || name === 'resource') continue
    for (const { target, value: found } of findReferences(schema, value))
      if (target !== 'principal') needed.add(targetIdOf(found))
  }
  return [...needed].filter((id) => typeof id === 'number')
}

function raise(levels: Map<string, number>, key: string, level: number): void {
  levels.set(key, Math.max(levels.get(key) ?? 0, level))
}
