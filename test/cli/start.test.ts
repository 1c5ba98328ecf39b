import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { runCommand } from './terminal.ts'

const manifest = `manifest: small
resources:
  root:
    existing: true
    id: 0
    children:
      maps: { cls: resource_group, display_name: Maps }
`

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-start-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** What a start writes to stderr while it works. */
const told = (...steps: readonly string[]) =>
  ['starting the server (the first start creates the database)', ...steps]
    .map((step) => `${step} …\n`)
    .join('')

const passwordsRefused = [
  ['x', '8 to 1024 characters'],
  ['aaaaaaaaaa', 'different characters'],
  ['Administrator', 'must differ from the login'],
]

describe('the first start', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  const start = (words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    runCommand(['start', '--once', '--database', database.url, '--listen', '127.0.0.1:0', ...words], {
      cwd,
      env,
    })

  test.each(['a good password', ' wörd: €, 100 %41 "quoted" '])(
    'applies a manifest with the password %j from the environment',
    async (password) => {
      await writeFile(join(cwd, 'small.yaml'), manifest)
      const ran = await start(['small.yaml'], { LANDFORM_ADMIN_PASSWORD: password })
      expect(ran).toMatchObject({ exit: 0, err: told('applying the manifest', 'planning again') })
      expect(ran.out).toMatch(/^apply +1 created/m)
      expect(ran.out).toMatch(/^plan +0 changes/m)
    },
  )

  test('applies a manifest with a generated password, whatever address it listens on', async () => {
    await writeFile(join(cwd, 'small.yaml'), manifest)
    // An address of this machine that is not written as one.
    const ran = await start(['small.yaml', '--listen', '[::ffff:127.0.0.1]:0'])
    expect(ran).toMatchObject({ exit: 0, err: told('applying the manifest', 'planning again') })
    expect(ran.out).toMatch(/^apply +1 created/m)
  })

  test('uses no credentials of other servers', async () => {
    await writeFile(join(cwd, 'small.yaml'), manifest)
    const others = {
      LANDFORM_USER: 'ada',
      LANDFORM_PASSWORD: 'of another server',
      LANDFORM_TOKEN: 'lf_other',
    }
    const ran = await start(['small.yaml'], { ...others, LANDFORM_ADMIN_PASSWORD: 'a good password' })
    expect(ran).toMatchObject({ exit: 0, err: told('applying the manifest', 'planning again') })
  })

  test('sets the password, and a later start with another one says what to do', async () => {
    await writeFile(join(cwd, 'small.yaml'), manifest)
    const first = await start(['small.yaml'], { LANDFORM_ADMIN_PASSWORD: 'a good password' })
    expect(first.exit).toBe(0)
    const other = await start(['small.yaml'], { LANDFORM_ADMIN_PASSWORD: 'another good password' })
    expect([other.exit, other.err]).toEqual([
      1,
      expect.stringMatching(
        /error auth\/bad-credentials: LANDFORM_ADMIN_PASSWORD is not the password .*\n {2}hint: Set LANDFORM_ADMIN_PASSWORD to the current password .* on the first start only/,
      ),
    ])
    const unset = await start(['small.yaml'])
    expect([unset.exit, unset.err]).toEqual([
      1,
      expect.stringContaining('LANDFORM_ADMIN_PASSWORD is not set'),
    ])
    const again = await start(['small.yaml'], { LANDFORM_ADMIN_PASSWORD: 'a good password' })
    expect(again.exit).toBe(0)
  })

  test('serves without a manifest if the folder has none', async () => {
    const ran = await start()
    expect(ran).toMatchObject({ exit: 0, err: told() })
    expect(ran.out).toMatch(/^server .*\nmanifest +none: directory "manifests" not found\n$/)
  })

  test('validates the manifest before it creates anything', async () => {
    const ran = await start(['missing.yaml'])
    expect(ran.exit).not.toBe(0)
    expect(ran.out).toBe('')
    expect(ran.err).toContain('missing.yaml')
    expect(await readdir(cwd)).toEqual([])
  })
})

describe.each(['start', 'serve'])('%s', (command) => {
  test.each(passwordsRefused)(
    'refuses the password %s before it makes anything',
    async (password, reason) => {
      const words = [command, '--data', 'data', '--listen', '127.0.0.1:0']
      const ran = await runCommand(words, {
        cwd,
        env: { LANDFORM_ADMIN_PASSWORD: password },
        interrupt: AbortSignal.abort(),
      })
      expect(ran.exit).toBe(3)
      expect(ran.err).toMatch(/^error usage\/bad-argument: Cannot use LANDFORM_ADMIN_PASSWORD: /)
      expect(ran.err).toContain(reason)
      expect(ran.err).not.toContain(`"${password}"`)
      expect(await readdir(cwd)).toEqual([])
    },
  )
})
