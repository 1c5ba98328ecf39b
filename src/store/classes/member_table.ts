import type { Static, TSchema } from 'typebox'
import type { ClassTable } from '../../contract/descriptor.ts'
import { type Cls, type classes, clsNames, descriptorOf } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { type ColumnType, type RowTable, rowTable } from './row_table.ts'

/** Name of a class whose member is stored as one row per resource. */
export type RowCls = {
  [C in Cls]: (typeof classes)[C] extends { readonly table: ClassTable } ? C : never
}[Cls]

type MemberOf<C extends Cls> = (typeof classes)[C]['members'] extends infer M
  ? C extends keyof M
    ? M[C] extends TSchema
      ? Static<M[C]>
      : never
    : never
  : never

type OmittedOf<C extends Cls> = (typeof classes)[C] extends {
  readonly table: { readonly omit: readonly (infer Name)[] }
}
  ? Name
  : never

/** A stored row: the fields of the member named after the class, in the wire format. */
export type MemberRow<C extends RowCls> = {
  readonly [K in Exclude<keyof MemberOf<C>, OmittedOf<C>>]-?: Exclude<MemberOf<C>[K], undefined>
}

/** A column of the table of a class. */
export interface MemberColumn {
  readonly name: string
  readonly type: ColumnType
  readonly isNullable: boolean
  /** Whether the wire format of the id is `{id}` instead of a number. */
  readonly isIdObject: boolean
  /** Default value of a new resource; undefined if the field is required. */
  readonly default: unknown
}

/** Lists the columns of the table of a class. Their names and types follow from the fields of its member. */
export function listColumns(cls: RowCls): MemberColumn[] {
  const { table, members }: { table?: ClassTable; members: Readonly<Record<string, TSchema>> } =
    descriptorOf(cls)
  const { properties = {} } = members[cls] as Schema
  return Object.entries(properties)
    .filter(([name]) => !table?.omit?.includes(name))
    .map(([name, schema]) => ({ name, ...columnOf(schema), default: schema.default }))
}

function columnOf(schema: Schema): Pick<MemberColumn, 'type' | 'isNullable' | 'isIdObject'> {
  const branches = schema.anyOf ?? [schema]
  const [value, ...others] = branches.filter(({ type }) => type !== 'null')
  const isNullable = branches.some(({ type }) => type === 'null')
  if (value === undefined || others.length > 0) return { type: 'json', isNullable, isIdObject: false }
  const isIdObject = Object.keys(value.properties ?? {}).join() === 'id'
  return { type: isIdObject ? 'integer' : columnType(value), isNullable, isIdObject }
}

function columnType({ type }: Schema): ColumnType {
  if (type === 'string') return 'text'
  if (type === 'number') return 'double precision'
  return type === 'integer' || type === 'boolean' ? type : 'json'
}

const tables = new Map<RowCls, RowTable<object>>()

/** Returns the table of a class. */
export function memberTable<C extends RowCls>(cls: C): RowTable<MemberRow<C>> {
  const table = tables.get(cls) ?? createTable(cls)
  tables.set(cls, table)
  return table as RowTable<MemberRow<C>>
}

type Values = Readonly<Record<string, unknown>>

function createTable(cls: RowCls): RowTable<object> {
  const columns = listColumns(cls)
  const rows = rowTable<Values>(cls, Object.fromEntries(columns.map(({ name, type }) => [name, type])))
  const wrapped = columns.filter(({ isIdObject }) => isIdObject).map(({ name }) => name)
  if (wrapped.length === 0) return rows as RowTable<object>
  const convert = (row: Values, form: (value: unknown) => unknown): Values => ({
    ...row,
    ...Object.fromEntries(wrapped.map((name) => [name, form(row[name])])),
  })
  const toWire = (id: unknown) => (id === null ? null : { id })
  const toColumn = (value: unknown) => (value as { readonly id: unknown } | null)?.id ?? null
  return {
    async find(tx, ids) {
      const found = await rows.find(tx, ids)
      return new Map([...found].map(([id, row]) => [id, convert(row, toWire)]))
    },
    write: (tx, written) =>
      rows.write(tx, new Map([...written].map(([id, row]) => [id, convert(row as Values, toColumn)]))),
  }
}

/** Names of the classes whose member is stored as one row per resource. */
export const rowClsNames = clsNames.filter((cls) => descriptorOf(cls).table !== undefined) as RowCls[]
