import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProxy } from '../api/proxy.ts'
import { logIn, mePath, whoIs } from '../support/principals.ts'
import { createGroup } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand, type Surroundings } from './terminal.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

const run = (words: readonly string[], more: Partial<Surroundings> = {}) =>
  runCommand(words, {
    cwd: server.dataFolder,
    ...more,
    env: { LANDFORM_SERVER: server.url, LANDFORM_PASSWORD: adminPassword, ...more.env },
  })

const events = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { user?: { keyname: string } })

const comesIn = async (login: string, password: string) =>
  (await server.as(login, password)('GET', mePath)).status === 200

describe('landform user', () => {
  it('creates, lists, changes and deletes users', async () => {
    const env = { LANDFORM_NEW_PASSWORD: 'from the environment' }
    await run(['group', 'create', 'editors'])
    const created = await run(['user', 'create', 'ada', '--name', 'Ada L.', '--group', 'editors'], { env })
    expect(created).toEqual({
      exit: 0,
      out: expect.stringMatching(/^created user ada \(id = \d+\)\n$/),
      err: '',
    })
    expect(await comesIn('ada', 'from the environment')).toBe(true)
    const listed = (await run(['user', 'list'])).out.split('\n')
    expect(listed[0]).toMatch(/^ID +KEYNAME +NAME +GROUPS +STATE +LAST SEEN$/)
    expect(listed.find((line) => line.includes(' ada '))).toMatch(
      /Ada L\. +editors +active +\d{4}-\d\d-\d\d$/,
    )
    expect(listed.find((line) => line.includes('guest'))).toMatch(/ system +-$/)
    expect(
      (await run(['user', 'update', 'ADA', '--keyname', 'lovelace', '--no-groups', '--disable'])).out,
    ).toMatch(/^updated user lovelace /)
    expect(await comesIn('lovelace', 'from the environment')).toBe(false)
    expect((await run(['user', 'list'])).out).toMatch(/lovelace +Ada L\. +- +disabled/)
    await run(['user', 'update', 'lovelace', '--enable'])
    expect(await comesIn('lovelace', 'from the environment')).toBe(true)
    expect((await run(['user', 'delete', 'lovelace'])).out).toMatch(/^deleted user lovelace /)
    expect((await run(['user', 'list'])).out).not.toContain('lovelace')
  })

  it('writes events as JSON lines', async () => {
    const created = events((await run(['user', 'create', 'json', '--json'])).out)
    expect(created).toEqual([
      { v: 1, type: 'user', action: 'created', user: { id: expect.any(Number), keyname: 'json' } },
    ])
    const listed = events((await run(['user', 'list', '--json'])).out)
    expect(listed.find(({ user }) => user?.keyname === 'json')?.user).toMatchObject({
      password: false,
      member_of: [],
      is_administrator: false,
    })
    const failed = await run(['user', 'update', 'nobody', '--json'])
    expect(events(failed.out)[0]).toMatchObject({ type: 'problem', code: 'principal/not-found' })
    expect(events((await run(['user', 'delete', 'json', '--json'])).out)[0]).toMatchObject({
      action: 'deleted',
    })
  })

  it('reads a password from standard input, or prompts for it twice without echo', async () => {
    const piped = await run(['user', 'create', 'piped', '--password-stdin'], { answer: 'a piped password' })
    expect(piped.exit).toBe(0)
    expect(await comesIn('piped', 'a piped password')).toBe(true)
    const asked = await run(['user', 'set-password', 'piped'], { answer: 'typed by hand\ntyped by hand' })
    const told = 'New password: \nRepeat password: \nended 0 sessions, revoked 0 tokens\n'
    expect(asked).toMatchObject({ exit: 0, err: told })
    expect(asked.out + asked.err).not.toContain('typed by hand')
    expect(await comesIn('piped', 'typed by hand')).toBe(true)
    const differing = await run(['user', 'set-password', 'piped'], { answer: 'typed by hand\ntyped by hant' })
    expect(differing).toMatchObject({ exit: 3, err: expect.stringContaining('The passwords do not match.') })
    const stopped = await run(['user', 'set-password', 'piped'], { answer: 'once' })
    expect(stopped.exit).toBe(130)
  })

  it('reports a missing or weak password', async () => {
    const bare = await run(['user', 'create', 'bare'])
    expect(bare).toMatchObject({
      exit: 0,
      err: 'user has no password; set it with: landform user set-password bare\n',
    })
    const none = await run(['user', 'set-password', 'bare'])
    expect(none).toMatchObject({ exit: 3, err: expect.stringContaining('LANDFORM_NEW_PASSWORD') })
    const weak = await run(['user', 'set-password', 'bare'], { env: { LANDFORM_NEW_PASSWORD: 'short' } })
    expect(weak).toMatchObject({ exit: 1, err: expect.stringContaining('principal/weak-password') })
    expect(weak.err).not.toContain('short')
  })

  it('changes the own password without administrator rights', async () => {
    await run(['user', 'create', 'self'], { env: { LANDFORM_NEW_PASSWORD: 'the first password' } })
    const own = { LANDFORM_USER: 'self', LANDFORM_PASSWORD: 'the first password' }
    const changed = await run(['user', 'set-password'], {
      env: { ...own, LANDFORM_NEW_PASSWORD: 'the second password' },
    })
    expect(changed).toMatchObject({ exit: 0, out: expect.stringMatching(/^updated user self /) })
    expect(await comesIn('self', 'the second password')).toBe(true)
    const refused = await run(['user', 'list'], { env: { ...own, LANDFORM_PASSWORD: 'the second password' } })
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining('access/denied') })
  })

  it('reports the sessions and tokens that a new password revokes, and keeps tokens on request', async () => {
    const env = { LANDFORM_NEW_PASSWORD: 'a password at first' }
    await run(['user', 'create', 'accessible'], { env })
    await run(['token', 'create', 'ci', '--for', 'accessible'])
    await logIn(server.guest, 'accessible', env.LANDFORM_NEW_PASSWORD)
    const set = (...more: string[]) => run(['user', 'set-password', 'accessible', ...more], { env })
    expect(await set('--keep-tokens')).toEqual({
      exit: 0,
      out: expect.stringMatching(/^updated user accessible \(id = \d+\)\n$/),
      err: 'ended 1 session, revoked 0 tokens\n',
    })
    expect(events((await set('--json')).out)).toEqual([
      {
        ...{ v: 1, type: 'user', action: 'updated', user: { id: expect.any(Number), keyname: 'accessible' } },
        ...{ ended_sessions: 0, revoked_tokens: 1 },
      },
    ])
    const own = { LANDFORM_USER: 'accessible', LANDFORM_PASSWORD: env.LANDFORM_NEW_PASSWORD }
    const changed = await run(['user', 'set-password'], {
      env: { ...own, LANDFORM_NEW_PASSWORD: 'a password at last' },
    })
    expect(changed.err).toBe('ended 0 sessions, revoked 0 tokens\n')
    const help = (await run(['user', 'set-password', '--help'])).out.replaceAll(/\s+/g, ' ')
    expect(help).toContain('ends the sessions and revokes the tokens of the user')
    expect(help).toContain('--keep-tokens keep the tokens of the user valid')
  })

  it('fails with the reason and a hint', async () => {
    await run(['user', 'create', 'possessor'])
    await createGroup(server.admin, 0, {
      display_name: 'Possession',
      owner_user: { id: await idOf('possessor') },
    })
    const cases = [
      [['user', 'delete', 'possessor'], 1, 'User "possessor" is owner of "Possession"'],
      [['user', 'delete', 'possessor'], 1, 'or disable it.'],
      [['user', 'delete', 'administrator'], 1, 'principal/'],
      [['user', 'delete', 'guest'], 1, 'principal/system'],
      [['user', 'delete', 'posessor'], 1, 'did you mean "possessor"?'],
      [['user', 'create', 'Possessor'], 1, 'principal/name-taken'],
      [['user', 'create', '1'], 1, 'request/invalid: keyname: '],
      [['user', 'update', 'possessor', '--enable', '--disable'], 3, 'cannot be combined'],
      [['user', 'update', 'possessor', '--group', 'editor'], 1, 'did you mean "editors"?'],
      [['user', 'create'], 3, "missing required argument 'keyname'"],
      [['user', 'create', 'x', '--password', 'y'], 3, "unknown option '--password'"],
    ] as const
    for (const [words, exit, text] of cases) {
      const ran = await run(words)
      expect([words, ran.exit, ran.err]).toEqual([words, exit, expect.stringContaining(text)])
    }
  })
})

