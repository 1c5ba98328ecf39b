import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-undo-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...words: readonly string[]) =>
  runCommand(words, { cwd, env: { LANDFORM_SERVER: server.url, LANDFORM_PASSWORD: adminPassword } })

const bucket = 'papers: { cls: file_bucket, display_name: Papers, parent: root, files: [one.txt] }'
const other = 'others: { cls: resource_group, display_name: Others, parent: root }'

/** Applies a manifest with one resource below the root, and returns the entry of the journal. */
async function apply(block: string, ...words: readonly string[]): Promise<string> {
  await writeFile(
    join(cwd, 'a.yaml'),
    `manifest: a\nresources:\n  root: { existing: true, id: 0 }\n  ${block}\n`,
  )
  const applied = await run('apply', 'a.yaml', '--yes', ...words)
  expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  return /^\d+/m.exec((await run('history', '--limit', '1')).out)?.[0] ?? ''
}

it('an undo reports files that were replaced or deleted, and restores the rest only if that is allowed', async () => {
  await writeFile(join(cwd, 'one.txt'), 'one')
  await apply(bucket)
  await writeFile(join(cwd, 'one.txt'), 'two')
  const change = await apply(bucket)
  expect((await run('undo', change, '--plan')).err).toContain(
    `apply ${change} deleted data of "papers", which the server does not keep: the content of one.txt`,
  )
  const deletion = await apply(other, '--prune', '--allow-delete', 'papers')
  const refused = await run('undo', deletion, '--yes')
  expect([refused.exit, refused.err]).toEqual([
    1,
    expect.stringContaining(
      `error undo/data-lost: apply ${deletion} deleted data of "papers", which the server does not keep: 1 file`,
    ),
  ])
  expect((await run('undo', deletion, '--without-data', '--yes')).exit).toBe(0)
})
