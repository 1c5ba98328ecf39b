import type { Datatype } from '../contract/geometry.ts'
import type { Queryable } from '../database/database.ts'
import { columnTypes } from './feature/column.ts'
import { conversionOf } from './field_convert.ts'

/** A column of a filled table, and what is wanted of it. */
export interface ConformedColumn {
  readonly name: string
  /** Datatype it has; undefined where the table has no such column yet. */
  readonly from: Datatype | undefined
  readonly to: Datatype
}

/** A value that does not convert. */
export interface Misfit {
  readonly id: number
  readonly column: string
  readonly value: string
}

/** Values that do not convert: how many rows have some, and the first of each of the first rows. */
export interface Misfits {
  readonly count: number
  readonly first: readonly Misfit[]
}

/** Finds the rows of a table with values that do not convert, all columns in one look. */
export async function findMisfits(
  tx: Queryable,
  table: string,
  columns: readonly ConformedColumn[],
): Promise<Misfits> {
  const tests = misfitTests(columns)
  if (tests.length === 0) return { count: 0, first: [] }
  const isMisfit = tests.map(({ test }) => `(${test})`).join(' or ')
  const [sum] = await tx.query<{ count: number }>(
    `select count(*)::int as count from ${table} where ${isMisfit}`,
  )
  const count = sum?.count ?? 0
  if (count === 0) return { count, first: [] }
  const names = tests.map(({ name, test }) => `when ${test} then '${name}'`).join(' ')
  const values = tests.map(({ name, test }) => `when ${test} then ${name}::text`).join(' ')
  const first = await tx.query<Misfit>(
    `select id, case ${names} end as column, case ${values} end as value
       from ${table} where ${isMisfit} order by id limit 10`,
  )
  return { count, first }
}

/** Deletes the rows of a table with values that do not convert. */
export async function deleteMisfits(
  tx: Queryable,
  table: string,
  columns: readonly ConformedColumn[],
): Promise<void> {
  const isMisfit = misfitTests(columns).map(({ test }) => `(${test})`)
  await tx.query(`delete from ${table} where ${isMisfit.join(' or ')}`)
}

/** What a table is to have. */
export interface WantedColumns {
  readonly columns: readonly ConformedColumn[]
  /** Columns that nobody wants. */
  readonly dropped: readonly string[]
  /** Take empty texts for no value. */
  readonly blankIsNull: boolean
}

/** Gives a table the columns that are wanted, in one rewrite: converts, adds and drops. */
export async function conformColumns(tx: Queryable, table: string, wanted: WantedColumns): Promise<void> {
  const steps = [
    ...wanted.dropped.map((name) => `drop column ${name}`),
    ...wanted.columns.flatMap((column) => columnStep(column, wanted.blankIsNull)),
  ]
  if (steps.length > 0) await tx.query(`alter table ${table} ${steps.join(', ')}`)
}

function columnStep({ name, from, to }: ConformedColumn, blankIsNull: boolean): string[] {
  if (from === undefined) return [`add column ${name} ${columnTypes[to]}`]
  const isText = from === 'STRING' && to === 'STRING'
  if (isText && blankIsNull) return [`alter column ${name} type text using nullif(${name}, '')`]
  if (from === to) return []
  return [`alter column ${name} type ${columnTypes[to]} using ${conversionOf(from, to, name).value}`]
}

/** SQL that is true for values that do not convert, column by column. */
function misfitTests(
  columns: readonly ConformedColumn[],
): { readonly name: string; readonly test: string }[] {
  return columns.flatMap(({ name, from, to }) => {
    if (from === undefined || from === to) return []
    const { fits } = conversionOf(from, to, name)
    return fits === 'true' ? [] : [{ name, test: `${name} is not null and not (${fits})` }]
  })
}