async function idOf(keyname: string): Promise<number> {
  const listed = events((await run(['user', 'list', '--json'])).out)
  return Number(
    (listed.find(({ user }) => user?.keyname === keyname)?.user as { id?: number } | undefined)?.id,
  )
}

describe('landform group', () => {
  it('creates, lists, changes and deletes groups, and adds and removes members', async () => {
    for (const name of ['anna', 'bob', 'carl']) await run(['user', 'create', name])
    const words = ['group', 'create', 'team', '--name', 'The team', '--member', 'anna']
    expect((await run(words)).out).toMatch(/^created group team \(id = \d+\)\n$/)
    await run(['group', 'add', 'team', 'bob', 'CARL', 'anna'])
    expect((await run(['group', 'list'])).out).toMatch(/team +The team +anna, bob, carl$/m)
    expect((await run(['group', 'remove', 'team', 'bob', 'anna'])).out).toMatch(/^updated group team /)
    expect((await run(['group', 'list'])).out).toMatch(/team +The team +carl$/m)
    await run(['group', 'update', 'team', '--keyname', 'crew', '--name', 'The crew'])
    expect(events((await run(['group', 'list', '--json'])).out).map(({ group }) => group)).toContainEqual(
      expect.objectContaining({ keyname: 'crew', display_name: 'The crew', members: [expect.any(Number)] }),
    )
    expect(await run(['group', 'add', 'crew', 'dora'])).toMatchObject({
      exit: 1,
      err: expect.stringContaining('Cannot find user "dora"'),
    })
    expect(await run(['group', 'delete', 'administrators'])).toMatchObject({
      exit: 1,
      err: expect.stringContaining('principal/system'),
    })
    expect((await run(['group', 'delete', 'crew'])).out).toMatch(/^deleted group crew /)
  })
})

