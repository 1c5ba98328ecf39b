import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestServer } from './server.ts'

/** Lists unreferenced files in the data folder of an idle server. */
export async function findUnreferencedFiles({
  dataFolder,
  database,
  running,
}: Pick<TestServer, 'dataFolder' | 'database' | 'running'>): Promise<string[]> {
  const list = (...parts: string[]) => {
    const folder = join(dataFolder, ...parts)
    return existsSync(folder) ? readdirSync(folder).map((name) => join(...parts, name)) : []
  }
  const referenced = await database.query<{ digest: string }>(
    'select digest from upload union select digest from attachment union select digest from kept_attachment',
  )
  const digests = new Set(referenced.map(({ digest }) => digest))
  const unreferenced: string[] = []
  for await (const { digest } of running.context.blobs.list())
    if (!digests.has(digest)) unreferenced.push(digest)
  return [...list('temporary'), ...list('files', 'incoming'), ...unreferenced]
}
