import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string
beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-unread-'))
})
afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (words: readonly string[], env = {}) =>
  runCommand(words, { cwd, env: { ...administratorEnv(server.url), ...env } })
const write = (text: string, name = 'city.yaml') => writeFile(join(cwd, name), text)
const plan = () => run(['plan', 'city.yaml'])
const apply = (env = {}) => run(['apply', 'city.yaml', '--yes'], env)

test('passwords that cannot be read are warned of by the plan, and stop an apply before it changes or records anything', async () => {
  await write(`manifest: unread
groups:
  unread: {}
users:
  kim: { password: { env: KIM_PASSWORD } }
  lea: { password: { file: lea.txt } }
`)
  const warned = (file: string) => [
    expect.stringContaining(
      'city.yaml:5:20 warning principal/no-password: the password of the user "kim" cannot be read from the environment variable KIM_PASSWORD: it is not set',
    ),
    expect.stringContaining(
      `city.yaml:6:20 warning principal/no-password: the password of the user "lea" cannot be read from the file "lea.txt": ${file}`,
    ),
  ]
  const planned = await plan()
  expect(planned.exit).toBe(0)
  for (const one of warned('ENOENT')) expect(planned.err).toEqual(one)
  const before = (await run(['history', '--limit', '1'])).out
  const failed = await apply()
  expect([failed.exit, failed.out]).toEqual([1, expect.not.stringContaining('Not tried')])
  expect(failed.err).toContain(
    'Cannot read the password of the environment variable KIM_PASSWORD: it is not set.',
  )
  expect((await run(['history', '--limit', '1'])).out).toBe(before)
  expect((await plan()).out).toContain('3 to create')
  await write('three words or more', 'lea.txt')
  const env = { KIM_PASSWORD: 'two words or more' }
  expect((await apply(env)).exit).toBe(0)
})
