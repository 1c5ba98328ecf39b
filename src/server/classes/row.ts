import type { Cls, Members } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import type { RowTable } from '../../store/classes/row_table.ts'
import { type Behaviour, idOf } from './behaviour.ts'

/** A class whose one member is kept as it comes: a row a resource, columns named as on the wire. */
export interface RowClass<C extends Cls, R extends object> {
  readonly member: keyof Members<C>
  readonly rows: RowTable<R>
  /** What a new resource has where the request says nothing. */
  readonly plain: R
  /** Refuses rows with a Problem; they are not written yet. */
  check(tx: Queryable, rows: ReadonlyMap<number, R>): Promise<void>
}

/** What such a class does: a creation fills in what is missing, a change leaves what it does not name. */
export function rowBehaviour<C extends Cls, R extends object>(cls: RowClass<C, R>): Behaviour<C> {
  const { member, rows, plain, check } = cls
  const write = async (tx: Queryable, written: ReadonlyMap<number, R>) => {
    await check(tx, written)
    await rows.write(tx, written)
  }
  return {
    async readMembers(tx, ids) {
      const found = await rows.find(tx, ids)
      return new Map([...found].map(([id, row]) => [id, { [member]: row } as unknown as Members<C>]))
    },
    async create(tx, changes) {
      await write(tx, new Map(changes.map(({ id, members }) => [id, { ...plain, ...members[member] }])))
    },
    async update(tx, changes) {
      const standing = await rows.find(tx, changes.map(idOf))
      await write(
        tx,
        new Map(
          changes.map(({ id, members }) => [id, { ...(standing.get(id) ?? plain), ...members[member] }]),
        ),
      )
    },
  }
}
