import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestServer } from './server.ts'

/** Names what lies in the data folder of a server that nobody works on, and that nothing there owns. */
export async function findLostFiles({
  dataFolder,
  database,
  running,
}: Pick<TestServer, 'dataFolder' | 'database' | 'running'>): Promise<string[]> {
  const list = (...parts: string[]) => {
    const folder = join(dataFolder, ...parts)
    return existsSync(folder) ? readdirSync(folder).map((name) => join(...parts, name)) : []
  }
  const owned = await database.query<{ digest: string }>(
    'select digest from upload union select digest from attachment',
  )
  const digests = new Set(owned.map(({ digest }) => digest))
  const lost: string[] = []
  for await (const { digest } of running.context.blobs.list()) if (!digests.has(digest)) lost.push(digest)
  return [...list('temporary'), ...list('files', 'incoming'), ...lost]
}
