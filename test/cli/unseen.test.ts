import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProxyOptions, startProxy, type TestProxy } from '../api/proxy.ts'
import { createGroup, rule } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, principalId, userPassword } from '../support/users.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let proxy: TestProxy
let fate: ProxyOptions['decide']
let cwd: string
let group: number

beforeAll(async () => {
  server = await startTestServer('postgres')
  proxy = await startProxy({ target: server.url, decide: (...asked) => fate?.(...asked) ?? 'pass' })
  cwd = await mkdtemp(join(tmpdir(), 'landform-unseen-'))
  const ada = await createUser(server.database, 'ada')
  const administrators = await principalId(server.database, 'administrators')
  const only = { propagate: false }
  group = await createGroup(server.admin, 0, { display_name: 'Shared', keyname: 'shared' })
  const put = (id: number, permissions: readonly object[]) =>
    server.admin('PUT', `/api/resource/${id}`, { resource: { permissions } })
  await put(0, [rule('allow', administrators), rule('allow resource.read', ada, only)])
  // She may read the group and put layers into it, and does not see what others have put there.
  await put(group, [
    rule('allow resource.read', ada, only),
    rule('allow resource.manage_children', ada, only),
    rule('allow', ada, { identity: 'vector_layer' }),
  ])
  const taken = { cls: 'webmap', parent: { id: group }, display_name: 'Theirs', keyname: 'taken' }
  await server.admin('POST', '/api/resource/', { resource: taken })
})

afterAll(async () => {
  await proxy.close()
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (words: string, env: Record<string, string> = {}) =>
  runCommand(words.split(' '), {
    cwd,
    env: { LANDFORM_SERVER: proxy.url, LANDFORM_USER: 'ada', LANDFORM_PASSWORD: userPassword, ...env },
  })

const layer = (name: string) =>
  `{ cls: vector_layer, display_name: ${name}, data: { source: points.geojson } }`
const write = async (children: readonly string[]) => {
  const feature = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } }
  const points = { type: 'FeatureCollection', features: [feature] }
  await writeFile(join(cwd, 'points.geojson'), JSON.stringify(points))
  const head = 'manifest: city\nresources:\n  root: { existing: true, id: 0 }\n'
  const shared = '  shared: { existing: true, parent: root }\n'
  await writeFile(join(cwd, 'city.yaml'), head + shared + children.map((line) => `  ${line}\n`).join(''))
}

const uploads = () => proxy.seen.filter((line) => /^(PUT|POST) .*(file_upload|prepared)/.test(line))

describe.each<[string, ProxyOptions['decide']]>([
  ['a landform server', () => 'pass'],
  ['a server without our routes', (_, path) => (path.includes('/landform/') ? 'unknown' : 'pass')],
])('an account with limited read permissions, on %s', (_, decide) => {
  it('does not get a plan to create resources that it cannot see, and uploads nothing', async () => {
    fate = decide
    await write([
      'city: { cls: resource_group, display_name: City, parent: root }',
      `roads: ${layer('Roads').replace('{', '{ parent: city,')}`,
    ])
    // The administrator has made it: she sees nothing of it.
    const admin = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
    if ((await run('plan city.yaml', admin)).out.includes('2 to create'))
      expect((await run('apply city.yaml --yes', admin)).exit).toBe(0)
    const before = uploads()
    const planned = await run('plan city.yaml')
    expect(planned).toMatchObject({
      exit: 1,
      out: expect.stringMatching(/ \? city .*\n.*\n {2}\? roads .*\n.*\n\nPlan for city: 2 unknown, 2 unch/),
      err: expect.stringMatching(/plan\/unknown: (?=.*"city")(?=.*"ada")(.|\n)*Use an account that has/),
    })
    expect((await run('apply city.yaml --yes')).exit).toBe(1)
    expect(uploads()).toEqual(before)
  })

  it('is told what it cannot compare of a resource that it can see', async () => {
    fate = decide
    const rule = '{ action: allow, principal: user:ada, scope: resource, permission: read, propagate: false }'
    await write([
      `known: { cls: resource_group, display_name: Known, parent: shared, description: D, permissions: [${rule}] }`,
      `bare: { cls: resource_group, display_name: Bare, parent: known, permissions: [${rule}] }`,
    ])
    const admin = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
    expect((await run('apply city.yaml --yes', admin)).exit).toBe(0)
    expect((await run('plan city.yaml', admin)).out).toContain('0 changes, 4 unchanged')
    const planned = await run('plan city.yaml')
    expect([planned.exit, planned.out]).toEqual([
      0,
      expect.stringMatching(
        / \? known .*\n +this account cannot compare description; the rest is unchanged\n(.|\n)*Plan for city: 1 unknown, 3 unchanged\./,
      ),
    ])
    const pulled = await run('pull city.yaml --dry-run')
    expect([pulled.exit, pulled.out, pulled.err]).toEqual([
      0,
      '',
      expect.stringMatching(
        /plan\/unknown: "known"(.|\n)*\nWhat this account cannot read is not compared\.\n$/,
      ),
    ])
  })

  it('creates resources in a group that it can see', async () => {
    fate = decide
    const key = `own_${decide?.('GET', '/landform/')}`
    await write([`${key}: ${layer(key).replace('{', '{ parent: shared,')}`])
    const applied = await run('apply city.yaml --yes')
    expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('1 created.')])
  })
})

