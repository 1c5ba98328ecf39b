import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  cwd = await mkdtemp(join(tmpdir(), 'landform-saved-'))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const write = (name: string, text: string) => writeFile(join(cwd, name), text)

async function run(
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
  folder = cwd,
): Promise<Ran> {
  const login = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
  return runCommand(words, { cwd: folder, env: { LANDFORM_SERVER: server.url, ...login, ...more } })
}

const point = (name: string) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { name }, geometry: { type: 'Point', coordinates: [1, 2] } }],
  })

const manifest = (id: string, name: string) => `manifest: ${id}
resources:
  root:
    existing: true
    id: 0
    children:
      ${id}:
        cls: resource_group
        display_name: ${id} ${name}
        children:
          ${id}_layer:
            cls: vector_layer
            display_name: Layer
            data: { source: ${id}.geojson }
          ${id}_wms:
            cls: wmsclient_connection
            display_name: WMS
            wmsclient_connection:
              url: http://127.0.0.1:1/
              version: 1.3.0
              username: ada
              password: "\${env.WMS_PASSWORD:-opensesame}"
`

/** Writes a manifest with its data, and saves its plan. */
async function save(id: string, name = 'one', more: readonly string[] = []): Promise<Ran> {
  await write(`${id}.yaml`, manifest(id, name))
  await write(`${id}.geojson`, point(name))
  return run(['plan', `${id}.yaml`, '--out', `${id}.plan`, ...more])
}

async function rename(keyname: string, displayName: string): Promise<void> {
  const found = await server.admin('GET', `/api/resource/search/?keyname=${keyname}`)
  const id = (await found.json<{ resource: { id: number } }[]>())[0]?.resource.id
  await server.admin('PUT', `/api/resource/${id}`, { resource: { display_name: displayName } })
}

