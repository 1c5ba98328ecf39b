import { type Cls, descriptorOf, type Members } from '../../contract/registry.ts'
import { listSecrets, type Schema } from '../../contract/schema/schema.ts'
import type { Queryable } from '../../database/database.ts'
import { listColumns, type MemberRow, memberTable, type RowCls } from '../../store/classes/member_table.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'

/** Fields of the member named after a class, in a request. */
export type Given<C extends RowCls> = Partial<MemberRow<C>>

/** Hooks of a class stored as one row a resource. */
export interface RowClass<C extends RowCls> {
  readonly cls: C
  /** Applies a request to the stored row, or to the defaults. */
  change?(change: MemberChange<C>, stored: MemberRow<C>): MemberRow<C>
  /** Checks rows before they are written; throws a Problem to reject them. */
  check?(tx: Queryable, rows: ReadonlyMap<number, MemberRow<C>>): Promise<void>
  /** Encodes the member for answers. Secrets are always removed. */
  show?(row: MemberRow<C>): object
  /** Encodes the members of several rows that need more than the row, in their order. */
  showAll?(tx: Queryable, rows: readonly MemberRow<C>[]): Promise<object[]>
  readonly prepare?: Behaviour<C>['prepare']
}

/** Creates a behaviour that stores a class by its descriptor: a creation sets defaults, an update keeps other fields. */
export function rowBehaviour<C extends RowCls>(own: RowClass<C>): Behaviour<C> {
  const { cls, change = mergeRow, check, show = (row) => row, prepare } = own
  const { showAll = async (_, all) => all.map(show) } = own
  const table = memberTable(cls)
  const secrets = listSecrets(descriptorOf(cls).members[cls] as Schema)
  const write = async (tx: Queryable, rows: ReadonlyMap<number, MemberRow<C>>) => {
    await check?.(tx, rows)
    await table.write(tx, rows)
  }
  return {
    async readMembers(tx, ids) {
      const rows = await table.find(tx, ids)
      const shown = await showAll(tx, [...rows.values()])
      const members = (at: number) => ({ [cls]: withoutSecrets(shown[at] ?? {}, secrets) }) as Members<C>
      return new Map([...rows.keys()].map((id, at) => [id, members(at)]))
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

/** Returns the fields of the member named after a class that a request has. */
export function givenOf<C extends RowCls>(cls: C, members: Members<C>): Given<C> {
  return (members as { readonly [M in Cls]?: Given<C> })[cls] ?? {}
}

/** Returns the defaults of the contract. Required fields are null: every creation sets them. */
export function defaultRow<C extends RowCls>(cls: C): MemberRow<C> {
  const values = listColumns(cls).map(({ name, default: value }) => [name, value ?? null])
  return Object.fromEntries(values) as MemberRow<C>
}

/** Removes secrets; keeps null, which shows that a secret is not set. */
function withoutSecrets(shown: object, secrets: readonly string[]): object {
  const entries = Object.entries(shown)
  return Object.fromEntries(entries.filter(([name, value]) => value === null || !secrets.includes(name)))
}