describe('an account that may read resources, but not their metadata', () => {
  it('is told what a pull leaves out, by permission', async () => {
    fate = undefined
    const admin = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
    const rules = (scope: string) => [
      { action: 'allow', principal: 'user:ada', scope, permission: 'read', propagate: false },
    ]
    const codes = {
      ...{ cls: 'lookup_table', display_name: 'Codes', description: 'Hidden', protect: true },
      ...{ permissions: rules('resource'), lookup_table: { items: { A: 'Alpha' } } },
    }
    const own = { cls: 'resource_group', display_name: 'Half', resmeta: { origin: 'survey' } }
    const half = { ...own, permissions: rules('resource'), children: { codes } }
    const shared = { existing: true, permissions: { include: rules('datastruct') }, children: { half } }
    await writeFile(join(cwd, 'half.yaml'), JSON.stringify({ manifest: 'half', resources: { shared } }))
    expect((await run('apply half.yaml --yes', admin)).exit).toBe(0)

    const pulled = await run('pull --root half --into half --force')
    expect(pulled.exit).toBe(0)
    expect(pulled.err).toMatch(
      /description, protect, resmeta of 2 resources are not written, because this account lacks metadata\.read: half, codes\n.*leave them as they are/,
    )
    expect(pulled.err.match(/metadata\.read:/g)).toHaveLength(1)
    // What she cannot read is unknown, also to the next plan, whoever makes it.
    for (const account of [{}, admin])
      expect((await run('plan half/half.yaml', account)).out).toMatch(/Plan for half: (0 changes|. unknown)/)
    const path = join(cwd, 'half/half.yaml')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('display_name: Half', 'display_name: Whole'))
    const applied = await run('apply half/half.yaml --yes', admin)
    expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('1 updated.')])
    // The manifest is still recorded to set them.
    await writeFile(path, text.replaceAll(/\n +unmanaged:(\n +- .*)+/g, '').replace('Half', 'Whole'))
    const reset = await run('plan half/half.yaml', admin)
    const edits = ['- allow user:ada datastruct.read', 'resmeta.origin  -', 'description  "Hidden" → null']
    for (const edit of [...edits, 'protect  true → false']) expect(reset.out).toContain(edit)
  })
})

