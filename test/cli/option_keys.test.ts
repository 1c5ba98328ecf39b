import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { goodPassword } from '../support/principals.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe.each(oneDriver)('keys in options on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-keys-'))
    await writeFile(
      join(cwd, 'm.yaml'),
      `manifest: keys
users: { ada: { password: { env: ADA_PASSWORD } }, bob: {} }
groups: { editors: {} }
icons: { pin: { name: Pin, image: pin.svg } }
resources:
  root: { existing: true, id: 0 }
  folder: { cls: resource_group, parent: root, display_name: Folder }
  service:
    cls: wmsclient_connection
    parent: root
    display_name: Service
    wmsclient_connection: { url: "https://maps.example/wms", version: 1.3.0, username: a, password: secret }
`,
    )
    await writeFile(join(cwd, 'pin.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })
  const run = (...words: readonly string[]) =>
    runCommand(words, { cwd, env: { ...administratorEnv(server.url), ADA_PASSWORD: goodPassword } })
  const errorsOf = async (...words: readonly string[]) => {
    const { err } = await run('plan', 'm.yaml', ...words)
    return err.split('\n').flatMap((line) => line.split('error usage/bad-argument: ')[1] ?? [])
  }

  test.each([
    ['--allow-delete', 'ada', '--allow-delete is for resources, icons and geoservices: "ada" is a user'],
    ['--allow-loss', 'editors', '--allow-loss is for resources, icons and geoservices: "editors" is a group'],
    ['--replace', 'ada', '--replace is for resources: "ada" is a user'],
    ['--take', 'pin', '--take is for resources: "pin" is an icon'],
    ['--only', 'editors', '--only is for resources: "editors" is a group'],
    ['--overwrite-data', 'ada', '--overwrite-data is for resources: "ada" is a user'],
    ['--overwrite-data', 'folder', '--overwrite-data is for resources: "folder" does not have data:'],
    ['--send-secrets', 'pin', '--send-secrets is for resources and users: "pin" is an icon'],
    [
      '--send-secrets',
      'folder',
      '--send-secrets is for resources and users: "folder" does not have a secret that the manifest sets',
    ],
    [
      '--send-secrets',
      'bob',
      '--send-secrets is for resources and users: "bob" does not have a secret that the manifest sets',
    ],
  ])('of another kind are errors: %s %s', async (option, key, message) => {
    expect(await errorsOf(option, key)).toEqual([message])
  })

  test('are accepted of all kinds that an option is about', async () => {
    const words = ['--send-secrets', 'ada,service', '--allow-delete', 'pin,folder', '--allow-loss', 'pin']
    expect(await errorsOf(...words, '--replace', 'folder', '--take', 'service')).toEqual([])
  })

  test('of users are errors in an undo of an apply that changed them', async () => {
    expect((await run('apply', 'm.yaml', '--yes')).exit).toBe(0)
    const { err } = await run('undo', '1', '--plan', '--overwrite', 'ada')
    expect(err).toContain('error usage/bad-argument: --overwrite is for resources: "ada" is a user')
  })
})
