import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-lost-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

/** Starts a proxy of the server that is gone after it forwarded so many creations. */
async function startProxy(creations: number): Promise<string> {
  let left = creations
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    if (method === 'POST' && url === '/api/resource/' && left-- <= 0) {
      proxy.close()
      proxy.closeAllConnections()
      return
    }
    const forwarded = request(new URL(url, server.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

it('stops when the server is gone, and counts what it did not try', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `lost${at}`)
  const blocks = names.map(
    (name) => `  ${name}: { cls: resource_group, parent: root, display_name: ${name} }`,
  )
  await writeFile(
    join(cwd, 'lost.yaml'),
    ['manifest: lost', 'resources:', '  root: { existing: true, id: 0 }', ...blocks, ''].join('\n'),
  )
  const env = { LANDFORM_SERVER: await startProxy(3), LANDFORM_PASSWORD: adminPassword }
  const ran = await runCommand(['apply', 'lost.yaml', '--yes', '--no-atomic', '--concurrency', '1'], {
    cwd,
    env,
  })
  expect(ran.exit).toBe(1)
  expect(ran.out).toMatch(
    /3 created\.\nFailed: 1\n {2}lost\d+ .*connection refused.*\n.*\nNot tried: 46, because the server cannot be reached\.\nTo resume: /,
  )
  expect(ran.err).not.toContain('skipped')
})
