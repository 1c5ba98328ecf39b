import type { Cls, DataCls, Members } from '../../contract/registry.ts'
import type { AnswerOf } from '../../contract/route.ts'
import type { batchRoutes } from '../../contract/routes/batch.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'

/** What a class is asked to write. */
export interface MemberChange<C extends Cls> {
  readonly context: ServerContext
  readonly caller: Caller
  /** Id of the resource; its row in `resource` stands already. */
  readonly id: number
  readonly parentId: number
  /** Members of the class that the request carries, checked against the contract. */
  readonly members: Members<C>
  /** What `prepare` gave. */
  readonly prepared: unknown
}

/** Gives the resource of a change. */
export const idOf = ({ id }: { readonly id: number }): number => id

/** What a class is asked to get ready before the transaction of a request opens. */
export interface Preparation<C extends Cls> {
  readonly context: ServerContext
  readonly caller: Caller
  /** The resource that changes; undefined where it is to be created. */
  readonly id: number | undefined
  readonly members: Members<C>
  readonly signal: AbortSignal
}

/** Something `prepare` made that is to be thrown away unless the transaction took it. */
export interface Prepared {
  /** Takes back what was made; called when the request fails. */
  discard(): Promise<void>
}

/** The answer to a request that prepares a source. */
export type PreparedAnswer = AnswerOf<(typeof batchRoutes)['source.prepare']>

/** A source that was read and checked for a later request. */
export interface ReadSource extends Prepared {
  /** Keeps the source for that request. Gives the answer to this one. */
  keep(tx: Queryable): Promise<PreparedAnswer>
}

/** How a class with source data prepares a source for a later request. */
export interface SourceBehaviour<C extends Cls> {
  /** Reads and checks a source; undefined where the request has none. */
  read(preparation: Preparation<C>): Promise<ReadSource | undefined>
  /** Drops a source of a user that was kept; tells whether there was one. */
  drop(database: Database, source: { readonly id: string; readonly userId: number }): Promise<boolean>
}

/** What a class does on the server. All of it works in the request's transaction, `prepare` excepted. */
export interface Behaviour<C extends Cls> {
  /** Reads the members of many resources at once, by id. */
  readMembers(tx: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, Members<C>>>
  /**
   * Writes the members of new resources, in few statements however many they are; none of them refers to another. A
   * Problem refuses them all.
   */
  create(tx: Queryable, changes: readonly MemberChange<C>[]): Promise<void>
  /**
   * Writes the members that a request changes, of many resources, none of which refers to another. A Problem refuses
   * them all.
   */
  update(tx: Queryable, changes: readonly MemberChange<C>[]): Promise<void>
  /** Lets go of what rows do not: tables, for one. Called before the rows are deleted. */
  remove?(tx: Queryable, ids: readonly number[]): Promise<void>
  /** Does the long work (reading a file into staging) in its own short transactions, before the request's. */
  prepare?(preparation: Preparation<C>): Promise<Prepared | undefined>
  /** Required for classes with source data. */
  readonly source?: SourceBehaviour<C>
}

/** What a class does on the server; with a source where the contract says that the class takes one. */
export type BehaviourOf<C extends Cls> = C extends DataCls
  ? Behaviour<C> & { readonly source: SourceBehaviour<C> }
  : Behaviour<C>