describe('plan', () => {
  it('writes Markdown, and a page beside it', async () => {
    await write('shown.yaml', manifest('shown', 'one'))
    await write('shown.geojson', point('one'))
    const shown = await run(['plan', 'shown.yaml', '--markdown', '--html', 'plan.html', '--exit-code'])
    expect([shown.exit, shown.err]).toEqual([2, ''])
    expect(shown.out).toMatch(/^### Plan for shown: 3 to create, 1 unchanged\.\n\nManifest: `shown`/)
    expect(shown.out).not.toContain('opensesame')
    const page = await readFile(join(cwd, 'plan.html'), 'utf8')
    expect(page).toContain('<code>shown_layer</code>')
    expect(page).not.toContain('opensesame')
    expect((await run(['plan', 'shown.yaml', '--markdown', '--json'])).exit).toBe(3)
    expect((await run(['plan', 'shown.yaml', '--html', 'no/such/plan.html'])).exit).toBe(3)
  })
})

it('replaces no files of other kinds', async () => {
  await write('mine.yaml', manifest('mine', 'one'))
  await write('mine.geojson', point('one'))
  const before = await readFile(join(cwd, 'mine.yaml'), 'utf8')
  for (const words of [
    ['plan', 'mine.yaml', '--out', 'mine.yaml'],
    ['plan', 'mine.yaml', '--html', 'mine.yaml'],
    ['capture', '--out', 'mine.yaml'],
    ['plan', 'mine.yaml', '--out', '.'],
  ])
    expect((await run(words)).exit, words.join(' ')).toBe(3)
  expect(await readFile(join(cwd, 'mine.yaml'), 'utf8')).toBe(before)
  for (const words of [
    ['--out', 'mine.plan'],
    ['--out', 'mine.plan'],
    ['--html', 'a.html'],
    ['--html', 'a.html'],
  ])
    expect((await run(['plan', 'mine.yaml', ...words])).exit, words.join(' ')).toBe(0)
  for (const _ of [1, 2]) expect((await run(['capture', '--out', 'mine.capture'])).exit).toBe(0)
})

describe('a saved plan', () => {
  it('is applied as it was saved, without confirmation', async () => {
    const saved = await save('good')
    expect([saved.exit, saved.err]).toEqual([
      0,
      'Saved in good.plan. To apply it: landform apply --plan good.plan\n',
    ])
    const applied = await run(['apply', '--plan', 'good.plan'])
    expect([applied.exit, applied.out.startsWith(saved.out.trimEnd())]).toEqual([0, true])
    expect(applied.out).toContain('3 created')
    expect((await run(['plan', 'good.yaml', '--exit-code'])).exit).toBe(0)
    const again = await run(['apply', '--plan', 'good.plan'])
    expect([again.exit, again.err]).toEqual([
      1,
      expect.stringContaining('"good_wms" no longer has a change: the plan was to create it'),
    ])
  })

  it('has no secrets, and sends the current ones', async () => {
    await save('quiet')
    const text = await readFile(join(cwd, 'quiet.plan'), 'utf8')
    expect(text).toContain('"quiet_wms"')
    expect(text).not.toContain('opensesame')
    const applied = await run(['apply', '--plan', 'quiet.plan'], { WMS_PASSWORD: 'other' })
    expect(applied.exit).toBe(0)
  })

  it('names the resources that have changed on the server', async () => {
    await save('busy')
    await run(['apply', '--plan', 'busy.plan'])
    await save('busy', 'two')
    await rename('busy', 'by hand')
    const refused = await run(['apply', '--plan', 'busy.plan'])
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /"busy" was changed on the server 1 time since(.|\n)*The saved plan is stale: 1 difference/,
      ),
    ])
    expect((await run(['plan', 'busy.yaml'])).out).toContain('"by hand" → "busy two"')
  })

  it('names the files that have changed, and ignores unrelated resources', async () => {
    await save('files')
    await write('files.geojson', point('new'))
    await write('files.yaml', manifest('files', 'three'))
    const refused = await run(['apply', '--plan', 'files.plan'])
    expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('"files.geojson" has changed')])
    expect(refused.err).toContain('"files.yaml" has changed')
    expect(refused.err).toContain('the change of "files" differs')
    await save('files')
    await save('unrelated')
    await run(['apply', '--plan', 'unrelated.plan'])
    expect((await run(['apply', '--plan', 'files.plan'])).exit).toBe(0)
  })

  it('names files of users and groups that have changed', async () => {
    await mkdir(join(cwd, 'staff'))
    const users = (more: string) =>
      write('staff/users.yaml', `manifest: staff\nusers: { administrator: ${more} }\n`)
    await write('staff/tree.yaml', 'manifest: staff\nresources: { root: { existing: true, id: 0 } }\n')
    await users('{}')
    expect((await run(['plan', 'staff', '--out', 'staff.plan'])).exit).toBe(0)
    await users('{ description: Changed }')
    const stale = await run(['apply', '--plan', 'staff.plan'])
    expect([stale.exit, stale.err]).toEqual([
      1,
      expect.stringContaining('the file "staff/users.yaml" has changed since the plan was saved'),
    ])
    // Options of the plan, even if they are as saved or the defaults.
    const options = await run(['apply', '--plan', 'staff.plan', '--fuse', '10%', '--prune'])
    expect([options.exit, options.err]).toEqual([3, expect.stringContaining('remove --prune, --fuse.')])
  })

  it('names attachments that have changed', async () => {
    const attached = manifest('attached', 'one').replace(
      'data: { source: attached.geojson }',
      'data: { source: attached.geojson }\n            features: { key: name, attachments: { one: [photo.jpg] } }',
    )
    await write('attached.yaml', attached)
    await write('attached.geojson', point('one'))
    await write('photo.jpg', 'first')
    expect((await run(['plan', 'attached.yaml', '--out', 'attached.plan'])).exit).toBe(0)
    await write('photo.jpg', 'other')
    const refused = await run(['apply', '--plan', 'attached.plan'])
    expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining('"photo.jpg" has changed')])
    expect(refused.err).toContain('the change of "attached_layer" differs')
  })

  it('has the manifest of a folder, also of the current one', async () => {
    await mkdir(join(cwd, 'here'))
    await write('here/here.yaml', manifest('here', 'one'))
    await write('here/here.geojson', point('one'))
    const inFolder = (...words: string[]) => run(words, {}, join(cwd, 'here'))
    expect((await inFolder('plan', '.', '--out', 'here.plan')).exit).toBe(0)
    await write('here/here.geojson', point('two'))
    const refused = await inFolder('apply', '--plan', 'here.plan')
    expect(refused.err).toContain(
      'error apply/stale: the file "here.geojson" has changed since the plan was saved',
    )
    await write('here/here.geojson', point('one'))
    const applied = await inFolder('apply', '--plan', 'here.plan')
    expect([applied.exit, applied.err]).toEqual([0, expect.not.stringContaining('error')])
  })

  it('is refused for another server, other options and other files', async () => {
    await save('strict')
    const plan = ['apply', '--plan', 'strict.plan']
    const text = await readFile(join(cwd, 'strict.plan'), 'utf8')
    await write('elsewhere.plan', text.replace(server.url, 'http://127.0.0.1:1'))
    await write('newer.plan', text.replace('"landform_plan": 2', '"landform_plan": 3'))
    await write('bare.plan', '{"landform_plan":2}')
    const cases = [
      ['apply', '--plan', 'bare.plan'],
      [...plan, 'strict.yaml'],
      [...plan, '--prune'],
      ['apply', '--plan', 'elsewhere.plan'],
      ['apply', '--plan', 'newer.plan'],
      ['apply', '--plan', 'strict.yaml'],
      ['apply', '--plan', 'strict.geojson'],
      ['apply', '--plan', 'absent.plan'],
      ['apply', '--plan', '.'],
    ]
    for (const words of cases) {
      const refused = await run(words)
      expect([refused.exit, refused.out], words.join(' ')).toEqual([3, ''])
    }
    expect((await run(plan)).exit).toBe(0)
    const inFolder = await run(['plan', 'strict.yaml', '--out', '.'])
    expect([inFolder.exit, inFolder.err]).toEqual([3, expect.stringContaining('"." is a folder.')])
  })

  it('keeps its conditions and permissions, and is not saved with errors', async () => {
    await save('allowed')
    await run(['apply', '--plan', 'allowed.plan'])
    await write('allowed.yaml', 'manifest: allowed\nresources: { root: { existing: true, id: 0 } }\n')
    const failed = await run(['plan', 'allowed.yaml', '--prune', '--out', 'failed.plan'])
    expect(failed.exit).toBe(1)
    await expect(readFile(join(cwd, 'failed.plan'))).rejects.toThrow()
    const allowed = ['--prune', '--allow-delete', 'allowed']
    expect((await run(['plan', 'allowed.yaml', ...allowed, '--out', 'allowed.plan'])).exit).toBe(0)
    expect((await run(['apply', '--plan', 'allowed.plan'])).out).toContain('1 deleted')
  })
})