describe('an account that sees only some resources of a manifest', () => {
  it('pulls a manifest whose applies delete none of the others, whoever makes them, unless they are named', async () => {
    fate = undefined
    const admin = { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword }
    const read = (scope: string) => ({
      ...{ action: 'allow', principal: 'user:ada', scope, permission: 'read', propagate: false },
    })
    const seen = { cls: 'resource_group', permissions: ['resource', 'metadata'].map(read) }
    const hidden = { cls: 'resource_group', display_name: 'Hidden' }
    const children = {
      inner: { ...seen, display_name: 'Inner', children: { hidden } },
      secret: { ...hidden, display_name: 'Secret' },
    }
    const resources = {
      shared: { existing: true, children: { partly: { ...seen, display_name: 'Partly', children } } },
    }
    await writeFile(join(cwd, 'partly.yaml'), JSON.stringify({ manifest: 'partly', resources }))
    expect((await run('apply partly.yaml --yes', admin)).exit).toBe(0)

    const pulled = await run('pull --root partly --into partly --force')
    expect([pulled.exit, pulled.err]).toEqual([
      0,
      expect.stringContaining('some below "Partly" may be missing'),
    ])
    const path = 'partly/partly.yaml'
    expect(await readFile(join(cwd, path), 'utf8')).toMatch(/unmanaged:\n +- children\n/)
    const planned = await run(`plan ${path} --prune --fuse 1 --exit-code`, admin)
    expect([planned.exit, planned.out, planned.err]).toEqual([
      0,
      expect.stringContaining('0 changes'),
      expect.stringMatching(
        /plan\/undescribed: "(hidden|secret)" \(resource_group\) exists on the server, but is not in the manifest, which leaves what it does not describe below "partly"/,
      ),
    ])
    expect(planned.err.match(/plan\/undescribed/g)).toHaveLength(2)
    const named = await run(`plan ${path} --prune --fuse 1 --allow-delete hidden`, admin)
    expect([named.out, named.err]).toEqual([
      expect.stringContaining('1 to delete'),
      expect.not.stringContaining('"hidden"'),
    ])
    // Without the entry, the manifest is complete again.
    const text = await readFile(join(cwd, path), 'utf8')
    await writeFile(join(cwd, path), text.replaceAll(/\n +unmanaged:(\n +- .*)+/g, ''))
    expect((await run(`plan ${path} --prune --fuse 1`, admin)).out).toContain('2 to delete')
  })
})

describe('an account that may change a resource, but not its metadata', () => {
  it('is refused before anything is changed, because nothing would record what it sets', async () => {
    fate = undefined
    const ada = await principalId(server.database, 'ada')
    const ids = await Promise.all(
      ['Noted', 'Plain'].map(async (name) => {
        const id = await createGroup(server.admin, group, { display_name: name, keyname: name.toLowerCase() })
        const kept = name === 'Noted' ? [rule('allow metadata.write', ada)] : []
        const permissions = [...kept, ...['read', 'update'].map((one) => rule(`allow resource.${one}`, ada))]
        const more = rule('allow metadata.read', ada)
        await server.admin('PUT', `/api/resource/${id}`, {
          resource: { permissions: [...permissions, more] },
        })
        return id
      }),
    )
    const names = () =>
      Promise.all(
        ids.map(async (id) => {
          const answer = await server.admin('GET', `/api/resource/${id}`)
          return (await answer.json<{ resource: { display_name: string } }>()).resource.display_name
        }),
      )
    await write(['noted', 'plain'].map((key) => `${key}: { existing: true, display_name: New ${key} }`))
    const refused = await run('apply city.yaml --yes --no-atomic')
    expect([refused.exit, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /city.yaml:6.* plan\/unwritable: user "ada" cannot write the metadata of "plain"/,
      ),
    ])
    expect(refused.err).not.toContain('"noted"')
    expect(await names()).toEqual(['Noted', 'Plain'])
    await write(['noted: { existing: true, display_name: New noted }'])
    expect((await run('apply city.yaml --yes')).exit).toBe(0)
    expect(await names()).toEqual(['New noted', 'Plain'])
  })
})

describe('a key of a resource that the account cannot see', () => {
  it('is reported before any upload, if the server supports it', async () => {
    fate = undefined
    await write([`taken: ${layer('Mine').replace('{', '{ parent: shared,')}`])
    const before = uploads()
    const refused = await run('apply city.yaml --yes --json')
    expect(refused.exit).toBe(1)
    const events = refused.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'unknown', key: 'taken', reason: expect.stringContaining('exists') }),
    )
    expect(events.at(-1)).toMatchObject({ type: 'summary', create: 0, unknown: 1 })
    expect(uploads()).toEqual(before)
  })
})

describe('a guest', () => {
  it('is asked to sign in', async () => {
    await write([])
    await writeFile(
      join(cwd, 'points.yaml'),
      'pipeline: points\nfrom: { file: points.geojson }\nto: { layer: taken }\n',
    )
    const env = { LANDFORM_USER: '', LANDFORM_PASSWORD: '' }
    for (const command of ['plan city.yaml', 'apply city.yaml --yes', 'run points.yaml'])
      expect(await run(command, env)).toMatchObject({
        exit: 1,
        err: expect.stringMatching(/access\/denied(.|\n)*set LANDFORM_USER and LANDFORM_PASSWORD/),
      })
  })
})
