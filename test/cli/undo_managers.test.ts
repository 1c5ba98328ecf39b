import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGroup, rule } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, userPassword } from '../support/users.ts'
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

/** Runs a command that succeeds, and returns its output and the last entry of the journal. */
async function done(...words: readonly string[]): Promise<{ out: string; entry: string }> {
  const ran = await run(...words)
  expect([ran.exit, ran.exit === 0 ? '' : ran.err]).toEqual([0, ''])
  const [last] = await (await server.admin('GET', '/api/component/landform/journal/?limit=1')).json<
    { id: number }[]
  >()
  return { out: ran.out, entry: String(last?.id) }
}

async function apply(id: string, blocks: readonly string[], ...words: readonly string[]) {
  const lines = ['root: { existing: true, id: 0 }', ...blocks].map((line) => `  ${line}`)
  await writeFile(join(cwd, `${id}.yaml`), [`manifest: ${id}`, 'resources:', ...lines, ''].join('\n'))
  return done('apply', `${id}.yaml`, '--yes', ...words)
}

/** Keyname and manager of the resources below the root, by display name. */
async function readManagers(): Promise<Record<string, unknown>> {
  const found = await (await server.admin('GET', '/api/resource/search/?serialization=full')).json<
    {
      resource: { id: number; keyname: string | null; display_name: string }
      resmeta: { items: Record<string, string> }
    }[]
  >()
  return Object.fromEntries(
    found
      .filter(({ resource }) => resource.id !== 0)
      .map(({ resource, resmeta }) => [
        resource.display_name,
        [resource.id, resource.keyname, resmeta.items['landform.manager'] ?? null],
      ]),
  )
}

it('gives resources that a deletion took along back to who managed them, and can be undone itself', async () => {
  const group = 'oa_group: { cls: resource_group, parent: root, display_name: OA }'
  await apply('oa', [group])
  await apply('ob', [
    'oa_group: { existing: true, parent: root }',
    'ob_layer: { cls: vector_layer, parent: oa_group, display_name: OB, vector_layer: { geometry_type: POINT, srs: { id: 3857 } } }',
  ])
  const [{ resource }] = (await (
    await server.admin('GET', '/api/resource/search/?keyname=oa_group')
  ).json()) as [{ resource: { id: number } }]
  await createGroup(server.admin, resource.id, { display_name: 'Named', keyname: 'by_hand' })
  await createGroup(server.admin, resource.id, { display_name: 'Nameless' })
  const before = await readManagers()
  expect(Object.keys(before)).toHaveLength(4)
  const names = ['oa_group', 'ob_layer', 'by_hand', `#${(before.Nameless as [number])[0]}`]
  const deletes = names.flatMap((name) => ['--allow-delete', name])
  const { entry } = await apply('oa', [], '--prune', ...deletes)
  expect(await readManagers()).toEqual({})
  const undone = await done('undo', entry, '--yes')
  expect(undone.out).toMatch(/ob_layer(.|\n)*managed_by {2}"ob"/)
  expect(await readManagers()).toEqual(before)
  await done('undo', undone.entry, '--yes')
  expect(await readManagers()).toEqual({})
})

it('takes the keyname of an adopted resource back that had none', async () => {
  const id = await createGroup(server.admin, 0, { display_name: 'Found' })
  const before = await readManagers()
  const found = `found: { cls: resource_group, id: ${id}, parent: root, display_name: Found }`
  const { entry } = await apply('finder', [found])
  const adopted = await readManagers()
  expect(adopted.Found).toMatchObject([id, 'found', expect.stringContaining('finder')])
  const undone = await done('undo', entry, '--yes')
  expect(undone.out).toContain('keyname  - "found"')
  expect(await readManagers()).toEqual(before)
  await done('undo', undone.entry, '--yes')
  expect(await readManagers()).toEqual(adopted)
})

it('restores what an account deleted that is not an administrator, and warns of the owner', async () => {
  const bea = await createUser(server.database, 'bea')
  const yard = await createGroup(server.admin, 0, {
    ...{ display_name: 'Yard', keyname: 'yard' },
    permissions: [rule('allow .', bea)],
  })
  await writeFile(
    join(cwd, 'points.geojson'),
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"use":"a"},"geometry":{"type":"Point","coordinates":[1,1]}}]}',
  )
  const anchor = `yard: { existing: true, id: ${yard} }`
  const shed =
    'shed: { cls: vector_layer, parent: yard, display_name: Shed, data: { source: points.geojson } }'
  await apply('yards', [anchor, shed])
  await writeFile(join(cwd, 'bea.yaml'), `manifest: yards\nresources:\n  ${anchor}\n`)
  const { permissions } = (
    await (await server.admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
  ).resource
  const reads = ['allow resource.read', 'allow metadata.read']
  const readAll = [...permissions, ...reads.map((one) => rule(one, bea))]
  const shared = await server.admin('PUT', '/api/resource/0', { resource: { permissions: readAll } })
  expect(shared.status).toBe(200)
  const env = { LANDFORM_SERVER: server.url, LANDFORM_USER: 'bea', LANDFORM_PASSWORD: userPassword }
  const asBea = (...words: readonly string[]) => runCommand(words, { cwd, env })
  const deleted = await asBea('apply', 'bea.yaml', '--prune', '--allow-delete', 'shed', '--yes')
  expect([deleted.exit, deleted.exit === 0 ? '' : deleted.err]).toEqual([0, ''])
  const [last] = await (await server.admin('GET', '/api/component/landform/journal/?limit=1')).json<
    { id: number }[]
  >()
  const undone = await asBea('undo', String(last?.id), '--yes')
  expect([undone.exit, undone.err, undone.out]).toEqual([
    0,
    expect.stringContaining('not restored: shed (administrator)'),
    expect.stringContaining('restores 1 feature that the server kept'),
  ])
  const [found] = await (await server.admin('GET', '/api/resource/search/?keyname=shed')).json<
    { resource: { owner_user: { id: number } } }[]
  >()
  expect(found?.resource.owner_user.id).toBe(bea)
})

