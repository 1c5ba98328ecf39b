import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/api.ts'
import { digestFile, uploadFile } from '../../src/transfer/upload.ts'
import { startProxy } from '../api/proxy.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let folder: string
const bytes = Buffer.from('landform '.repeat(200_000))
const sha256 = createHash('sha256').update(bytes).digest('hex')

beforeAll(async () => {
  server = await startTestServer('pglite')
  folder = await mkdtemp(join(tmpdir(), 'landform-upload-'))
  await writeFile(join(folder, 'Straße 1.bin'), bytes)
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const credentials = { login: 'administrator', password: adminPassword }

describe('uploadFile', () => {
  it('sends a file as it is, tells how far it is, and gives its digest', async () => {
    const api = createApi({ url: server.url, credentials })
    const told: number[] = []
    const path = join(folder, 'Straße 1.bin')
    const file = await uploadFile(api, { path, onProgress: (sent) => told.push(sent) })
    expect(file).toMatchObject({
      sha256,
      sizeBytes: bytes.length,
      upload: { name: 'Straße 1.bin', size: bytes.length },
    })
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(bytes.length)
    await api.close()
  })

  it('says that the connection was cut, and leaves nothing that counts as an upload', async () => {
    const proxy = await startProxy({ target: server.url, decide: () => 'cut before' })
    const api = createApi({
      url: proxy.url,
      credentials,
      retry: { times: 0, firstPauseMs: 1, longestPauseMs: 1 },
    })
    const sent = uploadFile(api, { path: join(folder, 'Straße 1.bin') })
    await expect(sent).rejects.toMatchObject({ code: 'http/unreachable' })
    await api.close()
    await proxy.close()
  })

  it('says which file is missing, or is none', async () => {
    const api = createApi({ url: server.url, credentials })
    await expect(uploadFile(api, { path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'file/not-found',
    })
    await expect(uploadFile(api, { path: folder })).rejects.toMatchObject({ code: 'file/unreadable' })
    await api.close()
  })
})

describe('digestFile', () => {
  it('gives the digest and size of a file', async () => {
    expect(await digestFile(join(folder, 'Straße 1.bin'))).toEqual({ sha256, sizeBytes: bytes.length })
    await expect(digestFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'file/not-found' })
  })
})
