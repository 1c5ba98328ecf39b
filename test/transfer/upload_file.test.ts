import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/api.ts'
import { digestFile, uploadFile } from '../../src/transfer/upload_file.ts'
import { openUploadMemory } from '../../src/transfer/upload_memory.ts'
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
  it('uploads a file unchanged, reports progress, and returns the digest', async () => {
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

  it('sends a file again after a connection failure, whether the server received it or not', async () => {
    const fates = ['cut after', 'cut before', 'pass'] as const
    let uploads = 0
    const decide = (method: string) => (method === 'PUT' ? (fates[uploads++] ?? 'pass') : 'pass')
    const proxy = await startProxy({ target: server.url, decide })
    const api = createApi({ url: proxy.url, credentials })
    const file = await uploadFile(api, { path: join(folder, 'Straße 1.bin') })
    expect(file).toMatchObject({ sha256, upload: { size: bytes.length } })
    expect(uploads).toBe(3)
    await api.close()
    await proxy.close()
  })

  it('reports a connection failure, and leaves no upload behind', async () => {
    const proxy = await startProxy({ target: server.url, decide: () => 'cut before' })
    const api = createApi({
      url: proxy.url,
      credentials,
      retry: { times: 0, firstDelayMs: 1, maxDelayMs: 1 },
    })
    const sent = uploadFile(api, { path: join(folder, 'Straße 1.bin') })
    await expect(sent).rejects.toMatchObject({ code: 'http/unreachable' })
    await api.close()
    await proxy.close()
  })

  it('names a path that does not exist or is not a file', async () => {
    const api = createApi({ url: server.url, credentials })
    await expect(uploadFile(api, { path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'file/not-found',
    })
    await expect(uploadFile(api, { path: folder })).rejects.toMatchObject({ code: 'file/unreadable' })
    await api.close()
  })
})

describe('uploadFile of a large file', () => {
  const path = () => join(folder, 'Straße 1.bin')
  const quick = { times: 0, firstDelayMs: 1, maxDelayMs: 1 }
  const sent = { sha256, sizeBytes: bytes.length, upload: { name: 'Straße 1.bin', size: bytes.length } }
  const parts = { fromBytes: 1_000_000, partBytes: 500_000 }
  const downloaded = async (id: string) => {
    const { digest } = (
      await server.database.query<{ digest: string }>('select digest from upload where id = $1', [id])
    )[0] as { digest: string }
    return digest
  }

  it('resumes after a connection failure, whether the server received the part or not', async () => {
    let patches = 0
    const proxy = await startProxy({
      target: server.url,
      decide: (method) => {
        if (method !== 'PATCH') return 'pass'
        patches += 1
        return patches === 2 ? 'cut after' : patches === 4 ? 'cut before' : 'pass'
      },
    })
    const api = createApi({ url: proxy.url, credentials, retry: quick })
    const file = await uploadFile(api, { path: path(), parts })
    expect(file).toMatchObject(sent)
    expect(await downloaded(file.upload.id)).toBe(sha256)
    // Four parts, one of them twice, and an answer that was lost.
    expect(patches).toBe(5)
    expect(proxy.seen.filter((line) => line.startsWith('HEAD'))).toHaveLength(2)
    await api.close()
    await proxy.close()
  })

  it('resumes the upload of an aborted run, unless the file has changed', async () => {
    const memory = openUploadMemory(join(folder, 'memory'))
    let patches = 0
    const broken = await startProxy({
      target: server.url,
      decide: (method) => {
        patches += method === 'PATCH' ? 1 : 0
        return patches > 2 ? 'cut before' : 'pass'
      },
    })
    const first = createApi({ url: broken.url, credentials, retry: quick })
    const died = uploadFile(first, { path: path(), parts: { ...parts, memory } })
    await expect(died).rejects.toMatchObject({ code: 'http/unreachable' })
    await first.close()
    await broken.close()
    expect(await memory.find(broken.url, [path()])).toMatch(/^[0-9a-f]{32}$/)
    const told: number[] = []
    const api = createApi({ url: server.url, credentials })
    await memory.keep(server.url, [path()], (await memory.find(broken.url, [path()])) ?? '')
    const again = { path: path(), parts: { ...parts, memory }, onProgress: (n: number) => told.push(n) }
    expect(await uploadFile(api, again)).toMatchObject(sent)
    expect(told[0]).toBeGreaterThan(1_000_000)
    await writeFile(path(), bytes)
    expect(await memory.find(server.url, [path()])).toBeUndefined()
    await api.close()
  })

  it('is uploaded in one request if the server does not support parts', async () => {
    const proxy = await startProxy({
      target: server.url,
      decide: (method) => (method === 'POST' ? 'unknown' : 'pass'),
    })
    const api = createApi({ url: proxy.url, credentials })
    expect(await uploadFile(api, { path: path(), parts })).toMatchObject(sent)
    expect(proxy.seen.at(-1)).toMatch(/^PUT /)
    await api.close()
    await proxy.close()
  })
})

describe('digestFile', () => {
  it('returns the digest and size of a file', async () => {
    expect(await digestFile(join(folder, 'Straße 1.bin'))).toEqual({ sha256, sizeBytes: bytes.length })
    await expect(digestFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'file/not-found' })
  })
})