it('tells which values of fields it restores, and what was changed without an apply', async () => {
  const layer = (fields: readonly string[], description: string) => [
    `lots: { cls: vector_layer, parent: root, display_name: Lots, description: ${description}, data: { source: points.geojson, mode: seed }, feature_layer: { fields: [${fields.join(', ')}] } }`,
  ]
  const [use, size] = ['{ keyname: use, datatype: STRING }', '{ keyname: size, datatype: INTEGER }']
  await apply('lots', layer([use, size], 'One'))
  const { entry } = await apply('lots', layer([size], 'Two'))
  const plan = await run('undo', entry, '--plan')
  expect(plan.out).toContain('data  restores 1 feature that the server kept, with 1 value of use')
  const [found] = await (await server.admin('GET', '/api/resource/search/?keyname=lots')).json<
    { resource: { id: number } }[]
  >()
  await server.admin('PUT', `/api/resource/${found?.resource.id}`, { resource: { description: 'Three' } })
  expect((await run('undo', entry, '--plan')).err).toContain(
    `what apply ${entry} set in "lots" was changed since: description, without an apply`,
  )
})

it('repeats a command that allows a deletion, and refuses a key that nothing had', async () => {
  const shelf = 'shelf: { cls: resource_group, parent: root, display_name: Shelf }'
  await apply('shelves', [shelf])
  const words = ['--prune', '--allow-delete', 'shelf']
  await apply('shelves', [], ...words)
  const again = await run('apply', 'shelves.yaml', '--yes', ...words)
  expect([again.exit, again.err]).toEqual([0, ''])
  const wrong = await run('plan', 'shelves.yaml', ...words, '--allow-delete', 'shlef')
  expect([wrong.exit, wrong.err]).toEqual([3, expect.stringContaining('the key "shlef"')])
  expect(wrong.err).not.toContain('the key "shelf"')
  for (const option of [
    ['--only', 'shelf', '--prune'],
    ['--allow-loss', 'shelf'],
  ])
    expect((await run('plan', 'shelves.yaml', ...option)).exit).toBe(0)
  const replaced = await run('plan', 'shelves.yaml', '--replace', 'shelf', '--take', 'root.description')
  expect([replaced.exit, replaced.err]).toEqual([3, expect.stringContaining('remove the option')])
  expect(replaced.err).toContain('hint: Use the key of the resource, without a field: root.')
})

it('names keys that an option could have', async () => {
  await apply('shelves', [])
  const wrong = await run('plan', 'shelves.yaml', '--only', 'elsewhere')
  expect([wrong.exit, wrong.err]).toEqual([3, expect.stringContaining('Use a key such as root.')])
})

it('names a resource without a keyname as the manifest does', async () => {
  const top = 'manifest: top\nresources:\n  root: { existing: true, id: 0, description: First }\n'
  await writeFile(join(cwd, 'top.yaml'), top)
  const { entry } = await done('apply', 'top.yaml', '--yes')
  expect((await done('undo', entry, '--yes')).out).toContain('  ~ root  resource_group  ')
})

it.each([
  ['a creation', []],
  ['a deletion', ['--prune', '--allow-delete', 'twice']],
])('refuses to undo %s that is already undone, by which apply', async (_, options) => {
  const made = "twice: { cls: resource_group, parent: root, display_name: 'Twice' }"
  const created = await apply('twice', [made])
  const { entry } = options.length === 0 ? created : await apply('twice', [], ...options)
  const undo = await done('undo', entry, '--yes')
  const again = await run('undo', entry, '--plan')
  expect([again.exit, again.err]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        `^error undo/nothing: Apply ${entry} is already undone, by apply ${undo.entry} \\(administrator, .* UTC\\)\\.\n  hint: To apply it again, undo that: landform undo ${undo.entry}\\.\n$`,
      ),
    ),
  ])
  await done('undo', undo.entry, '--yes')
  await done('undo', entry, '--yes')
})
