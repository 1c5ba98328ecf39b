import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apply, plan, validate } from '../src/index.ts'
import { adminPassword, startTestServer, type TestServer } from './support/server.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  cwd = await mkdtemp(join(tmpdir(), 'landform-index-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true })
})

describe('the package', () => {
  it('exports validate, plan and apply', async () => {
    const text =
      'manifest: a\nresources:\n  top: { existing: true, id: 0, children: { a: { cls: CLS, display_name: A } } }\n'
    const credentials = { login: 'administrator', password: adminPassword }
    const options = { paths: ['a.yaml'], cwd, server: server.url, credentials }
    await writeFile(join(cwd, 'a.yaml'), text)
    expect((await validate(options)).issues[0]?.code).toBe('manifest/unknown-class')
    await expect(plan(options)).rejects.toMatchObject({ code: 'manifest/invalid', exit: 3 })
    await writeFile(join(cwd, 'a.yaml'), text.replace('CLS', 'resource_group'))
    expect((await plan(options)).changes).toMatchObject([{ action: 'create', key: 'a' }])
    expect((await apply(options)).outcomes).toMatchObject([{ outcome: 'created' }])
    expect((await plan(options)).changes).toEqual([])
  })
})
