import { isResourceId } from '../../contract/limits.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'

/** A table with one row per resource. Rows are objects with the column names as members. */
export interface RowTable<R extends object> {
  /** Reads rows by resource id, in one statement; omits ids without a row. */
  find(tx: Queryable, ids: readonly number[]): Promise<Map<number, R>>
  /** Inserts or updates rows by resource id, in one statement. */
  write(tx: Queryable, rows: ReadonlyMap<number, R>): Promise<void>
}

/** Type of a column; values of all types are converted to JSON and back without loss. */
export type ColumnType = 'text' | 'integer' | 'double precision' | 'boolean' | 'json'

/** Creates a table with one row per resource from its name and the types of its columns besides `resource_id`. */
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
