import { execute } from '../../support/sql.ts'
import { familyCpuSeconds, parentOf } from './cpu_time.ts'

/** Returns a function for the processor time of a database server; 0 for the embedded database. */
export async function watchDatabase(url: string | undefined): Promise<() => number> {
  if (url === undefined) return () => 0
  const [row] = await execute(url, 'select pg_backend_pid() as pid')
  const pid = await findPostmaster(url, Number(row?.pid))
  return () => familyCpuSeconds(pid)
}

async function findPostmaster(url: string, ended: number): Promise<number> {
  const rows = await execute(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  return rows.map(({ pid }) => parentOf(Number(pid))).find((parent) => parent > 0) ?? parentOf(ended)
}
