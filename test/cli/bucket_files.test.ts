import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProxy, type TestProxy } from '../api/proxy.ts'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe.each(oneDriver)('files of a bucket on %s', (driver) => {
  let server: TestServer
  let proxy: TestProxy
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    proxy = await startProxy({ target: server.url })
    cwd = await mkdtemp(join(tmpdir(), 'landform-bucket-'))
    await mkdir(join(cwd, 'plans'))
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => {
    const env = administratorEnv(proxy.url)
    return runCommand(words, { cwd, env })
  }
  const at = (name: string) => join(cwd, 'plans', name)
  const write = (files: readonly object[] = []) => {
    const bucket = { cls: 'file_bucket', parent: 'root', display_name: 'Plans' }
    const resources = {
      root: { existing: true, id: 0 },
      plans: { ...bucket, files: ['plans/*.txt', ...files] },
    }
    return writeFile(join(cwd, 'm.yaml'), JSON.stringify({ manifest: 'plans', resources }))
  }
  /** Applies, and returns the output with the number of uploads; the next plan is empty. */
  const apply = async () => {
    const before = countUploads()
    const applied = await run('apply', 'm.yaml', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    expect((await run('plan', 'm.yaml')).out).toContain('0 changes')
    return { out: applied.out, uploads: countUploads() - before }
  }
  const countUploads = () => proxy.seen.filter((one) => /^(POST|PUT) .*\/file_upload\//.test(one)).length
  const listFiles = async () => {
    const [found] = await (
      await server.admin('GET', '/api/resource/search/?keyname=plans&serialization=full')
    ).json<{ resource: { id: number }; file_bucket: { files: { name: string; mime_type: string }[] } }[]>()
    const files = await Promise.all(
      (found?.file_bucket.files ?? []).map(async ({ name, mime_type }) => {
        const path = `/api/resource/${found?.resource.id}/file/${encodeURIComponent(name)}`
        return [name, mime_type, await (await server.admin('GET', path)).text()]
      }),
    )
    return files.sort()
  }

  test('are shown and sent by name: renamed and copied files and new types send no content', async () => {
    for (const name of ['a', 'b', 'c']) await writeFile(at(`${name}.txt`), `plan ${name}`)
    await write()
    expect((await apply()).uploads).toBe(3)
    await rename(at('a.txt'), at('north.txt'))
    await writeFile(at('c.txt'), 'plan c, changed')
    await writeFile(at('d.txt'), 'plan d')
    await rename(at('b.txt'), join(cwd, 'b.txt'))
    await write([{ path: 'b.txt', name: 'b.md' }])
    const { out, uploads } = await apply()
    expect(out).toContain('files  ~ north.txt renamed from a.txt (6 B)')
    expect(out).toContain('files  ~ b.md renamed from b.txt (6 B)')
    expect(out).toContain('files  ~ c.txt (6 B → 15 B)')
    expect(out).toContain('files  + d.txt (6 B)')
    expect(out).not.toContain('files  -')
    expect(uploads).toBe(2)
    expect(await listFiles()).toEqual([
      ['b.md', 'text/markdown', 'plan b'],
      ['c.txt', 'text/plain', 'plan c, changed'],
      ['d.txt', 'text/plain', 'plan d'],
      ['north.txt', 'text/plain', 'plan a'],
    ])
    await writeFile(at('copy.txt'), 'plan a')
    await write([{ path: 'b.txt', name: 'b.md', mime_type: 'text/html' }])
    const copied = await apply()
    expect(copied.out).toContain('files  + copy.txt (6 B)')
    expect(copied.uploads).toBe(0)
    expect((await listFiles()).slice(0, 3)).toEqual([
      ['b.md', 'text/html', 'plan b'],
      ['c.txt', 'text/plain', 'plan c, changed'],
      ['copy.txt', 'text/plain', 'plan a'],
    ])
  })

  test('get their names back by an undo', async () => {
    const before = await listFiles()
    await rename(at('copy.txt'), at('south.txt'))
    await rename(at('d.txt'), at('east.txt'))
    expect((await apply()).uploads).toBe(0)
    const entry = /^\d+/m.exec((await run('history', '--limit', '1')).out)?.[0] ?? ''
    const undone = await run('undo', entry, '--yes')
    expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
    expect(undone.out).toContain('files  ~ d.txt renamed from east.txt (6 B)')
    expect(await listFiles()).toEqual(before)
  })

  test('stay when the manifest no longer lists them, and each plan says so until --prune deletes them', async () => {
    const text = await readFile(join(cwd, 'm.yaml'), 'utf8')
    const manifest = JSON.parse(text) as { resources: Record<string, { files?: unknown }> }
    const { files: _, ...block } = manifest.resources.plans ?? {}
    const without = { ...manifest, resources: { ...manifest.resources, plans: block } }
    await writeFile(join(cwd, 'm.yaml'), JSON.stringify(without))
    await apply()
    const left = await run('plan', 'm.yaml', '--exit-code')
    expect([left.exit, left.err]).toEqual([
      2,
      expect.stringMatching(/plan\/left-behind: "plans" still has \d files/),
    ])
    const pruned = await run('apply', 'm.yaml', '--yes', '--prune', '--allow-loss', 'plans')
    expect([pruned.exit, await listFiles()]).toEqual([0, []])
    expect((await run('plan', 'm.yaml', '--exit-code')).exit).toBe(0)
  })
})