describe('landform serve', () => {
  it('refuses invalid proxies, origins and sizes before it opens anything', async () => {
    const serve = ['serve', '--data', 'fresh', '--listen', '127.0.0.1:0']
    for (const [words, env] of [
      [['--cors-origin', '*'], {}],
      [['--trust-proxy', 'everybody'], {}],
      [[], { LANDFORM_CORS_ORIGIN: 'https://a.example,b.example' }],
      [[], { LANDFORM_TRUST_PROXY: '10.0.0.0/99' }],
      [['--body-limit', 'much'], {}],
      [[], { LANDFORM_UPLOAD_LIMIT: '0' }],
    ] as const)
      expect(await run([...serve, ...words], { env })).toMatchObject({
        exit: 3,
        err: expect.stringContaining('usage/bad-argument'),
      })
    expect(existsSync(join(server.dataFolder, 'fresh'))).toBe(false)
  })
})

describe('landform token', () => {
  it('creates a token that authenticates its user, lists it without its secret, and revokes it', async () => {
    const made = await run(['token', 'create', 'laptop', '--expires', '30d'])
    const token = made.out.trim()
    expect(token).toMatch(/^landform_[\w-]{43}$/)
    expect(made.err).toMatch(/^token "laptop" of administrator, until \d{4}-.* UTC; shown only once\n$/)
    const env = { LANDFORM_TOKEN: token, LANDFORM_PASSWORD: '' }
    expect((await run(['group', 'list'], { env })).exit).toBe(0)
    const listed = await run(['token', 'list'])
    expect(listed.out).toMatch(/laptop +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d$/m)
    expect(listed.out).not.toContain(token)
    expect((await run(['token', 'revoke', 'laptop'])).out).toMatch(/^revoked token "laptop" /)
    expect(await run(['group', 'list'], { env })).toMatchObject({
      exit: 1,
      err: expect.stringContaining('auth/bad-credentials'),
    })
    expect((await run(['token', 'list'])).out).toMatch(/^ID +NAME +CREATED +EXPIRES +LAST USED\n$/)
  })

  it('creates and revokes tokens of other users for administrators', async () => {
    await run(['user', 'create', 'robot'])
    const [event] = events(
      (await run(['token', 'create', 'ci', '--for', 'robot', '--expires', 'never', '--json'])).out,
    )
    const token = event?.token as { token: string; expires: null }
    expect(token.expires).toBeNull()
    expect(await whoIs(server.guest, { authorization: `Bearer ${token.token}` })).toBe('robot')
    expect((await run(['token', 'list', '--for', 'robot'])).out).toMatch(/ci +\S+ +never +/)
    const wrong = await run(['token', 'revoke', 'co', '--for', 'robot'])
    expect(wrong).toMatchObject({ exit: 1, err: expect.stringContaining('token/not-found') })
    expect((await run(['token', 'revoke', 'ci', '--for', 'robot', '--json'])).exit).toBe(0)
    expect(await whoIs(server.guest, { authorization: `Bearer ${token.token}` })).toBe('auth/bad-credentials')
  })

  it('creates another token if the response with the first one was lost, and revokes the first', async () => {
    let isLost = false
    const proxy = await startProxy({
      target: server.url,
      decide: (method, path) => {
        const loses = !isLost && method === 'POST' && path.includes('/token')
        isLost ||= loses
        return loses ? 'cut after' : 'pass'
      },
    })
    const made = await run(['token', 'create', 'over a bad line'], { env: { LANDFORM_SERVER: proxy.url } })
    await proxy.close()
    expect([isLost, made.exit]).toEqual([true, 0])
    expect(await whoIs(server.guest, { authorization: `Bearer ${made.out.trim()}` })).toBe('administrator')
    expect((await run(['token', 'list'])).out.match(/over a bad line/g)).toHaveLength(1)
    await run(['token', 'revoke', 'over a bad line'])
  })

  it('refuses an invalid expiry, and a duplicate name', async () => {
    for (const when of ['soon', '2020-01-01', '0d', '2999-13-45']) {
      const { exit, err } = await run(['token', 'create', 'x', '--expires', when])
      expect([exit, err]).toEqual([
        3,
        `error usage/bad-argument: --expires "${when}" is not a date in the future.\n  hint: Use days such as 90d, a date such as 2030-12-31, or never.\n`,
      ])
    }
    await run(['token', 'create', 'twice'])
    expect((await run(['token', 'create', 'twice'])).err).toContain('Token "twice" already exists.')
  })

  it('prefers an explicit login to the token of the environment', async () => {
    const env = { LANDFORM_TOKEN: 'landform_wrong' }
    expect((await run(['user', 'list'], { env })).exit).toBe(1)
    expect((await run(['user', 'list', '--user', 'administrator'], { env })).exit).toBe(0)
  })
})
