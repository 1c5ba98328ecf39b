import { isResourceId } from '../../contract/limits.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'

/** A table with one row a resource. Rows are objects whose members have the names of the columns. */
export interface RowTable<R extends object> {
  /** Reads rows by resource id, in one statement; ids without a row are left out. */
  find(tx: Queryable, ids: readonly number[]): Promise<Map<number, R>>
  /** Writes rows by resource id, in one statement, whether they have been there or not. */
  write(tx: Queryable, rows: ReadonlyMap<number, R>): Promise<void>
}

/** Type of a column; all of them come out of JSON and go into it unchanged. */
export type ColumnType = 'text' | 'integer' | 'double precision' | 'boolean' | 'json'

/** Describes a table with one row a resource: its name, and the types of its columns besides `resource_id`. */
export function rowTable<R extends object>(
  table: string,
  columns: { readonly [K in keyof R]-?: ColumnType },
): RowTable<R> {
  const names = Object.keys(columns).map(quoteName)
  const typed = Object.entries(columns).map(([name, type]) => `${quoteName(name)} ${type}`)
  const find = `select resource_id, ${names.join(', ')} from ${table} where resource_id = any($1::int[])`
  const write = `
    insert into ${table} (resource_id, ${names.join(', ')})
    select resource_id, ${names.join(', ')}
      from json_to_recordset($1::text::json) as r (resource_id int, ${typed.join(', ')})
    on conflict (resource_id) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`
  return {
    async find(tx, ids) {
      const known = ids.filter(isResourceId)
      const rows = await tx.query<R & { readonly resource_id: number }>(find, [known], { prepared: true })
      return new Map(rows.map(({ resource_id: id, ...row }) => [id, row as unknown as R]))
    },
    async write(tx, rows) {
      if (rows.size === 0) return
      const list = [...rows].map(([id, row]) => ({ ...row, resource_id: id }))
      await tx.query(write, [JSON.stringify(list)])
    },
  }
}
