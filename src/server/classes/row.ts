import { type Cls, descriptorOf, type Members } from '../../contract/registry.ts'
import { listSecrets, type Schema } from '../../contract/schema.ts'
import type { Queryable } from '../../database/database.ts'
import { listColumns, type MemberRow, memberTable, type RowCls } from '../../store/classes/member_table.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'

/** Fields of the member named after a class, as a request has them. */
export type Given<C extends RowCls> = Partial<MemberRow<C>>

/** What a class stored as one row a resource does besides storing it. All of it is optional. */
export interface RowClass<C extends RowCls> {
  readonly cls: C
  /** Gives the row that a request makes of the stored one, or of the defaults. */
  change?(change: MemberChange<C>, stored: MemberRow<C>): MemberRow<C>
  /** Refuses rows with a Problem; they are not written yet. */
  check?(tx: Queryable, rows: ReadonlyMap<number, MemberRow<C>>): Promise<void>
  /** Gives the member as answers have it. Secrets are left out in any case. */
  show?(row: MemberRow<C>): object
  readonly prepare?: Behaviour<C>['prepare']
}

/** Stores a class by its descriptor: creation fills in defaults, a change keeps the fields that it does not name. */
export function rowBehaviour<C extends RowCls>(own: RowClass<C>): Behaviour<C> {
  const { cls, change = mergeRow, check, show = (row) => row, prepare } = own
  const table = memberTable(cls)
  const secrets = listSecrets(descriptorOf(cls).members[cls] as Schema)
  const write = async (tx: Queryable, rows: ReadonlyMap<number, MemberRow<C>>) => {
    await check?.(tx, rows)
    await table.write(tx, rows)
  }
  return {
    async readMembers(tx, ids) {
      const rows = await table.find(tx, ids)
      const members = (row: MemberRow<C>) => ({ [cls]: withoutSecrets(show(row), secrets) }) as Members<C>
      return new Map([...rows].map(([id, row]) => [id, members(row)]))
    },
    async create(tx, changes) {
      const defaults = defaultRow(cls)
      await write(tx, new Map(changes.map((one) => [one.id, change(one, defaults)])))
    },
    async update(tx, changes) {
      const stored = await table.find(tx, changes.map(idOf))
      const defaults = defaultRow(cls)
      const rows = changes.map((one) => [one.id, change(one, stored.get(one.id) ?? defaults)] as const)
      await write(tx, new Map(rows))
    },
    ...(prepare === undefined ? {} : { prepare }),
  }

  function mergeRow({ members }: MemberChange<C>, stored: MemberRow<C>): MemberRow<C> {
    return { ...stored, ...givenOf(cls, members) }
  }
}

/** Gives the fields of the member named after a class, those that a request has. */
export function givenOf<C extends RowCls>(cls: C, members: Members<C>): Given<C> {
  return (members as { readonly [M in Cls]?: Given<C> })[cls] ?? {}
}

/** Gives the defaults of the contract. Required fields are empty: every creation has them. */
export function defaultRow<C extends RowCls>(cls: C): MemberRow<C> {
  const values = listColumns(cls).map(({ name, default: value }) => [name, value ?? null])
  return Object.fromEntries(values) as MemberRow<C>
}

/** That there is no secret may be shown. */
function withoutSecrets(shown: object, secrets: readonly string[]): object {
  const entries = Object.entries(shown)
  return Object.fromEntries(entries.filter(([name, value]) => value === null || !secrets.includes(name)))
}
