import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, userPassword } from '../support/users.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-history-'))
  await createUser(server.database, 'ada')
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const administrator = { login: 'administrator', password: adminPassword }

async function run(words: readonly string[], { login, password } = administrator): Promise<Ran> {
  const env = { LANDFORM_SERVER: server.url, LANDFORM_USER: login, LANDFORM_PASSWORD: password }
  return runCommand(words, { cwd, env })
}

const manifest = (names: Readonly<Record<string, string>>) => `
manifest: town
resources:
  root:
    existing: true
    id: 0
    children:
${Object.entries(names)
  .map(([key, name]) => `      ${key}: { cls: resource_group, display_name: "${name}" }`)
  .join('\n')}
`

const apply = async (names: Readonly<Record<string, string>>, ...words: readonly string[]) => {
  await writeFile(join(cwd, 'town.yaml'), manifest(names))
  return run(['apply', 'town.yaml', '--yes', ...words])
}

/** Runs git in the folder of the manifest. */
const git = (...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

/** Removes what differs from run to run. */
const plain = (text: string) =>
  text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME').replaceAll(/ {2,}/g, '  ')

it('says that the journal has no entries', async () => {
  expect(await run(['history'])).toMatchObject({ exit: 0, out: 'The journal has no entries of this kind.\n' })
})

it('lists applies with user, commit, result and changes', async () => {
  expect((await apply({ first: 'First', second: 'Second' })).exit).toBe(0)
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Town')
  const commit = git('rev-parse', '--short=12', 'HEAD')
  expect((await apply({ first: 'Renamed' }, '--prune', '--allow-delete', 'second')).exit).toBe(0)
  const { out } = await run(['history'])
  expect(plain(out).split('\n')).toEqual([
    'ID  UTC  USER  MANIFEST  COMMIT  RESULT  CHANGES',
    `2  TIME  administrator  town  ${commit}-dirty  applied  1 updated, 1 deleted`,
    '1  TIME  administrator  town  -  applied  2 created',
    '',
  ])
})

it('lists the applies that changed a resource, and those of a deleted one', async () => {
  const first = (await run(['history', 'first'])).out
  expect(first.match(/^ {2}\w.*/gm)).toEqual([
    '  updated  first  resource_group  Renamed',
    '  created  first  resource_group  First',
  ])
  const second = (await run(['history', 'second'])).out
  expect(second.match(/^ {2}\w.*/gm)).toEqual([
    '  deleted  second  resource_group  Second',
    '  created  second  resource_group  Second',
  ])
  expect(await run(['history', 'third'])).toMatchObject({
    exit: 1,
    err: expect.stringContaining('The journal has no changes of "third"'),
  })
})

it('shows an apply with all of its changes, as JSON too', async () => {
  expect((await run(['history', '--entry', '1'])).out.match(/^ {2}\w.*/gm)).toHaveLength(2)
  const event = JSON.parse((await run(['history', '--entry', '1', '--json'])).out) as object
  expect(event).toMatchObject({
    type: 'entry',
    entry: { id: 1, manifest: 'town', result: 'applied', changes: [{ key: 'first' }, { key: 'second' }] },
  })
})

it('records an apply that fails', async () => {
  // The server refuses rules that lock out all administrators.
  const rule = '{ action: deny, principal: group:administrators, scope: "", permission: "", propagate: true }'
  const group = `third: { cls: resource_group, display_name: Third, permissions: [${rule}] }`
  await writeFile(join(cwd, 'town.yaml'), `${manifest({ first: 'Again' })}      ${group}\n`)
  expect((await run(['apply', 'town.yaml', '--yes'])).exit).toBe(1)
  const { out } = await run(['history', '--limit', '1'])
  expect(plain(out).split('\n')[1]).toMatch(
    /^3 {2}TIME {2}administrator {2}town {2}\S+ {2}failed {2}1 failed, 1 skipped$/,
  )
})

it('shows users their own applies only, and refuses those of others', async () => {
  const ada = { login: 'ada', password: userPassword }
  expect((await run(['history'], ada)).out).toBe('The journal has no entries of this kind.\n')
  expect(await run(['history', '--entry', '1'], ada)).toMatchObject({
    exit: 1,
    err: expect.stringContaining('The journal has no entry 1 that this account can read.'),
  })
})

it.each([
  [['history', 'first', '--entry', '1'], 'exclude each other'],
  [['history', '--limit', '1001'], 'more than 1000'],
  [['history', '--limit', '0'], 'Use a positive integer.'],
  [['history', '--entry', 'x'], 'Use a positive integer.'],
])('refuses %j', async (words, message) => {
  const { exit, err } = await run(words)
  expect([exit, err]).toEqual([3, expect.stringContaining(message)])
})
