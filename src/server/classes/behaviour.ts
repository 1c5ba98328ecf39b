import type { Cls, DataCls, Members } from '../../contract/registry.ts'
import type { AnswerOf } from '../../contract/route.ts'
import type { batchRoutes } from '../../contract/routes/batch.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { KeepRule } from '../../store/layer/kept_data.ts'
import type { Caller } from '../auth/caller.ts'
import type { ServerContext } from '../context.ts'

/** Members of a resource that a class writes. */
export interface MemberChange<C extends Cls> {
  readonly context: ServerContext
  readonly caller: Caller
  /** Id of the resource; its row in `resource` exists already. */
  readonly id: number
  readonly parentId: number
  /** Members of the class in the request, validated against the contract. */
  readonly members: Members<C>
  /** Result of `prepare`. */
  readonly prepared: unknown
}

/** Returns the id of the changed resource. */
export const idOf = ({ id }: { readonly id: number }): number => id

/** Input of the work that a class does before the transaction of a request. */
export interface Preparation<C extends Cls> {
  readonly context: ServerContext
  readonly caller: Caller
  /** Id of the resource to change; undefined for a creation. */
  readonly id: number | undefined
  readonly members: Members<C>
  readonly signal: AbortSignal
}

/** Result of `prepare`, discarded unless the transaction uses it. */
export interface Prepared {
  /** Deletes what was prepared; called if the request fails. */
  discard(): Promise<void>
}

/** The answer to a request that prepares a source. */
export type PreparedAnswer = AnswerOf<(typeof batchRoutes)['source.prepare']>

/** A source that was read and checked for a later request. */
export interface ReadSource extends Prepared {
  /** Stores the source for that request, and returns the answer to this one. */
  keep(tx: Queryable): Promise<PreparedAnswer>
}

/** How a class with source data prepares a source for a later request. */
export interface SourceBehaviour<C extends Cls> {
  /** Reads and checks a source; undefined if the request has none. */
  read(preparation: Preparation<C>): Promise<ReadSource | undefined>
  /** Deletes a prepared source of a user; returns false if it does not exist. */
  drop(database: Database, source: { readonly id: string; readonly userId: number }): Promise<boolean>
}

/** Operations of a class on the server. All except `prepare` run in the transaction of the request. */
export interface Behaviour<C extends Cls> {
  /** Reads the members of resources, by id. */
  readMembers(tx: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, Members<C>>>
  /**
   * Writes the members of new resources that do not refer to each other, in few statements. Throws a Problem to reject
   * all of them.
   */
  create(tx: Queryable, changes: readonly MemberChange<C>[]): Promise<void>
  /**
   * Writes the changed members of resources that do not refer to each other. Throws a Problem to reject all changes.
   */
  update(tx: Queryable, changes: readonly MemberChange<C>[]): Promise<void>
  /** Deletes what deleting the rows does not, such as tables. Called before the rows are deleted. */
  remove?(tx: Queryable, ids: readonly number[], rule: KeepRule): Promise<void>
  /** Does long work, such as reading a file into staging, in short transactions before that of the request. */
  prepare?(preparation: Preparation<C>): Promise<Prepared | undefined>
  /** Required for classes with source data. */
  readonly source?: SourceBehaviour<C>
}

/** Operations of a class on the server; includes `source` if the contract says that the class has source data. */
export type BehaviourOf<C extends Cls> = C extends DataCls
  ? Behaviour<C> & { readonly source: SourceBehaviour<C> }
  : Behaviour<C>
