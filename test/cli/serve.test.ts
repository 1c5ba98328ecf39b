import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readServerConfig, startServer } from '../../src/cli/commands/serve.ts'
import { usePostgres } from '../support/postgres.ts'
import { createAsk } from '../support/server.ts'
import { uploads } from '../support/tus.ts'

const database = usePostgres()

it('limits bodies and uploads to the sizes of its options', async () => {
  const data = await mkdtemp(join(tmpdir(), 'landform-cli-'))
  const options = {
    listen: '127.0.0.1:0',
    data,
    database: database.url,
    logLevel: 'error',
    bodyLimit: '1KiB',
  }
  const env = { LANDFORM_UPLOAD_LIMIT: '2KiB', LANDFORM_BODY_LIMIT: '9KiB' }
  const server = await startServer(readServerConfig(options, { env, cwd: '/' }))
  try {
    const ask = createAsk(server.url, {})
    const sendBytes = async (method: string, path: string, sizeBytes: number) =>
      (await ask(method, path, 'x'.repeat(sizeBytes))).status
    expect(await sendBytes('PUT', uploads, 2048)).toBe(200)
    expect(await sendBytes('PUT', uploads, 2049)).toBe(413)
    expect(await sendBytes('POST', '/api/resource/', 1024)).toBe(400)
    expect(await sendBytes('POST', '/api/resource/', 1025)).toBe(413)
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
})
