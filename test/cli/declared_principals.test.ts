import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { goodPassword } from '../support/principals.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

describe.each(oneDriver)('users and groups of a manifest on %s', (driver) => {
  let server: TestServer
  let cwd: string

  beforeAll(async () => {
    server = await startTestServer(driver)
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'landform-declared-'))
  })
  afterEach(() => rm(cwd, { recursive: true, force: true }))

  const run = (words: readonly string[], more: Record<string, string> = {}): Promise<Ran> =>
    runCommand([...words, '--server', server.url], {
      cwd,
      env: { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword, ...more },
    })
  const write = (text: string, name = 'city.yaml') => writeFile(join(cwd, name), text)
  const plan = (more: readonly string[] = []) => run(['plan', 'city.yaml', ...more])
  const apply = (more: readonly string[] = [], env = {}) => run(['apply', 'city.yaml', '--yes', ...more], env)
  const logsIn = async (user: string, password: string) =>
    (await run(['token', 'list'], { LANDFORM_USER: user, LANDFORM_PASSWORD: password })).exit === 0

  interface EntryEvent {
    readonly entry: { readonly id: number; readonly changes?: readonly { readonly id?: number | null }[] }
  }
  const events = ({ out }: Ran) =>
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EntryEvent)

  const tree = (key: string, rule: string) => `resources:
  root:
    existing: true
    id: 0
    permissions:
      include:
        - { action: allow, principal: everyone, scope: resource, permission: read, propagate: false }
    children:
      ${key}:
        cls: resource_group
        display_name: ${key}
        permissions:
          - { action: allow, principal: ${rule}, scope: resource, permission: read, propagate: true }
`

  test('are created before the rules that name them, and the next plan is empty', async () => {
    await write(`manifest: city
users:
  carl:
    display_name: Carl
    language: en
    password: { env: CARL_PASSWORD }
groups:
  mappers: { display_name: Mappers, members: [carl] }
${tree('city', 'group:mappers')}`)
    const planned = await plan()
    expect(planned.err).toMatch(/^city.yaml:6:15 warning principal\/no-password/)
    expect(planned.out).toContain(
      '  + mappers  group  Mappers\n      display_name  "Mappers"\n      members  "carl"',
    )
    expect(planned.out).toContain('password  (secret)')
    expect(planned.out).toContain('group mappers gains read on 1 new resource group: city')
    const without = await apply()
    expect(without.exit).toBe(1)
    expect(without.err).toContain('the environment variable CARL_PASSWORD: it is not set')
    expect((await apply([], { CARL_PASSWORD: goodPassword })).out).toContain('3 created')
    expect(await logsIn('carl', goodPassword)).toBe(true)
    expect((await plan()).out).toContain('Plan for city: 0 changes, 4 unchanged.')
    const seen = await run(['plan', 'city.yaml'], { LANDFORM_USER: 'carl', LANDFORM_PASSWORD: goodPassword })
    expect(seen.err).toContain('error plan/unknown: this account cannot read and manage users and groups')
    expect(seen.exit).not.toBe(0)
  })

  test('change in place, and the plan tells who gains and loses what by joining and leaving groups', async () => {
    const users = (ben: string) => `users:
  ann: {}
  ben: ${ben}
`
    await write(`manifest: town
${users('{}')}groups:
  walkers: { members: [ann] }
${tree('town', 'group:walkers')}`)
    await apply()
    await write(`manifest: town
${users('{ description: Walks, disabled: false, member_of: { include: [walkers] } }')}groups:
  walkers: { display_name: Hikers, members: { include: [] } }
${tree('town', 'group:walkers')}`)
    const joins = await plan()
    expect(joins.out).toContain(
      '~ ben  user  ben\n      description  + "Walks"\n      member_of  + "walkers"',
    )
    expect(joins.out).toContain('display_name  "walkers" → "Hikers"')
    expect(joins.out).toContain('user ben gains read on 1 resource group: town (city.yaml:4)')
    expect((await apply()).out).toContain('2 updated')
    await write('manifest: town\ngroups: { walkers: { members: [] } }\n')
    const orphaned = (await plan()).err
    expect(orphaned).toContain(
      'warning plan/orphan: "ben" (user) exists on the server, but no longer in the manifest; the account stays active\n' +
        '  hint: Delete it with landform user delete ben, or landform user update ben --disable.',
    )
    expect(orphaned).toContain('"ann" (user)')
    expect((await run(['user', 'update', 'ann', '--disable'])).exit).toBe(0)
    expect((await plan()).err).not.toContain('"ann"')
    const leaves = await plan()
    expect(leaves.out).toContain('members  - "ann"\n      members  - "ben"')
    expect(leaves.out).toContain('user ben loses read on 1 resource group: town (city.yaml:2)')
    expect((await apply()).out).toContain('1 updated')
    expect((await plan()).out).toContain('0 changes')
    await write(`manifest: town\n${tree('town', 'user:administrator')}`)
    expect((await plan()).err).toMatch(/"walkers" \(group\) exists(.|\n)*"ben" \(user\) exists/)
  })

  test('keep their rights and memberships when they are renamed, which plans tell apart from gains and losses', async () => {
    const declare = (ann: string, walkers: string, was = false) => `manifest: hills
users:
  ${ann}: { ${was ? 'was: hill_ann' : ''} }
  hill_bob: { member_of: [${walkers}, hill_readers] }
groups:
  ${walkers}: { ${was ? 'was: hill_walkers, ' : ''}members: [${ann}, hill_bob] }
  hill_readers: {}
${tree('hills', `group:${walkers}`)}          - { action: allow, principal: user:${ann}, scope: data, permission: read, propagate: true }
`
    await write(declare('hill_ann', 'hill_walkers'))
    await apply()
    await write(declare('hill_anna', 'hill_hikers', true))
    const planned = await plan()
    expect(planned.out.split('\n').filter((line) => line.startsWith('   '))).toEqual([
      '      keyname  "hill_walkers" → "hill_hikers"',
      '      keyname  "hill_ann" → "hill_anna"',
    ])
    expect(planned.out).not.toContain('Access:')
    await apply()
    expect((await plan()).out).toContain('Plan for hills: 0 changes')
    // A gain beside a rename has the new name.
    await write(
      declare('hill_annika', 'hill_hikers', true)
        .replace('was: hill_ann', 'was: hill_anna')
        .replace('was: hill_walkers, ', '')
        .replace('hill_readers: {}', 'hill_readers: { members: { include: [hill_annika] } }')
        .replace('principal: group:hill_hikers', 'principal: group:hill_readers'),
    )
    const gains = await plan()
    expect(gains.out).toContain('keyname  "hill_anna" → "hill_annika"')
    expect(gains.out).toContain('members  + "hill_annika"')
    expect(gains.out).not.toMatch(/hill_anna (gains|loses)/)
  })

  interface Stored {
    readonly resource: {
      readonly id: number
      readonly owner_user: object
      readonly permissions: readonly object[]
    }
  }
  const stored = async (key: string): Promise<Stored['resource']> => {
    const read = async <T>(path: string) => (await server.admin('GET', `/api/resource/${path}`)).json<T>()
    const found = await read<Stored[]>(`search/?keyname=${key}`)
    return (await read<Stored>(String(found[0]?.resource.id))).resource
  }
  /** One resource with the rules of a group, or none. */
  const ruled = (key: string, group: string, was = '', rules = true) => `manifest: ${key}
groups:
  ${group}: { ${was} }
resources:
  root:
    existing: true
    id: 0
    children:
      ${key}:
        cls: resource_group
        display_name: ${key}
${rules ? `        permissions: [{ action: allow, principal: ${group}, scope: resource, permission: read, propagate: true }]\n` : ''}`

  test('keep rules that leave the manifest after they were changed on the server', async () => {
    await write(ruled('shore', 'shore_group'))
    await apply()
    const { id, permissions } = await stored('shore')
    const [rule] = permissions
    const rules = [{ ...rule, propagate: false }]
    await server.admin('PUT', `/api/resource/${id}`, { resource: { permissions: rules } })
    await write(ruled('shore', 'shore_group', '', false))
    expect((await plan()).out).toContain(
      'permissions  no longer set by this manifest; the value stays: it was changed on the server',
    )
    expect((await run(['drift', 'city.yaml'])).out).not.toContain('permissions')
    expect((await apply()).exit).toBe(0)
    expect((await stored('shore')).permissions).toEqual(rules)
    expect((await plan()).out).toContain('Plan for shore: 0 changes')
  })

  test.each(['created with the rules', 'created before'])(
    'lose the rules that a manifest drops after a rename: groups that were %s',
    async (when) => {
      const key = when === 'created before' ? 'bay' : 'cove'
      if (key === 'bay') {
        await write(ruled(key, 'bay_group', '', false))
        await apply()
      }
      await write(ruled(key, `${key}_group`))
      await apply()
      await write(ruled(key, `${key}_crew`, `was: ${key}_group`))
      expect((await apply()).out).toContain('1 updated')
      await write(ruled(key, `${key}_crew`, '', false))
      const planned = await plan()
      expect(planned.out).toContain(`permissions  - allow group:${key}_crew resource.read, and below`)
      expect(planned.out).not.toContain('the value stays')
      await apply()
      expect((await stored(key)).permissions).toEqual([])
    },
  )

  test('are found in the journal after renames: by an undo, and by drift', async () => {
    const text = (name: string, was = '', more = '') => `manifest: dune
users:
  ${name}: { ${was === '' ? '' : `was: ${was}`} }
groups:
  ${name}_crew: { ${was === '' ? '' : `was: ${was}_crew, `}members: [${more}] }
resources:
  root:
    existing: true
    id: 0
    children:
      dune:
        cls: resource_group
        display_name: Dune
        owner: ${name}
        permissions: [{ action: allow, principal: ${name}_crew, scope: resource, permission: read, propagate: true }]
`
    await write(`manifest: dune
resources: { root: { existing: true, id: 0, children: { dune: { cls: resource_group, display_name: Dune } } } }
`)
    await apply()
    const { id, owner_user } = await stored('dune')
    await write(text('dan', '', 'dan'))
    await apply()
    await write(text('dora', 'dan', 'dora'))
    await apply()
    const change = async (resource: object) =>
      expect((await server.admin('PUT', `/api/resource/${id}`, { resource })).status).toBe(200)
    await change({ description: 'by hand' })
    const history = events(await run(['history', 'dune', '--json']))
    const second = String(Math.max(...history.map(({ entry }) => entry.id)))
    const undone = await run(['undo', second, '--plan'])
    expect(undone.err).not.toContain('changed since')
    expect(undone.out).toContain('owner  "user:dora" → "user:administrator"')
    await change({ owner_user, permissions: [] })
    const drift = await run(['drift', 'city.yaml', '--json'])
    const found = drift.out.trim().split('\n')
    expect(found.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        fields: [
          expect.objectContaining({ field: 'owner', origin: 'server' }),
          expect.objectContaining({ field: 'permissions', origin: 'server' }),
        ],
      }),
    )
  })

  test('are renamed, and take passwords from files and commands when told', async () => {
    await writeFile(join(cwd, 'eve.txt'), `${goodPassword}\n`)
    const command = `{ command: [node, -e, "console.log('an even better word')"] }`
    await write(`manifest: farm
users:
  eve: { password: { file: eve.txt } }
  fay: { password: ${command} }
`)
    expect((await apply()).out).toContain('2 created')
    expect(await logsIn('eve', goodPassword)).toBe(true)
    expect(await logsIn('fay', 'an even better word')).toBe(true)
    await write(`manifest: farm
users:
  eva: { was: eve, password: ${command} }
`)
    const renamed = await plan()
    expect(renamed.out).toContain('~ eva  user  eve\n      keyname  "eve" → "eva"\n')
    expect(renamed.out).not.toContain('password')
    await apply()
    expect(await logsIn('eva', goodPassword)).toBe(true)
    expect((await plan()).err).toContain('was: "eve" has no effect')
    expect((await apply(['--send-secrets', 'eva'])).out).toContain('1 updated')
    expect(await logsIn('eva', 'an even better word')).toBe(true)
  })

  test('are refused with positions if names are taken or unknown', async () => {
    await write(`manifest: bad
users:
  editors2: { display_name: Administrator, member_of: [nowhere] }
  administrators: {}
groups:
  readers: { members: [nobody_known] }
${tree('bad', 'user:missing')}`)
    const { err, exit } = await plan()
    expect(exit).not.toBe(0)
    expect(err).toContain('city.yaml:3:29 error principal/name-taken: the display name "Administrator"')
    expect(err).toContain('city.yaml:3:56 error plan/principal: unknown group "nowhere"')
    expect(err).toContain(
      'city.yaml:4:3 error principal/name-taken: the keyname "administrators" is that of a group',
    )
    expect(err).toContain('city.yaml:6:24 error plan/principal: unknown user "nobody_known"')
    expect(err).toContain('unknown user or group "user:missing"')
  })

  test('have weak passwords in validate and the plan, where they can be read, which do not show them', async () => {
    await write('gil\n', 'gil.txt')
    await write(`manifest: weak
users:
  gil: { password: { file: gil.txt } }
  hal: { password: { env: HAL_PASSWORD } }
  ida: { password: { env: IDA_PASSWORD } }
  jan: { password: { command: [node, -e, "console.log('jan')"] } }
`)
    const short = 'the password of the user "gil", in the file "gil.txt", must have 8 to 1024 characters'
    const same =
      'the password of the user "hal", in the environment variable HAL_PASSWORD, must have at least 4 different characters'
    const env = { HAL_PASSWORD: 'hahahahaha' }
    const validated = await runCommand(['validate', 'city.yaml'], { cwd, env })
    expect([validated.exit, validated.out]).toEqual([0, expect.stringContaining('2 warnings')])
    expect(validated.out).toContain(`city.yaml:3:20 warning principal/weak-password: ${short}`)
    for (const command of [['plan'], ['apply', '--yes']]) {
      const refused = await run([...command, 'city.yaml'], env)
      expect([command, refused.exit]).toEqual([command, 1])
      expect(refused.err.match(/error [^\n]+/g)).toEqual([
        `error principal/weak-password: ${short}`,
        `error principal/weak-password: ${same}`,
      ])
      expect(validated.out + refused.out + refused.err).not.toMatch(/haha|^gil$/m)
    }
  })

  test('stop an apply at the first failure, before any resource', async () => {
    await write(`manifest: weak
users:
  gil: { password: { command: [node, -e, "console.log('gil')"] } }
${tree('weak', 'user:gil')}`)
    const failed = await apply()
    expect(failed.exit).toBe(1)
    expect(failed.out).toContain('gil (user): principal/weak-password')
    expect(failed.out).toContain(
      'Not tried: 2\n  root (resource_group), after gil\n  weak (resource_group), after gil',
    )
    await write(`manifest: weak
users:
  gil: { password: { command: [node, -e, "process.exit(7)"] } }
`)
    expect((await apply()).out).toContain('Cannot read the password of the command "node": exit code 7.')
  })

  test('are not in the histories of resources with the same ids', async () => {
    await write(`manifest: history\ngroups:\n  h1: {}\n  h2: {}\n${tree('history', 'user:guest')}`)
    await apply()
    await write(`manifest: history\ngroups:\n  h1: { description: One }\n  h2: { description: Two }\n`)
    await apply()
    const [entry] = events(await run(['history', '--limit', '1', '--json']))
    const [whole] = events(await run(['history', '--entry', String(entry?.entry.id), '--json']))
    expect(whole?.entry.changes).toMatchObject([
      { key: 'h1', outcome: 'updated' },
      { key: 'h2', outcome: 'updated' },
    ])
    expect(whole?.entry.changes?.map(({ id }) => id ?? null)).toEqual([null, null])
  })

  test('are pulled, captured, and planned from both', async () => {
    await write(`manifest: pulled
users:
  hal: { description: Old, member_of: { include: [administrators] } }
groups:
  sailors: { members: [hal] }
`)
    await apply()
    const pulled = await run(['pull', '--users', '--into', 'out'])
    expect(pulled.out).toContain('out/users.yaml: ')
    const planned = await run(['plan', 'out/users.yaml'])
    expect(planned).toMatchObject({ err: '', exit: 0 })
    expect(planned.out).toContain('Plan for users: 0 changes')
    // Beside the manifest that they are for.
    await write('manifest: port\nresources: { root: { existing: true, id: 0 } }\n', 'out/port.yaml')
    const beside = await run(['pull', '--users', '--manifest', 'port', '--into', 'out'])
    expect(beside).toMatchObject({ err: '', exit: 0 })
    expect(beside.out).toContain('out/port_users.yaml: ')
    const both = await run(['plan', 'out/port.yaml', 'out/port_users.yaml'])
    expect(both).toMatchObject({ err: '', exit: 0 })
    await run(['capture', '--out', 'world.capture'])
    await write('manifest: pulled\ngroups:\n  sailors: { members: [administrator] }\n')
    const offline = await runCommand(['plan', 'city.yaml', '--from', 'world.capture'], { cwd })
    expect(offline.out).toContain('members  + "administrator"\n      members  - "hal"')
  })
})
